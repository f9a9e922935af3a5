import os from "node:os";
import type { DoctorReport, EscapeOutcome } from "../model/doctor.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { GraderProgram, PythonTools } from "../model/ports/programs.ts";
import { builtinProviders } from "../model/models/providers.ts";
import { endingSoon } from "../model/models/retirements.ts";
import { formatProblem, Refusal } from "../model/refusal.ts";
import type { GraderItem, GraderSample } from "../model/outcomes/sample.ts";
import { findInterpreter } from "./interpreter.ts";
import { startPython, type PythonOptions } from "./pool.ts";
import { tryPrograms } from "./doctor-programs.ts";
import { tryFence } from "./doctor-fence.ts";
import { openEscapeTargets, type EscapeTargets } from "./escape-targets.ts";

interface DoctorOptions extends PythonOptions {
  readonly regrade: string;
}

/** Examines this machine, and lets a grader in its own host try each escape from the sandbox. Refuses nothing. */
export async function inspectMachine(options: DoctorOptions): Promise<DoctorReport> {
  const python = await lookForPython(options);
  const tried = python.kind === "found" ? await tryEscapes(options) : notTried;
  const fence = python.kind === "found" ? await tryFence(python.path, options) : undefined;
  const { report, escapes, programs } = tried;
  const all = [...escapes, ...(programs?.escapes ?? [])];
  const held = report?.details["files"] === true && report.details["network"] === "none";
  return {
    regrade: options.regrade,
    node: process.versions.node,
    system: `${os.type()} ${os.release()} on ${os.arch()}`,
    python,
    sandbox: { asked: options.sandbox, report, problem: tried.problem },
    escapes,
    ...(programs !== undefined && { programs }),
    ...(fence !== undefined && { fence }),
    keys: keysIn(options.env),
    ending: endingIn(options.env, Date.now()),
    holds: held && escapes.length > 0 && all.every(({ outcome }) => outcome !== "out"),
  };
}

async function lookForPython(options: DoctorOptions): Promise<DoctorReport["python"]> {
  try {
    return { kind: "found", ...(await findInterpreter(options.python, options.env)) };
  } catch (error) {
    return { kind: "missing", reason: wordsOf(error) };
  }
}

interface Tried {
  readonly report: DoctorReport["sandbox"]["report"];
  readonly problem: string | undefined;
  readonly escapes: readonly EscapeOutcome[];
  readonly programs: DoctorReport["programs"];
}

const notTried: Tried = { report: undefined, problem: undefined, escapes: [], programs: undefined };

/** `required` is derived from the result of `auto`, so that a machine that can't meet it is described, too. */
async function tryEscapes(options: DoctorOptions): Promise<Tried> {
  const sandbox = options.sandbox === "required" ? "auto" : options.sandbox;
  const targets = await openEscapeTargets();
  try {
    const python = await startPython({ ...options, sandbox, hosts: 1 });
    try {
      const tried = await tryWith(python, targets);
      return { ...tried, programs: await tryPrograms(python, targets.targets, options) };
    } finally {
      await python.close();
    }
  } catch (error) {
    return { ...notTried, problem: wordsOf(error) };
  } finally {
    await targets.close();
  }
}

async function tryWith(
  python: PythonTools,
  targets: EscapeTargets,
): Promise<Omit<Tried, "programs">> {
  const opened = await python.openProgram({
    kind: "file",
    absolutePath: targets.grader,
    shown: "escapes.py",
    metricId: "held",
    timeoutSeconds: 30,
    execution: "per_sample",
    contract: "sample",
    // Some attempts change the process that makes them.
    isolation: "sample",
    allowRead: [],
    models: undefined,
  });
  if ("refused" in opened) return { ...notTried, problem: opened.refused.message };
  const { program } = opened;
  try {
    const escapes: EscapeOutcome[] = [];
    for (const escape of await namesFrom(program))
      escapes.push(readOutcome(escape, await ask(program, { escape, targets: targets.targets })));
    return { report: python.sandbox(), problem: undefined, escapes };
  } finally {
    await program.close();
  }
}

async function namesFrom(program: GraderProgram): Promise<readonly string[]> {
  const { escapes } = await ask(program, { escape: null });
  const names: readonly Json[] = isList(escapes) ? escapes : [];
  return names.filter((name) => typeof name === "string");
}

const sample: GraderSample = {
  output_text: "",
  extracted_output: null,
  model: "doctor",
  prompt: "",
  task_id: "doctor",
  run_id: "doctor",
  sample_id: "doctor",
};

const item: GraderItem = {
  prompt: "",
  target: null,
  choices: [],
  task_id: "doctor",
};

/** The grader's `judge`; if it failed, the reason. */
async function ask(program: GraderProgram, row: JsonObject): Promise<JsonObject> {
  const graded = await program.grade(sample, { ...item, ...row });
  if (graded.kind === "scored") return graded.judge ?? {};
  return { outcome: "absent", said: graded.message };
}

function readOutcome(escape: string, { outcome, said }: JsonObject): EscapeOutcome {
  const known = outcome === "held" || outcome === "out" ? outcome : "absent";
  return { escape, outcome: known, said: typeof said === "string" ? said : "" };
}

/** The token for private or gated data sets of Hugging Face. */
const hubToken = "HF_TOKEN";

function keysIn(env: PythonOptions["env"]): DoctorReport["keys"] {
  const names = Object.values(builtinProviders).flatMap(({ api_key_env: name }) =>
    name === undefined ? [] : [name],
  );
  return [...names, hubToken].map((name) => ({ name, present: (env[name] ?? "") !== "" }));
}

function endingIn(env: PythonOptions["env"], now: number): DoctorReport["ending"] {
  return Object.entries(builtinProviders).flatMap(([id, { api_key_env: name }]) => {
    if (name === undefined || (env[name] ?? "") === "") return [];
    return endingSoon(id, now).map(([model, { date, instead }]) => ({
      model: `${id}:${model}`,
      date,
      instead,
    }));
  });
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.problems.map((each) => formatProblem(each)).join("; ");
  throw error;
}
