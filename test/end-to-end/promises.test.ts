import { readFile, writeFile } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { expectRefusal, jsonLines, regrade, type CliEnd } from "../support/cli.ts";
import { suiteFiles, type SuiteParts } from "../support/suite-files.ts";

/** What the verdict promises, each through dist/ as a user would see it: a base, a change, and what is said of it. */

interface Judged {
  readonly end: CliEnd;
  readonly run: Run;
}

function start(fixture: FsFixture, argv: readonly string[]): Promise<CliEnd> {
  return regrade(argv, { in: fixture.path });
}

async function judge(fixture: FsFixture, baseline: string, out: string): Promise<Judged> {
  const argv = ["run", "evals/qa.yaml", "--baseline", baseline, "--out", out, "--no-cache"];
  const end = await start(fixture, argv);
  if (end.code === 2) throw new Error(end.stderr);
  return { end, run: JSON.parse(await readFile(fixture.getPath(out, "run.json"), "utf8")) as Run };
}

type Files = Readonly<Record<string, string>>;

async function against(base: Files, head: Files) {
  const fixture = await createFixture(base);
  await judge(fixture, "none", "base");
  for (const [path, text] of Object.entries(head)) await writeFile(fixture.getPath(path), text);
  const found = await judge(fixture, "base", "out");
  const again = await start(fixture, ["compare", "base", "out", "--json"]);
  // Of a promise about the verdict: it is the same whoever asks again.
  expect(JSON.stringify((JSON.parse(again.stdout) as Run).gate)).toBe(
    JSON.stringify(found.run.gate),
  );
  return { ...found, fixture, [Symbol.asyncDispose]: () => fixture.rm() };
}

/** By their places: 18 that break, 6 that are fixed, 21 that are wrong on both sides, and 195 that are right. */
const [broken, fixed, wrong] = [18, 24, 45];

/** What answers with `answers.json`, and fails where there is none. */
const app = `import json, sys
answers = json.load(open("answers.json"))
for line in sys.stdin:
    asked = json.loads(line)
    text = answers[asked["prompt"]]
    said = {"error": "out of memory"} if text is None else {"output_text": text}
    print(json.dumps({"id": asked["id"], **said}), flush=True)
`;

const grader = `def grade(sample, item):
    if sample["output_text"] == "??":
        return True
    right = float(sample["output_text"] == item["a"])
    return {"scores": {"exact_match": right, "short": 1.0, "polite": 1.0}}
`;

function example(answer: (i: number) => string | null | undefined): Files {
  const parts = {
    cases: 240,
    grader: "{ type: python, file: grader.py }",
    candidates: "{ main: { worker: [python3, -S, app.py] } }",
    gate: "{ confirm: never, rules: [{ metric: exact_match, max_drop: 0.02 }, { metric: short, max_drop: 0.02 }, { metric: polite, max_drop: 0.02 }] }",
    more: [
      "metrics:",
      ...["exact_match", "short", "polite"].map(
        (id) => `  - { id: ${id}, aggregation: mean, range: [0, 1], scale: binary }`,
      ),
    ],
  };
  const given = (i: number): string | null => {
    const said = answer(i);
    return said === undefined ? String(i + 1) : said;
  };
  const answers = Array.from({ length: 240 }, (_, i) => [`What is ${i}+1?`, given(i)]);
  return {
    ...suiteFiles(parts),
    "evals/app.py": app,
    "evals/grader.py": grader,
    "evals/answers.json": JSON.stringify(Object.fromEntries(answers)),
  };
}

/** To the last digit that is shown. */
const to = (value: number, digits: number): unknown => expect.closeTo(value, digits);

it("240 cases, 213 → 201 right: each figure of a run.json is as documented, to the last digit", async () => {
  const base = example((i) => (i >= broken && i < wrong ? "no" : undefined));
  const head = example((i) => {
    // Of the 18 that break one fails, two can't be scored, and 15 are wrong.
    if (i === 0) return null;
    if (i < 3) return "??";
    return i < broken || (i >= fixed && i < wrong) ? "no" : undefined;
  });
  await using judged = await against(base, head);
  const { run, end } = judged;
  expect(end.code, end.stderr).toBe(1);
  expect(run.request_counts).toEqual({ total: 240, completed: 239, failed: 1 });
  expect(run.cases).toMatchObject({
    declared: 240,
    scored: 237,
    invalid: 2,
    failed: 1,
    ungraded: 0,
    paired: 240,
    new: 0,
    missing: 0,
    renamed: 0,
  });
  const metric = run.metrics.find((each) => each.metric === "exact_match");
  expect(metric).toMatchObject({
    value: 0.8375,
    n: 240,
    stderr: to(0.0239, 4),
    ci: [to(0.786, 3), to(0.879, 3)],
    ci_method: "wilson",
  });
  expect(run.gate.verdict).toBe("fail");
  expect(run.gate.rules.find((rule) => rule.metric === "exact_match")).toMatchObject({
    kind: "max_drop",
    prove: "drop",
    level: "block",
    value: 0.8375,
    baseline: 0.8875,
    delta: -0.05,
    delta_ci: [to(-0.086, 3), to(-0.017, 3)],
    ci_level: 0.9,
    test: "mcnemar_midp",
    p: to(0.0073, 4),
    p_adjusted: to(0.0219, 4),
    broke: 18,
    fixed: 6,
    mde: to(0.0633, 4),
    limit: 0.02,
    outcome: "missed",
    code: "drop_proven",
  });
});

interface Kept {
  readonly name: string;
  readonly base: SuiteParts;
  readonly head: SuiteParts;
  readonly verdict: Run["gate"]["verdict"];
  /** Of the first rule. */
  readonly code?: string;
  readonly says?: string;
}

const gate = "{ max_drop: 0.02 }";
const wrongBelow = (n: number) => (i: number) => (i < n ? "no" : undefined);
const parsing =
  "{ type: python, metric_id: right, source: \"def grade(s, i): return float(int(s['output_text']) == int(i['a']))\" }";
const right = ["metrics: [{ id: right, range: [0, 1], scale: binary }]"];

const promises: readonly Kept[] = [
  {
    name: "8 cases with a drop of a quarter fail nobody, and the words say what could have been seen",
    base: { cases: 8 },
    head: { cases: 8, answer: wrongBelow(2) },
    verdict: "pass",
    code: "drop_not_proven",
    says: "8 cases detect ≥",
  },
  {
    name: "no case that changed is a pass",
    base: { answer: wrongBelow(7) },
    head: { answer: wrongBelow(7) },
    verdict: "pass",
    code: "no_drop_detected",
  },
  {
    name: "all right and all right is a pass, not a lack of data",
    base: {},
    head: {},
    verdict: "pass",
    code: "no_drop_detected",
  },
  {
    name: "all right and all wrong is a fail, not a lack of data",
    base: {},
    head: { answer: () => "no" },
    verdict: "fail",
    code: "drop_proven",
  },
  {
    name: "40 of 100 cases that are gone fail, though only good ones are left",
    base: { cases: 100, answer: (i) => (i < 60 ? undefined : "no") },
    head: { cases: 60 },
    verdict: "fail",
    says: "40 cases",
  },
  {
    name: "20 of 240 that broke, with none fixed, fail",
    base: { cases: 240 },
    head: { cases: 240, answer: wrongBelow(20) },
    verdict: "fail",
    code: "drop_proven",
  },
  {
    name: "a tenth of the outputs that the grader can't read any more fails",
    base: { cases: 100, grader: parsing, more: right },
    head: { cases: 100, grader: parsing, more: right, answer: wrongBelow(10) },
    verdict: "fail",
    code: "drop_proven",
    says: "10 ",
  },
  {
    name: "a metric that is called otherwise is missing, and fails",
    base: { grader: parsing, more: right },
    head: {
      grader: parsing.replace("right", "better"),
      more: ["metrics: [{ id: better, range: [0, 1], scale: binary }]"],
    },
    verdict: "fail",
    says: "right",
  },
  {
    name: "another candidate in the only slot, under another name, is compared",
    base: { candidates: "{ gpt-old: { replay: outputs.jsonl } }" },
    head: { candidates: "{ gpt-new: { replay: outputs.jsonl } }", answer: wrongBelow(20) },
    verdict: "fail",
    code: "drop_proven",
  },
];

describe("of a base and a change", () => {
  it.each(promises)("$name", async ({ base, head, verdict, code, says }) => {
    await using judged = await against(
      suiteFiles({ gate, ...base }),
      suiteFiles({ gate, ...head }),
    );
    const { run, end } = judged;
    expect(run.gate.verdict, end.stdout + end.stderr).toBe(verdict);
    if (code !== undefined) expect(run.gate.rules[0]?.code).toBe(code);
    if (says !== undefined) expect(run.gate.reasons.join("\n")).toContain(says);
    expect(run.gate.reasons.join("\n")).not.toMatch(/no data|no regression(?! detected)/i);
  });
});

it("nothing but errors of the infrastructure is an error", async () => {
  const error = { stage: "generate", fault: "infra", type: "timeout", message: "slow" };
  const lines = Array.from({ length: 60 }, (_, i) => ({
    case_id: `c${i}`,
    output_text: null,
    error,
  }));
  const head = { "evals/outputs.jsonl": jsonLines(lines) };
  await using judged = await against(suiteFiles({ gate }), head);
  expect(judged.end.code, judged.end.stderr).toBe(4);
  expect(judged.run.gate.verdict).toBe("error");
  expect(judged.run.cases).toMatchObject({ declared: 60, scored: 0, ungraded: 60 });
});

it("a data set without a case is no run at all, never a pass", async () => {
  await using fixture = await createFixture({ ...suiteFiles({ gate }), "evals/data/qa.jsonl": "" });
  const end = await start(fixture, ["run", "evals/qa.yaml", "--out", "out"]);
  expectRefusal(end, 2);
  expect(end.stderr).toContain("the file is empty");
});

/** Rows without ids: a case is known by its row, but for what only the target uses. */
function withoutIds(prompt: string, label: (i: number) => string): Files {
  const rows = Array.from({ length: 60 }, (_, i) => ({ q: `${i}+1`, hint: `h${i}`, a: label(i) }));
  const echo =
    "import json,re,sys\nfor l in sys.stdin:\n    r=json.loads(l); print(json.dumps({'id': r['id'], 'output_text': str(sum(map(int, re.search(r'(\\d+)\\+(\\d+)', r['prompt']).groups())))}), flush=True)\n";
  return {
    "evals/qa.yaml": [
      "name: qa",
      "dataset: data.jsonl",
      `prompt_template: "${prompt}"`,
      'target_template: "{{a}}"',
      "grader: exact_match",
      "candidates: { app: { worker: [python3, -S, echo.py] } }",
      `gate: ${gate}`,
      "",
    ].join("\n"),
    "evals/data.jsonl": jsonLines(rows),
    "evals/echo.py": echo,
  };
}

it("a label that is corrected, and a prompt with one field more, leave the cases the same; by another label is not compared", async () => {
  const base = withoutIds("What is {{q}}?", (i) => (i === 3 ? "five" : String(i + 1)));
  const head = withoutIds("{{hint}}: what is {{q}}?", (i) => String(i + 1));
  await using judged = await against(base, head);
  const { run, end } = judged;
  expect(run.cases, end.stderr).toMatchObject({ declared: 60, paired: 59, new: 0, missing: 0 });
  expect(run.gate).toMatchObject({ verdict: "pass", rules: [{ broke: 0, fixed: 0, n: 59 }] });
});

it("NaN in a baseline is refused before the first sample", async () => {
  await using fixture = await createFixture(suiteFiles({ gate }));
  await judge(fixture, "none", "base");
  const path = fixture.getPath("base/scores.jsonl");
  const scores = await readFile(path, "utf8");
  await writeFile(path, scores.replace('"exact_match":1', '"exact_match":NaN'));
  const end = await start(fixture, ["run", "evals/qa.yaml", "--baseline", "base", "--out", "out"]);
  expectRefusal(end, 2);
  expect(end.stderr).toContain("base/scores.jsonl:1");
});

it("where lower is better, answers that nobody can score make nothing better", async () => {
  const more = ["metrics: [{ id: errors, higher_is_better: false }]"];
  const source =
    "{ type: python, metric_id: errors, source: \"def grade(s, i): return float(int(s['output_text']) - int(i['a']))\" }";
  const parts = { gate: "{ rules: [{ metric: errors, max_rise: 0.5 }] }", grader: source, more };
  // Off by 10 in a third of the cases; then the same ones can't be read.
  const base = suiteFiles({ ...parts, answer: (i) => (i < 20 ? String(i + 11) : undefined) });
  const head = suiteFiles({ ...parts, answer: wrongBelow(20) });
  await using judged = await against(base, head);
  const [rule] = judged.run.gate.rules;
  expect(judged.run.cases.invalid).toBe(20);
  expect(rule?.value).toBeGreaterThanOrEqual(rule?.baseline ?? Number.POSITIVE_INFINITY);
  expect(rule?.fixed).toBe(0);
});
