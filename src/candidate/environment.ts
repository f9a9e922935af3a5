import { problem, type Place, type Problem } from "../model/refusal.ts";
import type { Environment } from "../model/ports/processes.ts";

/**
 * Variables that every command receives: enough for an interpreter to start and to find its files, and no secret. Proxies
 * are left out, because their addresses may hold a password. A Python of actions/setup-python needs `LD_LIBRARY_PATH` to
 * find its own library.
 */
const alwaysGiven = [
  "HOME",
  "LANG",
  "LANGUAGE",
  "LD_LIBRARY_PATH",
  "PATH",
  "TEMP",
  "TMP",
  "TMPDIR",
  "TZ",
  // Windows can't start most programs without these.
  "APPDATA",
  "COMSPEC",
  "LOCALAPPDATA",
  "PATHEXT",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "USERPROFILE",
  "WINDIR",
];

/**
 * Variables that are never passed on, even if `env` names them: the runner's tokens, the action's inputs (its token
 * among them), and the files by which a step changes the environment of later steps. *Not* blocked: a token that the
 * workflow copied into a variable of another name.
 */
const neverGiven =
  /^(?:ACTIONS_.*|INPUT_.*|GITHUB_TOKEN|GH_TOKEN|GITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY))$/i;

/**
 * The environment of a command: the base set, and the variables that `env` names. An empty variable counts as missing:
 * GitHub gives pull requests from forks empty secrets.
 */
export function commandEnvironment(
  named: readonly string[],
  environment: Environment,
  place: Place,
): { readonly env: Readonly<Record<string, string>>; readonly problems: readonly Problem[] } {
  const problems = named.flatMap((name) => {
    if (neverGiven.test(name)) return [problem("env_refused", { name }, place)];
    return environment[name] ? [] : [problem("env_missing", { name }, place)];
  });
  const given = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && (isAlwaysGiven(name) || (named.includes(name) && !neverGiven.test(name)))
      ? [[name, value] as const]
      : [],
  );
  return { env: Object.fromEntries(given), problems };
}

/** True for variables that every command receives. Case is ignored: Windows writes `Path` and `SystemRoot`. */
function isAlwaysGiven(name: string): boolean {
  const upper = name.toUpperCase();
  return alwaysGiven.includes(upper) || upper.startsWith("LC_");
}
