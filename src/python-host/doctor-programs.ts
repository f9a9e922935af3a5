import path from "node:path";
import type { DoctorReport, EscapeOutcome } from "../model/doctor.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { findOnPath } from "./locate-program.ts";
import type { PythonOptions } from "./pool.ts";

/** Programs of languages in which graders are often written. */
const usual = ["sh", "bash", "node", "deno", "ruby", "perl", "php", "java", "go"];
/** The rights of a grading program. Programs that it starts gain none. */
const allowed = ["start a program", "start a process", "start a set-uid program"];

/** One process per attempt, because some attempts change the process that makes them. */
const attempts = `
import json, os, sys
sys.path.insert(0, "")
import escapes
targets = json.load(sys.stdin)
for name in escapes.ESCAPES:
    if name in sys.argv[1:]:
        continue
    if os.fork() == 0:
        print(json.dumps(escapes.attempt(name, targets)), flush=True)
        os._exit(0)
    os.wait()
`;
import type { PythonTools } from "../model/ports/programs.ts";

/** Lists the programs that this machine has, and lets a grading program make each escape attempt. */
export async function tryPrograms(
  python: PythonTools,
  targets: JsonObject,
  { packageDirectory, env }: PythonOptions,
): Promise<NonNullable<DoctorReport["programs"]>> {
  const base = { directory: path.join(packageDirectory, "sandbox"), root: packageDirectory };
  const opened = await python.openHeldProgram({
    command: "python3",
    args: ["-c", attempts, ...allowed],
    timeoutSeconds: 60,
    env: [],
    files: [{ path: "escapes.py", sha256: undefined }],
    wordsNameFiles: false,
    directory: base.directory,
    base,
  });
  const found = await whichAreThere(env);
  if ("refused" in opened) return { ...found, problem: opened.refused.message, escapes: [] };
  const end = await opened.program.run({
    stdin: JSON.stringify(targets),
    workspace: undefined,
  });
  if (end.kind === "not_started") return { ...found, problem: end.reason, escapes: [] };
  const escapes = end.stdout.trim().split("\n").flatMap(readEscape);
  const problem = escapes.length > 0 ? undefined : end.stderr.trim();
  return { ...found, ...(problem !== undefined && { problem }), escapes };
}

async function whichAreThere(
  env: PythonOptions["env"],
): Promise<{ readonly found: readonly string[]; readonly missing: readonly string[] }> {
  const paths = await Promise.all(usual.map((name) => findOnPath(name, env)));
  return {
    found: usual.filter((_, i) => paths[i] !== undefined),
    missing: usual.filter((_, i) => paths[i] === undefined),
  };
}

/** Reads a line that a program printed about an attempt; empty for any other line. */
export function readEscape(line: string): readonly EscapeOutcome[] {
  const said: unknown = line === "" ? undefined : JSON.parse(line);
  if (!isJsonObject(said)) return [];
  const { escape, outcome, said: words } = said;
  if (typeof escape !== "string" || typeof words !== "string") return [];
  return outcome === "held" || outcome === "out" || outcome === "absent"
    ? [{ escape, outcome, said: words }]
    : [];
}
