import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openCheckHere } from "../../src/grading/checks/open.ts";
import { ownCheckOf } from "../../src/grading/checks/own-check.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import type { Dataset } from "../../src/model/definition/dataset.ts";
import type { Translated } from "../../src/base/foreign.ts";
import { withCases } from "../../src/suite/selection/only-cases.ts";
import { agentSample } from "../grading/checks/graded.ts";
import { type Files, translated } from "../support/waza-files.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

interface Vector {
  readonly id: string;
  readonly grader: string;
  readonly input: Json;
  readonly expected: { readonly value?: Json; readonly error?: string };
}

const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];

/** Where we differ on purpose, by the reason: docs/waza.md, "Differences". */
const different: Readonly<Record<string, readonly string[]>> = {
  "waza's `run` needs neither metrics nor a version, and reads any; its `check` asks for them": [
    "e2.schema_eval.missing-metrics",
    "e2.schema_eval.missing-version",
    "e2.schema_eval.numeric-version",
  ],
  "files of all versions are read": [
    "e2.schema_eval.workers-key",
    "e2.schema_task.grader-keyword-leftover",
  ],
  "hooks are refused": [
    "e2.schema_eval.hooks",
    "e2.hook_run.success",
    "e2.hook_run.custom-exit-codes",
    "e2.hook_run.no-shell-quotes-and-are-literal-args",
    "e2.hook_run.command-not-found-error-on-fail-false",
  ],
  "what can't be run is refused when the file is read": [
    "e2.schema_task.grader-without-type",
    "e2.schema_eval.tasks-from",
    "e2.load_task.empty-file",
    "e2.load_task.grader-assertions-shorthand",
    "e2.load_eval.basic-load",
    "e2.load_eval.unknown-keys-accepted",
  ],
  "values that differ in every run are refused": ["e2.template_render.jobid"],
  "a prompt is filled in once, for all attempts": ["e2.template_render.iteration-and-attempt"],
};
const known = new Map(
  Object.entries(different).flatMap(([reason, ids]) => ids.map((id) => [id, reason] as const)),
);

describe.skipIf(all.length === 0)("functions of waza's program", () => {
  it.each(Object.keys(kinds()))("%s: the same on waza's own vectors", async (kind) => {
    const vectors = all.filter(({ grader }) => grader === kind);
    expect(vectors.length).toBeGreaterThan(0);
    for (const vector of vectors) {
      const found = await kinds()[kind]?.(vector);
      const same = JSON.stringify(found) === JSON.stringify(wanted(vector));
      if (known.has(vector.id)) expect(same, `${vector.id} differs no more`).toBe(false);
      else expect({ [vector.id]: found }).toEqual({ [vector.id]: wanted(vector) });
    }
  });
});

type Drive = (vector: Vector) => Promise<Json | undefined>;

/** What a vector wants of us: its value, or `refused` where it is an error. */
function wanted({ grader: kind, input, expected: { value = null, error } }: Vector): Json {
  // A pattern that is none matches nothing, and a run of nothing is refused.
  if (error !== undefined) return kind === "@filter_tasks" ? [] : "refused";
  const told = isJsonObject(value) ? value : {};
  const own = Object.hasOwn(values, kind) ? values[kind] : undefined;
  return own === undefined ? value : own(told, input, value);
}

const asTaken = (): Json => "taken";
const asModel = (told: JsonObject, input: Json): Json => modelWanted(told, input);
const bySchema = ({ valid }: JsonObject): Json => (valid === true ? "taken" : "refused");

/** How a value of waza's reads here, where it is another one. */
const values: Readonly<Record<string, (told: JsonObject, input: Json, value: Json) => Json>> = {
  "@schema_eval": bySchema,
  "@schema_task": bySchema,
  "@load_eval": asTaken,
  "@load_task": asTaken,
  "@trigger_spec": asTaken,
  "@hook_run": asTaken,
  "@discover_skills": asTaken,
  "@required_skills": asTaken,
  "@arg_matcher": (told) => ("error_contains" in told ? "refused" : (told["matches"] ?? "taken")),
  "@expected": toldOfExpected,
  "@csv_range": (_, __, value) => (JSON.stringify(value) === "[]" ? "refused" : value),
  "@resolve_group": (_, __, value) => (value === "" ? null : value),
  "@inject_judge_model": asModel,
  "@judge_model_default": asModel,
};

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function kinds(): Readonly<Record<string, Drive>> {
  return {
    "@schema_eval": ({ input }) => taken(textIn(input)),
    "@load_eval": ({ input }) => taken(textIn(input)),
    "@schema_task": ({ input }) =>
      taken(evalFile(), { "tasks/a.yaml": switchedOn(input), ...task }),
    "@load_task": ({ input }) => taken(evalFile(), { "tasks/a.yaml": textIn(input), ...task }),
    "@trigger_spec": ({ input }) =>
      taken(evalFile(), { ...task, "trigger_tests.yaml": textIn(input) }),
    "@hook_run": ({ input }) =>
      taken(evalFile(`hooks: { before_run: [${JSON.stringify(input)}] }\n`)),
    "@arg_matcher": matched,
    "@expected": expectedOf,
    "@effective_weight": async ({ input }) =>
      weightIn(await read(evalFile("", graderOf("text", input)))),
    "@inject_judge_model": (vector) => modelOf(vector, ""),
    "@judge_model_default": (vector) => modelOf(vector, ", workers: 2"),
    "@resolve_group": async ({ input }) => {
      const { group_by: group } = Object(input);
      const found = await translated(evalFile("", undefined, `, group_by: "${group}"`), task);
      return (found.kind === "translated" && found.about?.["group_by"]) || null;
    },
    "@filter_tasks": filtered,
    "@template_render": rendered,
    "@csv_range": ranged,
    "@load_resources": resources,
    "@required_skills": requiredSkills,
    "@discover_skills": discovered,
    "@parse_skill_name": skillName,
  };
}

const task: Files = { "tasks/z.yaml": "id: z\nname: Z\ninputs: { prompt: p }\n" };
const grader = "{ type: text, name: g0, config: { contains: [x] } }";

function evalFile(rest = "", graders = grader, config = ""): string {
  return `name: e
skill: s
version: "1.0"
config: { trials_per_task: 1, timeout_seconds: 5, executor: mock, model: m${config} }
graders: [${graders}]
metrics: []
tasks: ["tasks/*.yaml"]
${rest}`;
}

function graderOf(type: string, weight: Json): string {
  return `{ type: ${type}, name: g0, weight: ${JSON.stringify(weight)}, config: { contains: [x] } }`;
}

/** The vectors' files have no graders: waza's readers don't ask for any. */
async function taken(text: string, files: Files = task): Promise<string> {
  const whole = text.includes("graders:") ? text : `${text}graders: [${grader}]\n`;
  const found = await translated(whole, files);
  return found.kind === "translated" ? "taken" : "refused";
}

/** A task that is switched off is one that can be read. */
function switchedOn(input: Json): string {
  return textIn(input).replace("enabled: false", "enabled: true");
}

async function read(text: string, files: Files = task): Promise<JsonObject> {
  const found = await translated(text, files);
  if (found.kind === "refused") throw new Error(found.problems[0]?.message);
  return isJsonObject(found.value) ? found.value : {};
}

function checksIn(document: JsonObject): readonly JsonObject[] {
  const { grader: own } = document;
  const also = isJsonObject(own) ? own["also"] : [];
  return Array.isArray(also) ? also.filter(isJsonObject) : [];
}

function rowsIn(found: Translated): readonly JsonObject[] {
  const document = found.kind === "translated" && isJsonObject(found.value) ? found.value : {};
  const { dataset } = document;
  const rows = isJsonObject(dataset) ? dataset["rows"] : [];
  return Array.isArray(rows) ? rows.filter(isJsonObject) : [];
}

function weightIn(document: JsonObject): Json {
  return checksIn(document)[0]?.["weight"] ?? 1;
}

async function matched({ input }: Vector): Promise<Json> {
  const { matcher, actual } = Object(input);
  const expected = JSON.stringify({ tool: "t", args: { a: matcher } });
  const text = evalFile("", `{ type: tool_calls, name: g, config: { expect: [${expected}] } }`);
  const found = await translated(text, task);
  if (found.kind === "refused") return "refused";
  const [check = {}] = checksIn(isJsonObject(found.value) ? found.value : {});
  const { type, options } = ownCheckOf(check, "");
  const opened = openCheckHere(options, type);
  if ("fault" in opened) return "refused";
  if (actual === undefined) return "taken";
  const sample = agentSample({ calls: [{ name: "t", arguments: { a: actual } }] });
  const whole = { ...sample, output_text: "", extracted_output: "" };
  return opened.check(Object(whole), Object({})).passed;
}

async function expectedOf({ input }: Vector): Promise<Json> {
  const { expected, output } = Object(input);
  const row = `id: a\ninputs: { prompt: p }\nexpected: ${JSON.stringify(expected)}\n`;
  const found = await translated(evalFile("", grader, ", workers: 2"), { "tasks/a.yaml": row });
  const [{ checks = [] } = {}] = rowsIn(found);
  const told = (Array.isArray(checks) ? checks.filter(isJsonObject) : []).map((check) => {
    const { name = "", type, options } = ownCheckOf(check, "");
    const opened = openCheckHere(options, type);
    if ("fault" in opened) throw new Error(opened.fault);
    const sample = { output_text: output, extracted_output: output };
    return [name, opened.check(Object(sample), Object({})).passed];
  });
  return Object.fromEntries(told);
}

function toldOfExpected({ graders }: JsonObject): Json {
  const own = isJsonObject(graders) ? Object.entries(graders) : [];
  return Object.fromEntries(own.map(([name, told]) => [name, Object(told)["passed"]]));
}

/** The file's judge, or the grader's own where it is a model whose provider is known by its name. */
async function modelOf({ input }: Vector, config: string): Promise<Json> {
  const { params, model, judge_model: judge = model } = Object(input);
  const own = named(params["model"]);
  const options = { prompt: "p", ...params, ...(own !== undefined && { model: own }) };
  const text = evalFile(
    "",
    `{ type: prompt, name: g, config: ${JSON.stringify(options)} }`,
    `, judge_model: ${judge}${config}`,
  );
  const document = await read(text);
  const { run } = document;
  const found = checksIn(document)[0]?.["model"] ?? null;
  return found === "auto" && isJsonObject(run) ? (run["judge_model"] ?? null) : found;
}

function named(model: unknown): string | undefined {
  return model === "existing" ? "house:existing" : typeof model === "string" ? model : undefined;
}

function modelWanted(value: Json, input: Json): Json {
  const model = named(Object(value)["model"]) ?? "";
  const provider = model.startsWith("claude") ? "anthropic" : "openai";
  return model.includes(":") || input === null ? model : `${provider}:${model}`;
}

async function filtered({ input }: Vector): Promise<Json> {
  const { cases, tasks, tags } = Object(input);
  const files = (Array.isArray(cases) ? cases : []).map((each, i) => {
    const { id, name, tags: own } = Object(each);
    const text = JSON.stringify({ id, name, tags: own, inputs: { prompt: "p" } });
    return [`tasks/${i}.yaml`, text] as const;
  });
  const rows = rowsIn(await translated(evalFile(), Object.fromEntries(files)));
  const patterns: readonly string[] = tasks ?? [];
  const byTag = (tags ?? []).map((tag: string) => `tags=${tag}`);
  if (patterns.length === 0) return chosen(rows, { only_where: byTag });
  const byName = patterns.map((pattern) => `name=${pattern}`);
  // waza looks for a pattern among ids and names: --case looks among ids, --where name= among names.
  const found = await Promise.all([
    ...patterns.map((pattern) => chosen(rows, { only_cases: [pattern], only_where: byTag })),
    ...byName.map((pattern) => chosen(rows, { only_where: [pattern, ...byTag] })),
  ]);
  return rows.flatMap(({ id = "" }) => (found.flat().includes(textIn(id)) ? [id] : []));
}

async function chosen(
  rows: readonly JsonObject[],
  asked: { readonly only_cases?: readonly string[]; readonly only_where?: readonly string[] },
): Promise<readonly string[] | "malformed"> {
  const cases = rows.map((row, index) => ({
    caseId: textIn(row["id"]),
    content: "",
    row,
    index,
  }));
  const dataset: Pick<Dataset, "cases" | "size"> = {
    size: cases.length,
    cases: async function* every() {
      yield cases;
    },
  };
  const opened = {
    tasks: [{ spec: { id: "t", min_cases: 0 }, dataset }],
    close: async () => undefined,
  };
  try {
    const { tasks } = await withCases(Object(opened), asked);
    const ids: string[] = [];
    for (const each of tasks)
      for await (const batch of each.dataset.cases())
        ids.push(...batch.map(({ caseId }) => caseId));
    return ids;
  } catch (error) {
    const text = String(error);
    return /matches no case|no case of the suite/.test(text) ? [] : "malformed";
  }
}

async function rendered({ input }: Vector): Promise<Json> {
  const { template, context } = Object(input);
  const vars = context["Vars"] ?? {};
  const header = ["prompt", ...Object.keys(vars)].join(",");
  const row = [template, ...Object.values(vars)].map((each) => JSON.stringify(each)).join(",");
  const found = await translated(evalFile("tasks_from: rows.csv\n"), {
    "rows.csv": `${header}\n${row}\n`,
  });
  return found.kind === "refused" ? "refused" : (rowsIn(found)[0]?.["prompt"] ?? null);
}

async function ranged({ input }: Vector): Promise<Json> {
  const { csv, start, end } = Object(input);
  const rest = `tasks_from: rows.csv\nrange: [${start}, ${end}]\n`;
  const found = await translated(evalFile(rest), { "rows.csv": csv });
  if (found.kind === "refused") return "refused";
  return rowsIn(found).map(({ name = null, prompt = null }) => ({ name, prompt }));
}

async function resources({ input }: Vector): Promise<Json> {
  const { fixtures, files_yaml: listed } = Object(input);
  const text = JSON.stringify({ id: "a", inputs: { prompt: "p", files: listed } });
  const own = Object.entries(fixtures).map(([path, each]) => [`fixtures/${path}`, String(each)]);
  const found = await translated(evalFile(), { "tasks/a.yaml": text, ...Object.fromEntries(own) });
  const files = rowsIn(found)[0]?.["files"] ?? [];
  return (Array.isArray(files) ? files.filter(isJsonObject) : []).map(
    ({ path = "", content = "" }) => ({
      content,
      path,
    }),
  );
}

async function requiredSkills({ input }: Vector): Promise<Json> {
  const { required, discovered: there } = Object(input);
  const names = Object.keys(there);
  const config = `, skill_directories: ${JSON.stringify(names)}, required_skills: ${JSON.stringify(required)}`;
  return taken(evalFile("", grader, config), { ...task, ...skillsOf(names) });
}

function skillsOf(names: readonly string[]): Files {
  return Object.fromEntries(
    names.map((name) => [`${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n---\n`]),
  );
}

async function discovered({ input, expected }: Vector): Promise<Json> {
  const { files, dirs } = Object(input);
  const names = Object.keys(Object(expected.value));
  const config = `, skill_directories: ${JSON.stringify(dirs)}, required_skills: `;
  const found = await taken(evalFile("", grader, `${config}${JSON.stringify(names)}`), {
    ...task,
    ...files,
  });
  const other = await taken(evalFile("", grader, `${config}[a]`), { ...task, ...files });
  return found === "taken" && other === "refused" ? "taken" : "refused";
}

async function skillName({ input, expected }: Vector): Promise<Json> {
  const name = expected.value === undefined ? "none" : textIn(expected.value);
  const config = `, skill_directories: [k], required_skills: [${name}]`;
  const found = await taken(evalFile("", grader, config), { ...task, "k/SKILL.md": textIn(input) });
  return found === "taken" ? name : "refused";
}
