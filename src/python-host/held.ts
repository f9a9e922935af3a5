import { mkdir } from "node:fs/promises";
import path from "node:path";
import { findRepository } from "../io/files/locate.ts";
import type {
  HeldEnd,
  HeldInput,
  HeldProgramSpec,
  HeldRefused,
  OpenHeldProgram,
} from "../model/ports/held-programs.ts";
import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from "../model/json.ts";
import { type HostConfig, hostSettings, refusedAsDead, userCode } from "./config.ts";
import { plainlyPublic } from "../io/secrets/secret-values.ts";
import { hostEnvironment } from "./interpreter.ts";
import { locateProgram } from "./locate-program.ts";
import { copyProgram, type ProgramCopy } from "./program-files.ts";
import { openHosts, type RunningProgram } from "./program.ts";

/** The longest time-out of a program, plus the time to end all of its processes. */
const longestSeconds = 660;
/** Number of programs that a host runs at a time. */
const programsAtOnce = 2;

/** Runs grading programs in hosts without user code; the first program starts them. */
export function createHeldPrograms(config: HostConfig): {
  readonly open: OpenHeldProgram;
  readonly close: () => Promise<void>;
} {
  let started: ReturnType<typeof startHosts> | undefined;
  let copies = 0;
  const known = new Map<string, ReturnType<OpenHeldProgram>>();
  const openNew: OpenHeldProgram = async (spec) => {
    const checkouts = await checkoutsAround(spec);
    started ??= startHosts(config, checkouts);
    const hosts = await started;
    if ("refused" in hosts) return hosts;
    copies += 1;
    const own = path.join(config.temporary, `program-${copies}`);
    await mkdir(own);
    const copy = await copyProgram(spec, own);
    if ("fault" in copy) return unusable(copy.fault);
    const { interpreter, options } = config;
    const around = { copy, env: options.env, checkouts, interpreter };
    const located = await locateProgram(spec, around);
    if ("fault" in located) return unusable(located.fault);
    const secret = spec.env.find((name) => isSecret(name, options.env[name]));
    if (secret !== undefined)
      return unusable(`the variable ${secret} may hold a secret, and graders are given none`);
    const about = { ...aboutOf(spec, { copy, config }), program: located.program };
    return {
      program: {
        files: copy.files,
        run: (input) => hosts.running.run("program", { kind: "line", text: lineOf(about, input) }),
      },
    };
  };
  return {
    // An opened program stays as it was then, whatever a candidate does to the repository.
    open: (spec) => {
      const key = JSON.stringify(spec);
      const opening = known.get(key) ?? openNew(spec);
      known.set(key, opening);
      return opening;
    },
    close: async () => {
      const hosts = await started?.catch(() => undefined);
      if (hosts !== undefined && "running" in hosts) await hosts.running.close();
    },
  };
}

/** Folders that contain files which a grader may not read: no file in them is granted. */
async function checkoutsAround({ base }: HeldProgramSpec): Promise<readonly string[]> {
  const here = process.cwd();
  return [base.root, (await findRepository(here)) ?? here];
}

async function startHosts(
  config: HostConfig,
  hidden: readonly string[],
): Promise<{ readonly running: RunningProgram<HeldEnd> } | { readonly refused: HeldRefused }> {
  const source = { kind: "builtin", name: "program", options: {} } as const;
  const own = await userCode(config, { source, allowRead: [] });
  const load = { program: "held", ...own.load, hidden: [...hidden], isolation: "sample" };
  const { loaded, running } = await openHosts<HeldEnd>({
    ...hostSettings(config, { ...own, flags: [], load }),
    atOnce: programsAtOnce,
    timeoutSeconds: longestSeconds,
    models: undefined,
    readAnswer: readEnd,
    blame: (fault) => {
      const reason = fault.kind === "timeout" ? "did not end in time" : fault.reason;
      return { kind: "not_started", reason: `its supervisor ${reason}` };
    },
    unavailable: (reason) => ({ kind: "not_started", reason }),
  });
  if (loaded.kind === "ready") return { running };
  await running.close();
  const found = loaded.kind === "refused" ? loaded.refused : refusedAsDead(config, loaded.reason);
  return { refused: { reason: "sandbox", message: found.message } };
}

function unusable(message: string): { readonly refused: HeldRefused } {
  return { refused: { reason: "unusable", message } };
}

function isSecret(name: string, value: string | undefined): boolean {
  return value !== undefined && !plainlyPublic(name, value);
}

/** The part of a job that all samples share. */
function aboutOf(
  spec: HeldProgramSpec,
  { copy, config }: { readonly copy: ProgramCopy; readonly config: HostConfig },
): JsonObject {
  const { interpreter } = config;
  const { env } = config.options;
  // Shells then find the same Python.
  const paths = [path.dirname(interpreter), ...(env["PATH"] ?? "").split(path.delimiter)];
  const given = spec.env.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    words: [spec.command, ...spec.args],
    env: {
      ...hostEnvironment(env, ""),
      PATH: paths.filter((each) => path.isAbsolute(each)).join(path.delimiter),
      ...Object.fromEntries(given),
    },
    installed: [interpreter],
    directory: copy.directory,
    own: copy.own,
    timeout_seconds: spec.timeoutSeconds,
  };
}

function lineOf(about: JsonObject, { stdin, workspace }: HeldInput): () => string {
  return () => JSON.stringify({ ...about, stdin, workspace: workspace ?? null });
}

function readEnd(lines: readonly string[]): HeldEnd | undefined {
  const result = lines.length === 1 ? jsonObjectIn(lines[0] ?? "")?.["result"] : undefined;
  if (!isJsonObject(result)) return undefined;
  const { kind, reason, exit_code, signal, timed_out, stdout, stderr, not_laid_out } = result;
  if (kind === "not_started" && typeof reason === "string") return { kind, reason };
  if (kind !== "ended" || typeof stdout !== "string" || typeof stderr !== "string")
    return undefined;
  return {
    kind,
    exitCode: typeof exit_code === "number" ? exit_code : undefined,
    signal: typeof signal === "string" ? signal : undefined,
    isLate: timed_out === true,
    stdout,
    stderr,
    notLaidOut: textsOf(not_laid_out),
  };
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
