import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { readRunDirectory, regrade } from "../support/cli.ts";

/** An eval file of waza whose executor is its stand-in for an agent. */
function evalFile(graders: string, { trials = 1, more = "" } = {}): string {
  return `name: code explainer
skill: code-explainer
version: "1.0"
config:
  trials_per_task: ${trials}
  timeout_seconds: 30
  executor: mock
  model: m1
graders:
${graders}
metrics:
  - { name: task_completion, weight: 1.0, threshold: 0.8 }
tasks: ["tasks/*.yaml"]
${more}`;
}

const tasks = {
  "tasks/a.yaml": "id: a\nname: Refund\ninputs:\n  prompt: How do I get a refund?\n",
  "tasks/b.yaml":
    "id: b\nname: Greet\ninputs:\n  prompt: hello\ngraders:\n  - name: own check\n    type: code\n    weight: 0.5\n    assertions: [\"'hello' in output\"]\n",
};

const passing = `  - type: text
    name: says_mock
    weight: 2
    config: { contains: ["mock response"], regex_match: ["^Mock"] }
  - type: code
    name: short
    config: { assertions: ["len(output) < 100", "tool_calls == [] and errors == []"] }`;

describe("an eval file of waza", () => {
  it("runs as it is, every trial of every task, and passes where all graders pass", async () => {
    await using fixture = await createFixture({
      "eval.yaml": evalFile(passing, { trials: 3 }),
      ...tasks,
    });
    const at = { in: fixture.path };
    const end = await regrade(["run", "eval.yaml", "--out", "run"], at);
    expect(end.code, end.stderr).toBe(0);
    const { run, samples: found } = await readRunDirectory(join(fixture.path, "run"));
    const samples = found.toSorted((a, b) => a.sample_index - b.sample_index);
    expect(samples.map(({ case_id, output_text }) => [case_id, output_text])).toEqual([
      ...Array.from({ length: 3 }, () => ["a", "Mock response for: How do I get a refund?"]),
      ...Array.from({ length: 3 }, () => ["b", "Mock response for: hello"]),
    ]);
    expect(samples[3]?.scores).toMatchObject({ says_mock: 1, short: 1, own_check: 1, passed: 1 });
    expect(run.suite.name).toBe("code-explainer");
    expect(end.stderr).toContain("waza computes no metric but trigger_accuracy: task_completion");
  });

  it("fails where one task does not pass, weighs its graders, and says what failed", async () => {
    const failing = `${passing}\n  - type: keyword\n    name: polite\n    config: { must_contain: [refund, please] }`;
    await using fixture = await createFixture({ "eval.yaml": evalFile(failing), ...tasks });
    const at = { in: fixture.path };
    const end = await regrade(["run", "eval.yaml", "--out", "run"], at);
    expect(end.code, end.stderr).toBe(1);
    const { samples: found } = await readRunDirectory(join(fixture.path, "run"));
    const samples = found.toSorted((a, b) => a.sample_index - b.sample_index);
    expect(samples[0]?.scores).toMatchObject({ polite: 0.5, passed: 0 });
    // Weights 2, 1 and 1 of the file, 0.5 of the task.
    expect(samples[0]?.scores["score"]).toBeCloseTo((2 + 1 + 0.5) / 4, 9);
    expect(samples[1]?.scores["score"]).toBeCloseTo((2 + 1 + 0 + 0.5) / 4.5, 9);
    expect(JSON.stringify(samples[0]?.judge)).toContain("Missing expected keyword: please");
  });

  it.skipIf(process.platform !== "linux")(
    "grades by programs, scripts and assertions in JavaScript, of all tasks and of one",
    async () => {
      const graders = `  - { type: program, name: quality, config: { command: python3, args: [graders/quality.py] } }
  - { type: program, name: shell, config: { command: sh, args: [-c, 'test -d "$WAZA_WORKSPACE_DIR"'], timeout: 5 } }
  - { type: script, name: old, config: { script: graders/old.py } }
  - { type: code, name: js, config: { language: javascript, assertions: ["output.length > 3", "tool_calls.length === 0"] } }`;
      await using fixture = await createFixture({
        "eval.yaml": evalFile(graders),
        ...tasks,
        "tasks/b.yaml":
          "id: b\nname: Greet\ninputs:\n  prompt: hello\ngraders:\n  - { name: of one, type: program, config: { command: python3, args: [graders/quality.py, strict] } }\n",
        "graders/quality.py":
          "import sys, words\nsys.exit(0 if words.fine(sys.stdin.read()) and 'strict' not in sys.argv else 'too strict')\n",
        "graders/words.py": "def fine(text):\n    return text.startswith('Mock response')\n",
        "graders/old.py":
          "import json, sys\ngiven = json.load(sys.stdin)\nprint(json.dumps({'score': 0.75, 'passed': True, 'message': given['task']['id'], 'details': {'seen': sorted(given)}}))\n",
      });
      const end = await regrade(["run", "eval.yaml", "--out", "run"], { in: fixture.path });
      const { samples: found } = await readRunDirectory(join(fixture.path, "run"));
      const samples = found.toSorted((a, b) => a.sample_index - b.sample_index);
      const [a, b] = samples.map(({ scores }) => scores);
      expect(a, end.stderr).toMatchObject({ quality: 1, shell: 1, old: 0.75, js: 1, passed: 1 });
      expect(b).toMatchObject({ quality: 1, old: 0.75, js: 1, of_one: 0, passed: 0 });
      expect(a?.["score"]).toBeCloseTo(3.75 / 4, 9);
      const judged = JSON.stringify(samples[1]?.judge);
      expect(judged).toContain("Program exited with error: exit status 1; stderr: too strict");
      expect(judged).toContain('"seen":["duration_ms","errors",');
      expect(end.code, end.stderr).toBe(1);
    },
  );

  it("is compared with an earlier run where there is one: what failed before blocks no more", async () => {
    const failing = "  - { type: text, name: polite, config: { contains: [please] } }";
    await using fixture = await createFixture({ "eval.yaml": evalFile(failing), ...tasks });
    const at = { in: fixture.path };
    const first = await regrade(["run", "eval.yaml", "--out", "before"], at);
    expect(first.code, first.stderr).toBe(1);
    const again = await regrade(["run", "eval.yaml", "--baseline", "before", "--out", "now"], at);
    expect(again.code, again.stderr).toBe(0);
  });

  it("is used by a manifest with candidates and a gate of its own", async () => {
    await using fixture = await createFixture({
      "eval.yaml": evalFile(passing),
      ...tasks,
      "suite.yaml": JSON.stringify({
        uses: "eval.yaml",
        candidates: { echo: { command: ["cat"] } },
        gate: { rules: [{ metric: "short", min: 1 }] },
      }),
    });
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    const { samples } = await readRunDirectory(join(fixture.path, "run"));
    expect(samples.map((each) => each.output_text ?? "").toSorted()).toEqual([
      "How do I get a refund?",
      "hello",
    ]);
    expect(end.code, end.stderr).toBe(0);
  });
});

describe("an eval file of waza with baseline: true", () => {
  const skill = "---\nname: explain\ndescription: Explains.\n---\nExplain.\n";

  it("compares the agent with its skills and without, within the run", async () => {
    await using fixture = await createFixture({
      "eval.yaml": evalFile(passing, { more: "baseline: true" }).replace(
        "  model: m1",
        "  model: m1\n  skill_directories: [skill]\n  required_skills: [explain]",
      ),
      "skill/SKILL.md": skill,
      ...tasks,
    });
    const end = await regrade(["run", "eval.yaml", "--out", "run"], { in: fixture.path });
    const { run } = await readRunDirectory(join(fixture.path, "run"));
    expect(
      run.candidates.map(({ id }) => id),
      end.stderr,
    ).toEqual(["m1", "m1-without-skills"]);
    const against = run.gate.rules.filter((rule) => rule.against === "m1-without-skills");
    expect(against.map(({ metric, candidate }) => [metric, candidate])).toEqual([
      ["score", "m1"],
      ["passed", "m1"],
    ]);
    expect(end.code).toBe(0);
    await regrade(["report", "run", "--as", "waza", "--out", "out"], { in: fixture.path });
    const written: unknown = JSON.parse(
      await readFile(join(fixture.path, "out/results.json"), "utf8"),
    );
    const impact = { pass_rate_with_skills: 1, pass_rate_baseline: 1, delta: 0 };
    expect(written).toMatchObject({
      is_baseline: true,
      tasks: [{ skill_impact: impact }, { skill_impact: impact }],
      summary: { statistics: { normalized_gain: 0 } },
      baseline_outcome: { tasks: [{ test_id: "a" }, { test_id: "b" }] },
    });
  });

  it("is refused before anything runs where a skill that it needs is not there", async () => {
    await using fixture = await createFixture({
      "eval.yaml": evalFile(passing).replace(
        "  model: m1",
        "  model: m1\n  skill_directories: [skill]\n  required_skills: [explian]",
      ),
      "skill/SKILL.md": skill,
      ...tasks,
    });
    const end = await regrade(["run", "eval.yaml"], { in: fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("required skills are not found: explian");
    expect(end.stderr).toContain("there are explain");
  });
});

const triggers = `skill: code-explainer
should_trigger_prompts:
  - { prompt: Explain this code, reason: plain, confidence: high }
  - { prompt: What does this do?, confidence: medium }
should_not_trigger_prompts:
  - { prompt: Explain my bill }
  - { prompt: Fix the bug, confidence: medium }
`;

/** An agent that takes the skill whenever it is asked to explain. */
const agent = `import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    steps = [{"type": "skill", "name": "code-explainer"}] if "Explain" in asked["prompt"] else []
    answer = {"id": asked["id"], "output_text": "Mock response", "transcript": [*steps, {"type": "end", "reason": "done", "turns": 1}]}
    print(json.dumps(answer), flush=True)
`;

it("is written as waza's own results: names, types, weights and trigger tests, errors among them", async () => {
  await using fixture = await createFixture({
    "eval.yaml": evalFile(
      `${passing}\n  - { type: keyword, name: is polite, config: { must_contain: [please, mock] } }`,
    ).replace(
      / {2}- \{ name: task_c.*\n/,
      "  - { name: trigger_accuracy, threshold: 0.6, weight: 30 }\n",
    ),
    "trigger_tests.yaml": triggers.replace("Fix the bug", "Fix the bug (crash)"),
    "agent.py": agent.replace(
      "asked = json.loads(line)",
      'asked = json.loads(line)\n    if "crash" in asked["prompt"]: sys.exit(3)',
    ),
    "suite.yaml": JSON.stringify({
      uses: "eval.yaml",
      candidates: { agent: { worker: ["python3", "agent.py"] } },
    }),
    ...tasks,
  });
  const at = { in: fixture.path };
  await regrade(["run", "suite.yaml", "--out", "run"], at);
  const end = await regrade(["report", "run", "--as", "waza", "--out", "out"], at);
  expect(end.code, end.stderr).toBe(0);
  const written: unknown = JSON.parse(
    await readFile(join(fixture.path, "out/results.json"), "utf8"),
  );
  expect(written).toMatchObject({
    skill: "code-explainer",
    eval_name: "code explainer",
    metrics: {
      trigger_accuracy: {
        identifier: "trigger_accuracy",
        value: 0.3333,
        threshold: 0.6,
        passed: false,
        weight: 30,
      },
    },
    trigger_metrics: { errors: 1, true_positives: 1, false_positives: 2, false_negatives: 1 },
  });
  const told = JSON.stringify(written);
  expect(told).toContain('"display_name":"Refund"');
  expect(told).toContain(
    '"is polite":{"identifier":"is polite","type":"keyword","score":0.5,"weight":1,"passed":false',
  );
  expect(told).toContain(
    '"says_mock":{"identifier":"says_mock","type":"text","score":1,"weight":2,"passed":true',
  );
});

describe("trigger tests beside an eval file", () => {
  const asked = "  - { name: trigger_accuracy, threshold: 0.6 }";

  it("run by themselves, weigh prompts by confidence, and fail the run below their threshold", async () => {
    await using fixture = await createFixture({
      "eval.yaml": evalFile(passing).replace(/ {2}- \{ name: task_c.*\n/, `${asked}\n`),
      "trigger_tests.yaml": triggers,
      "agent.py": agent,
      "suite.yaml": JSON.stringify({
        uses: "eval.yaml",
        candidates: { agent: { worker: ["python3", "agent.py"] } },
      }),
      ...tasks,
    });
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    const { run, samples } = await readRunDirectory(join(fixture.path, "run"));
    const values = run.metrics
      .filter(({ task, slice }) => task === "trigger" && slice === null)
      .map(({ metric, value }) => [metric, value] as const);
    // Right: 1 and 0.5; wrong: a prompt of weight 0.5 that is for it, and one of 1 that is not.
    expect(Object.fromEntries(values)).toMatchObject({ accuracy: 0.5, precision: 0.5 });
    expect(Object.fromEntries(values)["recall"]).toBeCloseTo(2 / 3, 9);
    expect(samples.filter(({ scores }) => scores["correct"] === 0)).toHaveLength(2);
    expect(end.stdout + end.stderr).toContain("trigger/accuracy");
    expect(end.code, end.stderr).toBe(1);
  });

  it("are told to say nothing where the executor is waza's stand-in", async () => {
    await using fixture = await createFixture({
      "eval.yaml": evalFile(passing),
      "trigger_tests.yaml": triggers,
      ...tasks,
    });
    const end = await regrade(["run", "eval.yaml", "--out", "run"], { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    expect(end.stderr).toContain("every prompt does what is expected of it, as in waza");
  });

  it("are refused with a confidence that is none, at its line", async () => {
    await using fixture = await createFixture({
      "eval.yaml": evalFile(passing),
      "trigger_tests.yaml": triggers.replace("confidence: high", "confidence: low"),
      ...tasks,
    });
    const end = await regrade(["validate", "eval.yaml"], { in: fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("trigger_tests.yaml:3");
    expect(end.stderr).toContain("must be high or medium");
  });
});

const plain = "  - { type: text, name: g, config: { contains: [a] } }";

/** What is refused, and what its message must have. */
interface Refused {
  readonly graders: string;
  readonly more?: string;
  readonly said: readonly string[];
}

const refusals: Readonly<Record<string, Refused>> = {
  "a misspelt key": {
    graders: "  - { type: text, name: g, config: { contain: [x] } }",
    said: ["eval.yaml:10", "`contain`", "Did you mean contains?"],
  },
  "a check that checks nothing": {
    graders: "  - { type: text, name: g, config: { contains: [] } }",
    said: ["checks nothing, and would always pass"],
  },
  "a config that is not there": {
    graders: "  - { type: code, name: g }",
    said: ["checks nothing"],
  },
  "a misspelt type": {
    graders: "  - { type: txt, name: g, config: {} }",
    said: ["Did you mean text?"],
  },
  "a pattern that is none": {
    graders: "  - { type: regex, name: g, config: { must_match: ['('] } }",
    said: ["no pattern of RE2"],
  },
  "graders of one name": {
    graders: `${plain}\n  - { type: text, name: g, config: { contains: [b] } }`,
    said: ["two graders of one task are called"],
  },
  people: {
    graders: "  - { type: human, name: g, config: {} }",
    said: ["regrade show RUN CASE"],
  },
  calibration: {
    graders: "  - { type: human_calibration, name: g }",
    said: ["regrade calibrate"],
  },
  hooks: {
    graders: plain,
    more: "hooks: { before_run: [{ command: make }] }",
    said: ["`hooks`", "put the commands into the workflow"],
  },
  "a key that nobody reads": {
    graders: plain,
    more: "baselines: true",
    said: ["`baselines`", "Did you mean baseline?"],
  },
};

describe("an eval file of waza is refused for", () => {
  it.each(Object.entries(refusals))("%s", async (_, { graders, said, more = "" }) => {
    await using fixture = await createFixture({
      "eval.yaml": evalFile(graders, { more }),
      ...tasks,
    });
    const end = await regrade(["run", "eval.yaml", "--out", "run"], { in: fixture.path });
    expect(end.code, end.stderr).toBe(2);
    for (const words of said) expect(end.stderr).toContain(words);
  });

  it("being Vally's", async () => {
    await using fixture = await createFixture({
      "eval.yaml": "name: v\nstimuli: [{ prompt: x }]\n",
    });
    const end = await regrade(["run", "eval.yaml"], { in: fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("the file is Vally's");
  });

  it("having no task file", async () => {
    await using fixture = await createFixture({ "eval.yaml": evalFile(plain) });
    const end = await regrade(["run", "eval.yaml"], { in: fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain('no task file matches "tasks/*.yaml"');
  });
});
