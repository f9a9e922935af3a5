import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { regrade } from "../support/cli.ts";
import { itSome } from "../support/rows.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

interface Vector {
  readonly id: string;
  readonly grader: string;
  readonly config: JsonObject | null;
  readonly input: JsonObject;
  readonly expected: { readonly value?: unknown; readonly error?: string };
}

const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];

function vectorsOf(kind: string): readonly Vector[] {
  return all.filter(({ grader }) => grader === kind);
}

type Files = Readonly<Record<string, string>>;

const head =
  'name: e\nskill: s\nversion: "1.0"\nconfig: { trials_per_task: 1, timeout_seconds: 5, executor: mock, model: m }\n';

/** Commands of waza as ours: their flags by the same meaning, or why there are none. */
const commands: Readonly<Record<string, readonly string[] | string>> = {
  "e2.cli.two-models-two-files": "models are candidates of a manifest",
  "e2.cli.baseline-with-skills-and-identical-results-1-no-improvement":
    "equal passes here, and the flag is a key of the file",
  "e2.cli.compare-never-gates-regression-0": "totals without runs are refused",
  "e2.cli.compare-json-with-disjoint-tasks-fails-on-nan-2": "totals without runs are refused",
  "e2.cli.compare-json-same-tasks": "totals without runs are refused",
  "e2.cli.compare-one-file-2": ["compare", "a.json"],
  "e2.cli.compare-invalid-format-2": ["compare", "a.json", "b.json", "--format", "xml"],
  "e2.cli.task-filter-by-name": ["run", "eval.yaml", "--out", "run", "--where", "name=B"],
  "e2.cli.tags-filter-on-untagged-2": ["run", "eval.yaml", "--where", "tags=x"],
  "e2.cli.junit-reporter-on-success": ["run", "eval.yaml", "--out", "run", "--junit", "r.xml"],
};

describe.skipIf(all.length === 0)("waza's command line", () => {
  itSome(vectorsOf("@cli"))("ends with the same exit code: $id", async (vector) => {
    const { id, input, expected } = vector;
    const argv = commands[id] ?? ["run", "eval.yaml", "--out", "run"];
    if (typeof argv === "string") return expect(id).toMatch(/compare|models|baseline/);
    await using fixture = await createFixture(Object(input["files"]) as Files);
    const end = await regrade(argv, { in: fixture.path });
    const { exit_code: wanted } = Object(expected.value);
    expect(end.code, end.stderr).toBe(wanted);
    if (argv.includes("--junit")) expect(existsSync(fixture.getPath("r.xml"))).toBe(true);
  });
});

/** An agent that does and says what its script has for a prompt. */
const agent = `import json, os, sys
script = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "agent.json")))
answer = (script.get(sys.stdin.read()) or script["*"])[0]
if "error" in answer:
    sys.exit(3)
for path, text in (answer.get("files") or {}).items():
    open(path, "w").write(text)
for step in answer.get("steps") or []:
    print(json.dumps(step))
print(json.dumps({"type": "answer", "output_text": answer["output"]}))
`;

async function ran(files: Files, script: object) {
  await using fixture = await createFixture({
    ...files,
    "agent.py": agent,
    "agent.json": JSON.stringify(script),
  });
  const command = ["python3", fixture.getPath("agent.py")];
  const m = { agent: { command, events: "regrade" }, workspace: "empty" };
  const suite = { uses: "eval.yaml", candidates: { m } };
  await fixture.writeFile("suite.yaml", JSON.stringify(suite));
  await fixture.mkdir("empty");
  await fixture.writeFile("empty/.keep", "");
  const at = { in: fixture.path };
  const end = await regrade(["run", "suite.yaml", "--out", "run"], at);
  if (end.code === 2) return { ...end, told: undefined };
  await regrade(["report", "run", "--as", "waza", "--out", "out"], at);
  const told: JsonObject = JSON.parse(await readFile(fixture.getPath("out/results.json"), "utf8"));
  return { ...end, told };
}

/** Two graders of one name, and kinds of other versions: docs/waza.md, "Differences". */
const otherGraders: Readonly<Record<string, string>> = {
  "e2.run_graders.task-grader-with-the-same-name-overrides-the-global-one": "refused",
  "e2.run_graders.unknown-grader-type-aborts-all-grading": "taken",
};

describe.skipIf(all.length === 0)("waza's graders together", () => {
  itSome(vectorsOf("@run_graders"))("$id", async ({ id, input, expected }) => {
    const { eval_yaml: text, task_yaml: task, output } = Object(input);
    const files = {
      "eval.yaml": `${text}tasks: ["tasks/*.yaml"]\n`,
      "tasks/a.yaml": `${task}inputs: { prompt: p }\n`,
    };
    const { code, told, stderr } = await ran(files, { "*": [{ output }] });
    const own = otherGraders[id];
    if (own !== undefined) return expect(code === 2, stderr).toBe(own === "refused");
    if (expected.error !== undefined) return expect(code).toBe(2);
    const wanted = Object.entries(Object(expected.value)).map(([name, each]) => {
      const { score, passed, feedback, weight, type } = Object(each);
      return [name, { identifier: name, score, passed, feedback, weight, type }] as const;
    });
    expect(told, stderr).toMatchObject({
      tasks: [{ runs: [{ validations: Object.fromEntries(wanted) }] }],
    });
  });

  itSome(vectorsOf("@task_graders"))("$id", async ({ config, input, expected }) => {
    const { output, tool_events: events, workspace } = Object(input);
    const steps = events.map(({ tool_name: name, args, sequence }: JsonObject) => ({
      type: "tool_call",
      id: `${Number(sequence)}`,
      name,
      arguments: args,
    }));
    const task = { id: "a", inputs: { prompt: "p" }, graders: config?.["graders"] };
    const files = {
      "eval.yaml": `${head}tasks: ["tasks/*.yaml"]\n`,
      "tasks/a.yaml": JSON.stringify(task),
    };
    const answer = { output, steps, files: workspace.files };
    const { code, stderr } = await ran(files, { "*": [answer] });
    const { all_passed: isPassed } = Object(expected.value);
    expect(code, stderr).toBe(isPassed === true ? 0 : 1);
  });
});

/** An answer that is an error and a use of the skill at once: a candidate's answer is one of the two. */
const otherTriggers = ["e2.trigger_run.response-error-message"];

describe.skipIf(all.length === 0)("waza's trigger tests, run", () => {
  const same = vectorsOf("@trigger_run").filter(({ id }) => !otherTriggers.includes(id));
  itSome(same)("$id", async ({ input, expected }) => {
    const { spec_yaml: spec, agent: script, eval_skill: skill } = Object(input);
    const files = {
      "eval.yaml": `${head.replace("skill: s", `skill: ${skill}`)}graders: [{ type: text, name: g, config: { contains: [x] } }]\ntasks: ["tasks/*.yaml"]\n`,
      "tasks/a.yaml": "id: a\ninputs: { prompt: task }\n",
      "trigger_tests.yaml": String(spec),
    };
    const answers = Object.entries(Object(script)).map(([prompt, list]) => {
      const [first = {}] = Array.isArray(list) ? list : [];
      const { skill_invocations: skills = [], ...answer } = Object(first);
      const steps = skills.map((name: string) => ({ type: "skill", name }));
      return [prompt, [{ ...answer, steps }]] as const;
    });
    const task = [{ output: "x" }];
    const { told, stderr } = await ran(files, { task, ...Object.fromEntries(answers) });
    const { metrics, results } = Object(expected.value);
    expect(told?.["trigger_metrics"], stderr).toMatchObject(metrics);
    const seen = results.map(({ prompt, did_trigger, should_trigger }: JsonObject) => ({
      prompt,
      did_trigger,
      should_trigger,
    }));
    expect(told?.["trigger_results"]).toMatchObject(seen);
  });
});

/** Figures of runs that waza recorded, as a report in its format has them: by the field that a vector is about. */
const figures: Readonly<Record<string, (value: unknown) => object>> = {
  "@run_score": (value) => ({ avg_score: value }),
  "@weighted_run_score": (value) => ({ avg_weighted_score: value }),
  "@test_stats": (value) => Object(value),
};

describe.skipIf(all.length === 0)("figures of recorded runs are waza's", () => {
  const vectors = Object.keys(figures).flatMap(vectorsOf);
  it.each(vectors.filter(({ expected }) => expected.value !== null))("$id", async (vector) => {
    const { grader, input, expected } = vector;
    const run = { run_number: 1, status: "passed", duration_ms: 1, ...input };
    const runs = (Array.isArray(input) ? input : [run]).map(withFeedback);
    await using fixture = await createFixture({
      "results.json": JSON.stringify({
        eval_name: "e",
        config: { model_id: "m", engine_type: "mock", runs_per_test: runs.length },
        tasks: [{ test_id: "a", status: "passed", runs }],
      }),
    });
    const at = { in: fixture.path };
    const results = ["run", "--results", "results.json", "--format", "waza", "--out", "run"];
    const end = await regrade(results, at);
    await regrade(["report", "run", "--as", "waza", "--out", "out"], at);
    const told = JSON.parse(await readFile(fixture.getPath("out/results.json"), "utf8"));
    for (const [key, wanted] of Object.entries(figures[grader]?.(expected.value) ?? {})) {
      const found: unknown = told.tasks[0].stats[key];
      if (typeof wanted === "number") expect(found, `${key} ${end.stderr}`).toBeCloseTo(wanted, 9);
      else if (typeof wanted === "boolean") expect(found, key).toBe(wanted);
    }
  });
});

/** What each grader of waza gives, and the vectors leave out. */
function withFeedback(run: JsonObject): JsonObject {
  const graders = Object.entries(Object(run["validations"] ?? {})).map(([name, grade]) => [
    name,
    { identifier: name, passed: Object(grade).score === 1, feedback: "", ...Object(grade) },
  ]);
  return { ...run, validations: Object.fromEntries(graders) };
}
