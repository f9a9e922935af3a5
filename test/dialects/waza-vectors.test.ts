import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { createFixture } from "fs-fixture";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { dialectOf } from "../../src/dialects/recognise.ts";
import { checkFault, isCheckHere, openCheckHere } from "../../src/grading/checks/open.ts";
import { openHeldCheck } from "../../src/grading/held/open.ts";
import { isHeldCheck } from "../../src/grading/held/spec.ts";
import { startPython } from "../../src/python-host/pool.ts";
import { ownCheckOf } from "../../src/grading/checks/own-check.ts";
import { openJudgeCalls } from "../../src/grading/judge-calls.ts";
import { hashText } from "../../src/io/files/files.ts";
import { parseManifest } from "../../src/manifest/syntax/parse.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import type { GraderItem, GraderSample } from "../../src/model/outcomes/sample.ts";
import { toolCallsOf } from "../../src/model/models/transcript.ts";
import { different } from "./waza-differences.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

interface Vector {
  readonly id: string;
  readonly era: string;
  readonly grader: string;
  readonly grader_name?: string;
  readonly config: JsonObject | null;
  readonly input: JsonObject;
  readonly expected: JsonObject;
}

const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
/** Functions of waza's own: waza-functions.test.ts, and where ours are. */
const graders = all.filter(({ grader }) => !grader.startsWith("@"));
const known = new Set(Object.values(different).flat());

/** What a grader of an eval file said, whatever runs it; or why the file is refused. */
type Told =
  | { readonly refused: string }
  | { readonly score: number; readonly passed: boolean; readonly feedback: string };

describe.skipIf(all.length === 0)(
  "waza's public vectors, each in an eval file of its version",
  () => {
    it("are there", () => expect(graders.length).toBeGreaterThan(400));

    it(
      "come out as in waza, or differ for a reason that docs/waza.md gives",
      { timeout: 120_000 },
      async () => {
        const told = await toldOf(graders);
        const differing = graders.filter((vector, i) => !agrees(vector, told[i]));
        const unknown = differing.filter(({ id }) => !known.has(id));
        const shown = unknown.map(({ id, expected, config }) => {
          const found = told[graders.findIndex((each) => each.id === id)];
          return `${id} ${JSON.stringify(config)}\n    ${JSON.stringify(expected).slice(0, 300)}\n    ${JSON.stringify(found)}`;
        });
        expect(shown).toEqual([]);
        const same = [...known].filter((id) => !differing.some((each) => each.id === id));
        expect(same, "differences that are none any more").toEqual([]);
      },
    );
  },
);

function agrees({ expected }: Vector, told: Told | undefined): boolean {
  if (told === undefined) return false;
  const isError = expected["stage"] !== undefined || expected["error"] !== undefined;
  if ("refused" in told || isError) return "refused" in told === isError;
  const { score, passed, feedback } = expected;
  if (typeof score === "number" && Math.abs(score - told.score) > 1e-9) return false;
  if (typeof passed === "boolean" && passed !== told.passed) return false;
  return typeof feedback !== "string" || feedback === told.feedback;
}

async function toldOf(vectors: readonly Vector[]): Promise<readonly Told[]> {
  const read = await Promise.all(vectors.map(checkOf));
  const python = read.flatMap((found, i) => {
    const vector = vectors[i];
    const isPythons = !("refused" in found) && !isCheckHere(found) && !isHeldCheck(found);
    if (!isPythons || vector === undefined) return [];
    return [{ i, check: found, sample: sampleOf(vector) }];
  });
  const byPython = gradedByPython(python);
  const byProgram = await gradedByPrograms(read, vectors);
  return Promise.all(
    read.map(async (found, i) => {
      const vector = vectors[i];
      const { refused } = found;
      if (refused !== undefined || vector === undefined)
        return { refused: typeof refused === "string" ? refused : "" };
      if (isCheckHere(found)) return gradedHere(found, vector);
      return byProgram.get(i) ?? byPython.get(i) ?? { refused: "?" };
    }),
  );
}

/** The check that the vector's grader becomes; or why its file is refused. */
async function checkOf(vector: Vector): Promise<JsonObject> {
  const parsed = parseManifest(evalFileOf(vector), "eval.yaml");
  if (parsed.kind === "refused") return refusedFor(parsed.problems);
  const root = { value: parsed.value, path: [], locate: parsed.locate };
  const found = await dialectOf(root)?.(root, toolsFor(vector));
  if (found === undefined) throw new Error("not recognised");
  if (found.kind === "refused") return refusedFor(found.problems);
  const check = firstCheck(found.value);
  const { type, options } = ownCheckOf(check, "");
  const fault = isCheckHere(check) ? checkFault(options, type) : undefined;
  return fault === undefined ? check : { refused: fault };
}

function refusedFor([first]: readonly { readonly message: string }[]): JsonObject {
  return { refused: first?.message ?? "" };
}

function evalFileOf({ grader, era, config, grader_name: name = "test", input }: Vector): string {
  const own = { type: grader, name, ...(config !== null && { config: placed(config) }) };
  const mark = marks[era];
  return stringify({
    name: "v",
    skill: "s",
    version: "1.0",
    config: {
      trials_per_task: 1,
      timeout_seconds: 5,
      executor: "mock",
      model: "m",
      ...(hasOther(input) && { skill_directories: ["skills"] }),
    },
    baseline: hasOther(input),
    graders: [own, ...(mark === undefined ? [] : [mark])],
    metrics: [],
    tasks: ["tasks/*.yaml"],
  });
}

/** Whether there is an answer without the skills, to compare with. */
function hasOther({ baseline_output: other }: JsonObject): boolean {
  return typeof other === "string" && other !== "";
}

function firstCheck(document: Json): JsonObject {
  const grader = isJsonObject(document) ? document["grader"] : undefined;
  const rows = isJsonObject(grader) ? grader["also"] : undefined;
  const check = Array.isArray(rows) ? rows[0] : undefined;
  if (!isJsonObject(check)) throw new Error("the file has no check");
  return check;
}

/** What tells a version where the vector's grader does not. */
const marks: Readonly<Record<string, JsonObject>> = {
  E0: { type: "tool_calls", name: "mark", config: { required: ["x"] } },
};

const context = "ctx";

function placed(value: Json): Json {
  if (typeof value === "string")
    return value.replaceAll("${CONTEXT}", context).replaceAll("${WORKSPACE}", "/workspace");
  if (Array.isArray(value)) return value.map(placed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, placed(each)]));
}

function toolsFor({ input }: Vector): Parameters<NonNullable<ReturnType<typeof dialectOf>>>[1] {
  const files = isJsonObject(input["context_files"]) ? input["context_files"] : {};
  const task = "id: a\nname: A\ninputs: { prompt: p }\n";
  return {
    directory: "/repo",
    root: "/repo",
    documentDirectory: "/repo",
    ownKeys: undefined,
    environment: {},
    readText: async (path) => {
      if (path.endsWith("tasks/a.yaml")) return task;
      const text = files[path.replace(/^\/repo\/(?:ctx\/)?/, "")];
      return typeof text === "string" ? text : undefined;
    },
    isThere: async () => false,
    hashFile: async (path) => {
      const text = files[path.replace(/^\/repo\/(?:ctx\/)?/, "")];
      return typeof text === "string" ? createHash("sha256").update(text).digest("hex") : undefined;
    },
    filesOf: async (glob) => (glob.startsWith("tasks") ? ["/repo/tasks/a.yaml"] : []),
    pythonFiles: async () => [],
    parse: (text, path) => {
      const parsed = parseManifest(text, path);
      return parsed.kind === "parsed" ? parsed : undefined;
    },
  };
}

const item: GraderItem = { prompt: "p", target: null, choices: [], task_id: "t" };

async function gradedHere(check: JsonObject, vector: Vector): Promise<Told> {
  const { type, options } = ownCheckOf(check, "");
  const sample = sampleOf(vector);
  if (type === "judge_calls") return judged(options, vector, sample);
  const opened = openCheckHere(options, type);
  if ("fault" in opened) return { refused: opened.fault };
  const { score, passed, feedback } = opened.check(sample, item);
  return { score, passed, feedback };
}

async function judged(options: JsonObject, { input }: Vector, sample: GraderSample): Promise<Told> {
  const said = Array.isArray(input["judge"]) ? input["judge"].filter(isJsonObject) : [];
  const sessions = said.map(({ calls: each }) =>
    Array.isArray(each) ? each.filter(isJsonObject) : [],
  );
  const calls = sessions.flat();
  const scored = input["judge_response"];
  const own = isJsonObject(scored)
    ? [{ name: "set_waza_score", arguments: { ...scored, reason: scored["reasoning"] ?? "" } }]
    : calls.map(callOf);
  // A comparison is two sessions; other verdicts are given at once.
  const answers = hasOther(input) ? sessions.map((each) => each.map(callOf)) : [own];
  let asked = 0;
  const ask = async () => {
    const output = (answers[asked] ?? []).map(
      ({ name = "", arguments: given = {} }: JsonObject) => ({
        type: "function_call",
        name,
        arguments: given,
      }),
    );
    asked += 1;
    return { kind: "answered", response: { output } } as const;
  };
  const other = { kind: "answered", text: textOf(input["baseline_output"]) } as const;
  const { judge } = openJudgeCalls(options, hashText);
  const end = await judge(sample, ask, async () => other);
  if (end.kind === "ungraded") return { refused: end.message };
  const { score, passed, feedback } = end.result;
  return { score, passed, feedback };
}

function callOf({ tool = "", args = {} }: JsonObject): JsonObject {
  return { name: tool, arguments: args };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Grades with the graders of Python, in one process. */
const program = `
import json, sys
from regrade.graders.row_checks import CHECKS
for line in sys.stdin:
    job = json.loads(line)
    try:
        graded = CHECKS[job["type"]].create(job["options"])(job["sample"], {})
        judge, scores = graded.get("judge") or {}, graded["scores"]
        score = scores[CHECKS[job["type"]].METRICS[0].id]
        told = {"score": score, "passed": score == 1, "feedback": judge.get("feedback") or judge.get("problem") or "Output matches JSON schema"}
    except ValueError as error:
        told = {"refused": str(error)}
    print(json.dumps(told))
`;

function gradedByPython(
  jobs: readonly {
    readonly i: number;
    readonly check: JsonObject;
    readonly sample: GraderSample;
  }[],
): ReadonlyMap<number, Told> {
  const lines = jobs.map(({ check, sample }) => {
    const { type, options } = ownCheckOf(check, "");
    return JSON.stringify({ type, options, sample });
  });
  const stdout = execFileSync("python3", ["-c", program], {
    input: lines.join("\n"),
    env: { ...process.env, PYTHONPATH: "python" },
    encoding: "utf8",
  });
  const told: readonly Told[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return new Map(
    jobs.flatMap(({ i }, place) => {
      const found = told[place];
      return found === undefined ? [] : [[i, found] as const];
    }),
  );
}

/** Grades with programs behind the fence, each with its files in a folder of its own. */
async function gradedByPrograms(
  checks: readonly JsonObject[],
  vectors: readonly Vector[],
): Promise<ReadonlyMap<number, Told>> {
  const told = new Map<number, Told>();
  await using fixture = await createFixture({});
  const { openHeldProgram, close } = await startPython({
    python: "python3",
    sandbox: "auto",
    packageDirectory: resolve("python/regrade"),
    env: process.env,
    hosts: 1,
  });
  for (const [i, check] of checks.entries()) {
    const vector = vectors[i];
    if (vector === undefined || "refused" in check || !isHeldCheck(check)) continue;
    const { context_files: files } = vector.input;
    await fixture.mkdir(`${i}/ctx`);
    for (const [path, text] of Object.entries(isJsonObject(files) ? files : {}))
      await fixture.writeFile(`${i}/ctx/${path}`, typeof text === "string" ? text : "");
    const base = { directory: fixture.getPath(`${i}`), root: fixture.getPath(`${i}`) };
    told.set(i, await heldTold(check, sampleOf(vector), { openHeldProgram, base }));
  }
  await close();
  return told;
}

async function heldTold(
  check: JsonObject,
  sample: GraderSample,
  tools: Parameters<typeof openHeldCheck>[1],
): Promise<Told> {
  const { type, options } = ownCheckOf(check, "");
  const opened = await openHeldCheck({ ...options, type }, tools, { inRow: true });
  if ("refused" in opened) return { refused: opened.refused.message };
  const end = await opened.check({ sample, item, readsField: false });
  if (end.kind === "ungraded") return { refused: end.message };
  const { score, passed, feedback } = end.result;
  return { score, passed, feedback: feedback.replace(/^\/\S+\/workspace$/, "${WORKSPACE}") };
}

/** The sample of an agent that did and left what the vector says. */
function sampleOf({ grader, input }: Vector): GraderSample {
  const { output, session, duration_ms, workspace, skill_invocations: skills } = input;
  const text = typeof output === "string" ? output : "";
  const told: JsonObject = isJsonObject(session) ? session : {};
  const isTold =
    isJsonObject(session) || !sessionGraders.has(grader) || Array.isArray(input["transcript"]);
  const events = Array.isArray(input["transcript"]) ? input["transcript"].filter(isJsonObject) : [];
  const made = events.flatMap(stepOf);
  const named = textsOf(skills).map((name) => ({ type: "skill", name }));
  const turns = told["total_turns"];
  const end = { type: "end", reason: "done", ...(typeof turns === "number" && { turns }) };
  const calls = [...callsIn(told), ...toolCallsOf(made)];
  return {
    output_text: text,
    extracted_output: text,
    model: "m",
    prompt: promptOf(input),
    task_id: "t",
    run_id: "r",
    sample_id: "s",
    latency_ms: typeof duration_ms === "number" ? duration_ms : 0,
    usage: usageOf(told),
    ...(isTold && { transcript: events.length > 0 ? made : [...named, end], tool_calls: calls }),
    ...(isJsonObject(workspace) && { files: filesOf(workspace) }),
  };
}

function promptOf({ task }: JsonObject): string {
  const prompt = isJsonObject(task) ? task["prompt"] : undefined;
  return typeof prompt === "string" ? prompt : "";
}

const sessionGraders = new Set(["behavior", "action_sequence", "tool_constraint", "tool_calls"]);

/** An event of waza's transcript as an entry of ours. */
function stepOf(event: JsonObject): readonly JsonObject[] {
  const { type = "" } = event;
  const step = typeof type === "string" && Object.hasOwn(steps, type) ? steps[type] : undefined;
  return [step?.(event) ?? event];
}

const steps: Readonly<Record<string, (event: JsonObject) => JsonObject>> = {
  "tool.execution_start": ({
    tool_call_id: id = null,
    tool_name: name = "",
    arguments: given = {},
  }) => ({
    type: "tool_call",
    id,
    name,
    arguments: given,
  }),
  tool_call: ({ tool: name = "", args = {} }) => ({
    type: "tool_call",
    id: null,
    name,
    arguments: args,
  }),
  "tool.execution_complete": ({ tool_call_id: id = null, tool_result: result, success }) => ({
    type: "tool_result",
    id,
    output: (isJsonObject(result) ? result["content"] : undefined) ?? null,
    ...(success === false && { is_error: true }),
  }),
  "user.message": ({ content = "" }) => ({ type: "message", role: "user", text: content }),
  "assistant.message": ({ content = "" }) => ({
    type: "message",
    role: "assistant",
    text: content,
  }),
};

function callsIn({ tool_calls, tools_used, tool_call_count }: JsonObject): readonly JsonObject[] {
  if (Array.isArray(tool_calls) && tool_calls.length > 0) return tool_calls.filter(isJsonObject);
  const names = textsOf(tools_used);
  const count = typeof tool_call_count === "number" ? tool_call_count : 0;
  const more = Array.from({ length: Math.max(0, count - names.length) }, () => "more");
  return [...names, ...more].map((name) => ({ name, arguments: {} }));
}

function usageOf({ usage, tokens_total: total }: JsonObject): JsonObject {
  if (typeof total === "number") return { input_tokens: total, output_tokens: 0 };
  const { input_tokens = 0, output_tokens = 0 } = isJsonObject(usage) ? usage : {};
  return { input_tokens, output_tokens };
}

function filesOf({ files }: JsonObject): JsonObject[] {
  return Object.entries(isJsonObject(files) ? files : {}).map(([path, text]) => ({
    path,
    change: "added",
    sha256: typeof text === "string" ? hashText(text) : null,
    text: typeof text === "string" ? text : null,
  }));
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
