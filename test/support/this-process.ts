let isTaken = false;
const withProcess = new Set<string>();

/** Variables that Node, or a library when it is loaded, reads once, or reads from the process itself (`os.tmpdir()`). */
const readAtStart = /^(NODE_.*|TZ|TMPDIR|.*_proxy)$/i;

/**
 * Whether a program of dist/ may run from its sources in the test's own process, which saves the start of Node: 0.2 s of
 * processor time. If so, `takeOver` must follow. A process is the first run of each program in a test file, and the first
 * of each kind (a command, an event) of the files that share a worker; in a bench and with REGRADE_TEST_PROCESSES=all every
 * run is. `env`: variables that the test adds to the program's environment.
 */
export async function mayRunHere(
  program: "action" | "command line",
  kind: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  if (process.env["VITEST"] === undefined || process.env["REGRADE_TEST_PROCESSES"] === "all")
    return false;
  if (Object.keys(env).some((name) => readAtStart.test(name))) return false;
  const { expect } = await import("vitest");
  const { testPath } = expect.getState();
  if (testPath === undefined || isTaken) return false;
  const firsts = [`${program} in ${testPath}`, `${program}: ${kind}`];
  isTaken = firsts.every((first) => withProcess.has(first));
  for (const first of firsts) withProcess.add(first);
  return isTaken;
}

/**
 * Gives this process the environment and the working directory of a program that runs in it; returns a function that
 * undoes it.
 */
export function takeOver(env: Readonly<Record<string, string>>, directory: string): () => void {
  const before = { env: process.env, directory: process.cwd() };
  process.env = { ...env };
  process.chdir(directory);
  return () => {
    process.chdir(before.directory);
    process.env = before.env;
    isTaken = false;
  };
}
