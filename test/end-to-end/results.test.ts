/* oxlint-disable unicorn/consistent-function-scoping -- what writes a test's files stands beside them */
import { judgeChange } from "../support/change.ts";
import { copyFile, mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { outcomeOf, type Sample } from "../../src/model/outcomes/sample.ts";
import { parseLines, regrade, repository, type CliEnd } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** Results that other tools recorded, judged by dist/cli.mjs: from the tools' own files, and from broken ones. */

const fixtures = join(repository, "test/fixtures/results");

/** `N` rows of JSON lines; the first `wrong` have the score 0. */
function rows(wrong: number, more: (i: number) => object = () => ({}), count = 60): string {
  return Array.from({ length: count }, (_, i) => {
    const row = { id: `c${i}`, input: `${i}+1`, output: "x", score: i < wrong ? 0 : 1, ...more(i) };
    return `${JSON.stringify(row)}\n`;
  }).join("");
}

async function runIn(fixture: FsFixture, folder: string): Promise<Run> {
  return JSON.parse(await readFile(fixture.getPath(folder, "run.json"), "utf8")) as Run;
}

async function samplesIn(fixture: FsFixture, folder: string): Promise<readonly Sample[]> {
  return parseLines(
    await readFile(fixture.getPath(folder, "samples.jsonl"), "utf8"),
  ) as readonly Sample[];
}

/** Names that cases are given. */
async function namesOf(text: string): Promise<readonly string[]> {
  await using fixture = await createFixture({ "r.jsonl": text });
  await regrade(["run", "--results", "r.jsonl", "--out", "out"], { in: fixture.path });
  return (await samplesIn(fixture, "out")).map(({ case_id }) => case_id);
}

interface Tool {
  readonly name: string;
  readonly format: string;
  readonly base: readonly string[];
  readonly head: readonly string[];
  /** Of head: rows, then those that are failed, invalid and ungraded, then the most repeats of a case. */
  readonly expected: readonly [number, number, number, number, number];
  readonly verdict: string;
  readonly groups?: readonly string[];
}

const lm = (side: string, time: string): readonly string[] => [
  `lm-eval/${side}/samples_ticket_choices_${time}.jsonl`,
  `lm-eval/${side}/samples_tickets_${time}.jsonl`,
];

const tools: readonly Tool[] = [
  {
    name: "promptfoo",
    format: "promptfoo",
    base: ["promptfoo/base.json"],
    head: ["promptfoo/head.json"],
    expected: [28, 2, 2, 4, 2],
    verdict: "fail",
  },
  {
    name: "Inspect",
    format: "inspect",
    base: ["inspect/base.eval"],
    head: ["inspect/head.eval"],
    expected: [22, 2, 0, 2, 2],
    verdict: "fail",
  },
  {
    name: "lm-eval",
    format: "lm-eval",
    base: lm("base", "2026-11-22T09-58-32.121219"),
    head: lm("head", "2026-11-22T09-59-39.344994"),
    expected: [80, 0, 0, 0, 1],
    verdict: "pass",
    groups: ["ticket_choices", "tickets"],
  },
  {
    name: "deepeval",
    format: "deepeval",
    base: ["deepeval/base-single.json"],
    head: ["deepeval/head-single.json"],
    expected: [80, 0, 0, 0, 2],
    verdict: "fail",
  },
  {
    name: "waza",
    format: "waza",
    base: ["waza/base.json"],
    head: ["waza/head.json"],
    expected: [48, 1, 0, 1, 2],
    verdict: "fail",
  },
  {
    name: "k-eval",
    format: "k-eval",
    base: ["k-eval/base.detailed.jsonl"],
    head: ["k-eval/head.detailed.jsonl"],
    expected: [40, 0, 0, 0, 2],
    verdict: "fail",
  },
  {
    name: "Vitest",
    format: "junit",
    base: ["vitest/base.xml"],
    head: ["vitest/head.xml"],
    expected: [45, 0, 0, 0, 1],
    verdict: "fail",
  },
  {
    name: "pytest",
    format: "junit",
    base: ["pytest/base.xml"],
    head: ["pytest/head.xml"],
    expected: [45, 1, 0, 0, 1],
    verdict: "fail",
  },
];

async function copied(tool: Tool): Promise<FsFixture> {
  const fixture = await createFixture({});
  for (const path of [...tool.base, ...tool.head]) {
    await mkdir(dirname(fixture.getPath(path)), { recursive: true });
    await copyFile(join(fixtures, path), fixture.getPath(path));
  }
  return fixture;
}

describe("what the tools recorded", () => {
  const table: string[] = [];
  for (const tool of tools)
    it(`is judged: ${tool.name}`, async () => {
      await using fixture = await copied(tool);
      const flags = ["--format", tool.format, "--name", "app", "--max-drop", "0.02"];
      const base = ["run", "--results", ...tool.base, ...flags, "--out", "base", "-q"];
      const made = await regrade(base, { in: fixture.path });
      expect([0, 1], made.stderr).toContain(made.code);
      const head = [
        "run",
        "--results",
        ...tool.head,
        ...flags,
        "--baseline",
        "base",
        "--out",
        "head",
      ];
      const end = await regrade(head, { in: fixture.path });
      const run = await runIn(fixture, "head");
      const samples = await samplesIn(fixture, "head");
      const count = (outcome: string): number =>
        samples.filter((sample) => outcomeOf(sample) === outcome).length;
      const repeats = Math.max(...samples.map(({ repeat }) => repeat)) + 1;
      const found = [samples.length, count("failed"), count("invalid"), count("ungraded"), repeats];
      table.push(
        `${tool.name.padEnd(10)} ${found.map((n) => String(n).padStart(7)).join(" ")}  ${run.gate.verdict}`,
      );
      expect(found, end.stderr).toEqual(tool.expected);
      expect(run.gate.verdict, end.stdout).toBe(tool.verdict);
      expect(end.code).toBe(tool.verdict === "fail" ? 1 : 0);
      expect(run.results?.[0]?.files).toEqual(tool.head);
      expect(Object.keys(run.suite.tasks)).toEqual(tool.groups ?? Object.keys(run.suite.tasks));
      // The same from the files themselves, with no run directory, and with the format found out.
      const args = ["compare", "base", "--results", ...tool.head, "--max-drop", "0.02", "--json"];
      const compared = await regrade(args, { in: fixture.path });
      const judged = JSON.parse(compared.stdout) as Run;
      expect(judged.gate.rules.map(figures)).toEqual(run.gate.rules.map(figures));
      expect(judged.gate.verdict).toBe(run.gate.verdict);
      await sameByManifest({ fixture, tool, run });
    });

  it("makes a table", () => {
    expect(table).toHaveLength(tools.length);
    process.stdout.write(
      `${["tool          rows  failed invalid ungraded repeats  verdict", ...table].join("\n")}\n`,
    );
  });
});

function figures(rule: Run["gate"]["rules"][number]): object {
  return { ...rule, task: null, reason: null, confirmation: null };
}

/** The same rows through a manifest's `from`, with the same limits. */
async function sameByManifest({
  fixture,
  tool,
  run,
}: {
  readonly fixture: FsFixture;
  readonly tool: Tool;
  readonly run: Run;
}): Promise<void> {
  const rules = run.gate.rules.map(({ metric, task }) => ({
    metric: `${task}/${metric}`,
    max_drop: 0.02,
  }));
  for (const side of ["base", "head"] as const) {
    const tasks = Object.keys(run.suite.tasks).map((id) => ({
      id,
      from: {
        paths: tool[side],
        format: tool.format,
        ...(tool.groups && { group: id }),
      },
    }));
    const manifest = { name: "app", tasks, gate: { rules } };
    await writeFile(fixture.getPath(`${side}.json`), JSON.stringify(manifest));
    const baseline = side === "base" ? "none" : "by-base";
    const args = ["run", `${side}.json`, "--baseline", baseline, "--out", `by-${side}`, "-q"];
    const end = await regrade(args, { in: fixture.path });
    expect([0, 1], end.stderr).toContain(end.code);
  }
  const by = await runIn(fixture, "by-head");
  expect(by.gate.verdict).toBe(run.gate.verdict);
  expect(by.gate.rules.map(figures)).toEqual(run.gate.rules.map(figures));
}

describe("rows of one's own", () => {
  it(
    "give the verdict that the same answers have in a suite that grades them",
    { tags: "smoke" },
    async () => {
      const answer = (wrong: number) => (i: number) => (i < wrong ? "wrong" : undefined);
      const parts = { grader: "exact_match", gate: "{ max_drop: 0.02 }" };
      await using fixture = await createFixture(suiteFiles({ ...parts, answer: answer(3) }));
      const at = { in: fixture.path };
      await regrade(["run", "evals/qa.yaml", "--baseline", "none", "--out", "base", "-q"], at);
      for (const [path, text] of Object.entries(suiteFiles({ ...parts, answer: answer(20) })))
        await writeFile(fixture.getPath(path), text);
      await regrade(["run", "evals/qa.yaml", "--baseline", "base", "--out", "head", "-q"], at);
      const run = await runIn(fixture, "head");
      for (const side of ["base", "head"]) {
        const lines = (await samplesIn(fixture, side)).map(
          ({ case_id, scores, prompt, output_text }) =>
            JSON.stringify({
              id: case_id,
              input: prompt,
              output: output_text,
              score: scores["exact_match"],
            }),
        );
        await writeFile(fixture.getPath(`${side}.jsonl`), `${lines.join("\n")}\n`);
      }
      const end = await regrade(["compare", "base.jsonl", "head.jsonl", "--json"], at);
      const judged = JSON.parse(end.stdout) as Run;
      const [one, other] = [judged.gate.rules[0], run.gate.rules[0]];
      expect(other?.outcome).toBe("missed");
      for (const key of [
        "value",
        "baseline",
        "delta",
        "delta_ci",
        "p",
        "broke",
        "fixed",
        "outcome",
      ] as const)
        expect(one?.[key], key).toEqual(other?.[key]);
    },
  );

  it("keep outcomes, repeats, tokens, cost and time", async () => {
    const row = (more: object): string =>
      `${JSON.stringify({ id: "a", input: "?", output: "!", score: 1, ...more })}\n`;
    await using fixture = await createFixture({
      "r.jsonl": [
        row({
          repeat: 1,
          usage: { input_tokens: 7, output_tokens: 3 },
          cost: 0.25,
          latency_ms: 1500,
        }),
        row({ repeat: 2, score: undefined, error: "exit code 1" }),
        row({ id: "b", repeat: 1, score: undefined, error: { fault: "infra", message: "429" } }),
        row({ id: "b", repeat: 2, score: undefined, error: "bad rubric", fault: "grader" }),
      ].join(""),
    });
    await regrade(["run", "--results", "r.jsonl", "--out", "out", "-q"], { in: fixture.path });
    const samples = await samplesIn(fixture, "out");
    expect(samples.map((each) => [each.case_id, each.repeat, outcomeOf(each)])).toEqual([
      ["a", 0, "scored"],
      ["a", 1, "failed"],
      ["b", 0, "ungraded"],
      ["b", 1, "invalid"],
    ]);
    const run = await runIn(fixture, "out");
    expect(run.usage).toMatchObject({ input_tokens: 7, output_tokens: 3, usd: 0.25 });
    expect(run.metrics).toContainEqual(
      expect.objectContaining({ metric: "latency_seconds", value: 1.5 }),
    );
  });

  it("name cases by what was asked, whatever their order", async () => {
    const lines = (wrong: number): string[] =>
      rows(wrong, () => ({ id: undefined }))
        .trim()
        .split("\n");
    await using fixture = await createFixture({
      "base.jsonl": lines(0).join("\n"),
      "head.jsonl": lines(20).toReversed().join("\n"),
    });
    const end = await regrade(["compare", "base.jsonl", "head.jsonl", "--json"], {
      in: fixture.path,
    });
    expect(end.code, end.stderr).toBe(1);
    expect((JSON.parse(end.stdout) as Run).cases).toMatchObject({ paired: 60, new: 0, missing: 0 });
  });

  it("are read from CSV, by the columns that a manifest names", async () => {
    const csv = (wrong: number): string =>
      [
        "qid,frage,antwort,note,lang",
        ...Array.from(
          { length: 60 },
          (_, i) => `q${i},"what, ${i}?",x,${i < wrong ? 0 : 1},${i % 2 ? "de" : "en"}`,
        ),
        "",
      ].join("\n");
    const manifest = (side: string): string =>
      [
        "name: own",
        "from:",
        `  path: ../${side}.csv`,
        "  columns: { id: qid, input: [frage], output: antwort }",
        "metrics: [{ id: note, range: [0, 1] }]",
        "slices: [lang]",
        "gate: { max_drop: 0.02, rules: [{ metric: note, must_pass: [q59] }] }",
      ].join("\n");
    await using fixture = await createFixture({
      "base.csv": csv(0),
      "head.csv": csv(20),
      "evals/base.yaml": manifest("base"),
      "evals/head.yaml": manifest("head"),
    });
    const at = { in: fixture.path };
    await regrade(["run", "evals/base.yaml", "--out", "base", "-q"], at);
    const end = await regrade(
      ["run", "evals/head.yaml", "--baseline", "base", "--out", "head", "-q"],
      at,
    );
    expect(end.code, end.stderr).toBe(1);
    const run = await runIn(fixture, "head");
    expect(run.gate.rules.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ["max_drop", "missed"],
      ["must_pass", "met"],
    ]);
    expect(run.metrics.filter(({ metric }) => metric === "note").map(({ slice }) => slice)).toEqual(
      [null, "lang=de", "lang=en"],
    );
    expect((await samplesIn(fixture, "head"))[0]).toMatchObject({
      case_id: "q0",
      prompt: "what, 0?",
      output_text: "x",
    });
  });

  it("are judged by limits of metrics that are named, in their own direction and unit", async () => {
    const more = (seconds: number) => (i: number) => ({
      scores: { style: 3 + (i % 3), wait: seconds + i / 100 },
    });
    await using fixture = await createFixture({
      "base.jsonl": rows(0, more(1)),
      "head.jsonl": rows(0, more(1.2)),
    });
    const at = { in: fixture.path };
    const manifest =
      "name: own\nfrom: { path: head.jsonl }\nmetrics: [{ id: style }, { id: wait, higher_is_better: false }]\ngate: { rules: [{ metric: wait, max_rise: 0.1 }] }\n";
    await writeFile(fixture.getPath("head.yaml"), manifest);
    await writeFile(fixture.getPath("base.yaml"), manifest.replace("head.jsonl", "base.jsonl"));
    await regrade(["run", "base.yaml", "--out", "base", "-q"], at);
    const slower = await regrade(["run", "head.yaml", "--baseline", "base", "-q"], at);
    expect(slower.code, slower.stderr).toBe(1);
    const min = [
      "run",
      "--results",
      "head.jsonl",
      "--metric",
      "style",
      "--min",
      "4.5",
      "--out",
      "m",
      "-q",
    ];
    expect((await regrade(min, at)).code).toBe(1);
    expect((await runIn(fixture, "m")).gate.rules).toMatchObject([
      { kind: "min", metric: "style", value: 4 },
    ]);
  });
});

describe("two files of results", () => {
  const twoScores = (wrong: number): string =>
    rows(wrong, (i) => ({ score: undefined, scores: { easy: 1, score: i < wrong ? 0 : 1 } }));
  const compare = async (
    files: Readonly<Record<string, string>>,
    ...flags: readonly string[]
  ): Promise<CliEnd> => {
    await using fixture = await createFixture({ ...files });
    return await regrade(["compare", "base.jsonl", "head.jsonl", ...flags], { in: fixture.path });
  };

  it.each([
    ["comes second", twoScores(20)],
    [
      "is not in the first row",
      rows(20, (i) => ({ ...(i === 0 && { score: undefined }), scores: { easy: 1 } })),
    ],
    ["is gone", rows(20, () => ({ score: undefined, scores: { easy: 1 } }))],
  ])("are judged by the baseline's metric, which %s today", async (_, head) => {
    const files = { "base.jsonl": rows(0), "head.jsonl": head };
    for (const flags of [[], ["--max-drop", "0.02"]]) {
      const end = await compare(files, ...flags);
      expect(end.code, end.stdout + end.stderr).toBe(1);
      expect(end.stdout).toContain("results/score");
    }
    await using fixture = await createFixture(files);
    const at = { in: fixture.path };
    await regrade(["run", "--results", "base.jsonl", "--out", "base", "-q"], at);
    const args = ["run", "--results", "head.jsonl", "--baseline", "base", "--out", "out", "-q"];
    expect((await regrade(args, at)).code).toBe(1);
    expect((await regrade(["compare", "base", "out"], at)).code).toBe(1);
  });

  it.each(["latency_seconds", "latency_ms", "usd", "cost", "output_tokens"])(
    "are worse with more %s, and not better",
    async (metric) => {
      const timed = (figure: number): string =>
        rows(0, (i) => ({ [metric]: figure + i, ...(metric === "output_tokens" && { usd: 1 }) }));
      const files = { "base.jsonl": timed(100), "head.jsonl": timed(190) };
      const flags = ["--metric", metric, "--max-drop", "50"];
      const slower = await compare(files, ...flags);
      expect(slower.code, slower.stdout + slower.stderr).toBe(1);
      expect(slower.stdout).toContain("fails: rise proven");
      const turned = { "base.jsonl": files["head.jsonl"], "head.jsonl": files["base.jsonl"] };
      expect((await compare(turned, ...flags)).code).toBe(0);
    },
  );

  it("may have a metric that the baseline lacks: the others are judged", async () => {
    const files = { "base.jsonl": rows(0), "head.jsonl": twoScores(20) };
    const end = await compare(files, "--metric", "score", "--metric", "easy", "--metric", "score");
    expect(end.code, end.stderr).toBe(1);
    expect(end.stdout).toContain("new metric, not in the baseline");
    expect(end.stdout.match(/^results\/score /gm)).toHaveLength(1);
    const other = await compare(files, "--metric", "score", "--metric", "none");
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("head.jsonl: no row has the metric 'none'");
  });

  it.each([
    ["deepeval", "single.json", "Right Label", "Right_Label"],
    ["lm-eval", "lm.jsonl", "exact_match,strict-match", "exact_match.strict-match"],
  ])("are judged by a metric as the tool names it: %s", async (...[format, name, metric, id]) => {
    await using fixture = await createFixture({});
    const [base] = lm("base", "2026-11-22T09-58-32.121219").slice(1);
    const own = format === "deepeval" ? "deepeval/base-single.json" : (base ?? "");
    await copyFile(join(fixtures, own), fixture.getPath(name));
    const flags = ["--format", format, "--metric", metric, "--metric", id];
    const end = await regrade(["compare", name, name, ...flags], { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout.split("\n").filter((line) => line.includes(`/${id} `))).not.toEqual([]);
  });

  it.each([
    [["--max-drop", "2"], "Write 0.02 for 2 percentage points."],
    [["--min", "5"], "min is 5, and 'results/score' lies between 0 and 1"],
  ])("are not judged by %j, beyond the metric's range", async (flags, words) => {
    const end = await compare({ "base.jsonl": rows(0), "head.jsonl": rows(20) }, ...flags);
    expect(end.code).toBe(2);
    expect(end.stderr).toContain(words);
  });

  it("say which flags are missing, not what a manifest could say", async () => {
    await using fixture = await createFixture({ "r.jsonl": rows(0) });
    const end = await regrade(["run", "--results", "r.jsonl"], { in: fixture.path });
    expect(end.stdout).toContain("give one (baseline), or the lowest value that is allowed (min)");
    expect(end.stdout).not.toContain("gate.");
  });
});

describe("a manifest with `from`", () => {
  it("is judged by the base's policy, with the results as they are here", async () => {
    const suite = (drop: number, more = ""): string =>
      `name: own\nfrom: { path: out.jsonl }\ngate: { max_drop: ${drop} }\n${more}`;
    await using fixture = await createFixture({
      "tree/evals/own.yaml": suite(0.02),
      "evals/own.yaml": suite(0.9, "min_cases: 2\n"),
      "evals/out.jsonl": rows(0),
    });
    const at = { in: fixture.path };
    // Outside of the folder: what a change could have brought in it is no baseline where a base judges.
    await using other = await createFixture({});
    const base = other.getPath("base");
    await regrade(["run", "evals/own.yaml", "--out", base, "-q"], at);
    await writeFile(fixture.getPath("evals/out.jsonl"), rows(20));
    const args = [
      "run",
      "evals/own.yaml",
      "--baseline",
      base,
      "--policy-from",
      "tree",
      "--out",
      "out",
      "-q",
    ];
    const end = await regrade(args, at);
    expect(end.code, end.stderr).toBe(1);
    const run = await runIn(fixture, "out");
    expect(run.policy).toMatchObject({
      base: { verdict: "fail" },
      head: { verdict: "pass" },
      changed: [
        { part: "min_cases", task: "own", effect: "changed" },
        { part: "gate", task: null, effect: "changed" },
      ],
    });
  });

  it.each([
    ["has the results in git", "none", true],
    ["has results that the job made", "out.jsonl", false],
  ])("tells reviewers of a change that %s", async (_, ignored, isTold) => {
    const results = { "out.jsonl": rows(0) };
    const base = {
      "own.yaml":
        "name: own\nfrom: { path: out.jsonl }\ngate: { rules: [{ metric: score, min: 0.5 }] }\n",
      ".gitignore": `${ignored}\n`,
      ...(isTold ? results : {}),
    };
    const made = isTold ? {} : results;
    const head = { "a.txt": "x" };
    await using change = await judgeChange({ base, head, made, argv: ["own.yaml"] });
    expect(change.end.code).toBe(0);
    const note = "`out.jsonl`, which holds the results, is a file of the repository";
    expect(change.run.policy?.changed.some((each) => each.note?.startsWith(note))).toBe(isTold);
    expect(change.summary.includes(note)).toBe(isTold);
  });

  it.each([
    ["promptfoo", "evals/check.py", "checks.json"],
    ["junit", "evals/test_labels.py", "out.xml"],
  ])("tells reviewers of a change that edits what judged results of %s", async (...row) => {
    const [format, judge, path] = row;
    const outcome = {
      success: true,
      score: 1,
      failureReason: 0,
      promptIdx: 0,
      testIdx: 0,
      provider: { id: "p" },
    };
    const asserted = { assert: [{ type: "python", value: "file://check.py:grade" }] };
    const result = { ...outcome, testCase: { vars: { q: "1" }, ...asserted } };
    const results = { results: { version: 3, results: [result] } };
    const base = {
      "own.yaml": `name: own\nfrom: { path: ${path}, format: ${format} }\ngate: { rules: [{ metric: pass, min: 0.5 }] }\n`,
      "checks.json": JSON.stringify(results),
      "out.xml": '<testsuite><testcase classname="evals.test_labels.TestA" name="a"/></testsuite>',
      [judge]: "assert x == 1\n",
      "evals/prompt.py": "x\n",
    };
    const head = { [judge]: "assert x\n", "evals/prompt.py": "y\n" };
    await using change = await judgeChange({ base, head, argv: ["own.yaml"] });
    expect(change.end.code, change.end.stderr).toBe(0);
    const note = `\`${judge}\`, which the results name as what judged them, is edited`;
    expect(change.summary).toContain(note);
    expect(change.summary).not.toContain("prompt.py");
  });

  it("refuses what would run something, all at once", async () => {
    await using fixture = await createFixture({
      "out.jsonl": rows(0),
      "s.yaml": [
        "name: own",
        "from: { path: out.jsonl, format: junit, columns: { id: q } }",
        "dataset: data.jsonl",
        "grader: exact_match",
        "repeats: 3",
        "candidates: { a: { command: [x] } }",
        "run: { max_samples: 5, metadata: { a: b } }",
        "gate: { baseline: { from: rerun } }",
      ].join("\n"),
    });
    const end = await regrade(["validate", "s.yaml"], { in: fixture.path });
    expect(end.code).toBe(2);
    for (const key of [
      "columns",
      "dataset",
      "grader",
      "repeats",
      "candidates",
      "run.max_samples",
      "baseline.from",
    ])
      expect(end.stderr).toContain(key);
    expect(end.stderr).not.toContain("metadata");
  });

  it("says which groups there are where it does not say which one it is", async () => {
    await using fixture = await createFixture({
      "out.jsonl": rows(0, (i) => ({ task: i % 2 ? "one" : "two" })),
      "s.yaml": "name: own\nfrom: { path: out.jsonl }\n",
      "t.yaml": "name: own\nfrom: { path: out.jsonl, group: on }\n",
      "u.yaml": "name: own\nfrom: { path: out.jsonl, group: one }\n",
    });
    const at = { in: fixture.path };
    const [none, wrong, right] = [
      await regrade(["validate", "s.yaml"], at),
      await regrade(["validate", "t.yaml"], at),
      await regrade(["validate", "u.yaml"], at),
    ];
    expect([none.code, wrong.code, right.code]).toEqual([2, 2, 0]);
    expect(none.stderr).toMatch(/s\.yaml:2:1.*two, one/s);
    expect(wrong.stderr).toContain("no group 'on'");
    expect(right.stdout).toContain("30 cases");
  });
});

describe("what can't be judged", () => {
  const refused = async (
    files: Readonly<Record<string, string>>,
    args: readonly string[],
  ): Promise<CliEnd> => {
    await using fixture = await createFixture({ ...files });
    const end = await regrade(["run", ...args, "--out", "out"], { in: fixture.path });
    expect(end.code, end.stdout + end.stderr).toBe(2);
    expect(end.leftovers).toEqual([]);
    expect(end.stderr).not.toContain("    at ");
    await expect(stat(fixture.getPath("out"))).rejects.toThrow("ENOENT");
    return end;
  };
  const names = ["--results", "r.jsonl"];

  it("a file that was cut off, with the row where it ends", async () => {
    const end = await refused({ "r.jsonl": rows(0).slice(0, -20) }, names);
    expect(end.stderr).toMatch(/r\.jsonl: the file ends in the middle of a row, at line 60/);
  });

  it("a file of another version's format, with those that are known", async () => {
    const text = (await readFile(join(fixtures, "promptfoo/base.json"), "utf8")).replace(
      /"version": ?\d+/,
      '"version": 99',
    );
    const end = await refused({ "r.json": text }, ["--results", "r.json", "--format", "promptfoo"]);
    expect(end.stderr).toMatch(/"?99"?.*not known here.*Known are/s);
  });

  it("an id twice, with both places", async () => {
    const end = await refused({ "r.jsonl": rows(0) + rows(0, undefined, 2) }, names);
    expect(end.stderr).toContain("line 61: the case 'c0' is there already, at line 1");
    expect(end.stderr).toContain("line 62: the case 'c1' is there already, at line 2");
  });

  it.each([
    [
      "no repeat and the first one",
      rows(0, (i) => ({ id: `c${i % 2}`, ...(i > 1 && { repeat: 0 }) }), 4),
      "line 3: the case 'c0' is there already, at line 1",
    ],
    [
      "an id like a name that was given",
      '{"input":"a","score":0}\n{"input":"a","score":0}\n',
      "already",
    ],
    [
      "candidates that differ in blanks",
      rows(0, () => ({ model: "m" })) + rows(9, () => ({ model: "m " })),
      '"m" and "m " can\'t be told apart',
    ],
    [
      "a candidate called as one without a name",
      rows(0) + rows(9, () => ({ model: "recorded" })),
      "can't be told apart",
    ],
    [
      "a repeat that is no count",
      rows(0, (i) => ({ repeat: i === 3 ? 1e15 : 0 })),
      "line 4: 'repeat' is 1000000000000000",
    ],
  ])("rows that would be one sample: %s", async (_, text, words) => {
    const [, name = ""] = text.startsWith('{"input"') ? await namesOf(text) : [];
    const more = name === "" ? "" : `${JSON.stringify({ id: name, input: "x", score: 1 })}\n`;
    const end = await refused({ "r.jsonl": text + more }, names);
    expect(end.stderr).toContain(words);
  });

  it("a row that is too large to be kept, named", async () => {
    const output = "x".repeat(17 * 1024 * 1024);
    const row = JSON.stringify({ id: "big", input: "q", output, score: 1 });
    const end = await refused({ "r.jsonl": `${rows(0)}${row}\n` }, names);
    expect(end.stderr).toContain("r.jsonl: line 61, case 'big': the row is larger than 16 MiB");
  });

  it("files that overlap, with both places", async () => {
    const files = { "r.jsonl": rows(0), "s.jsonl": rows(0, undefined, 5) };
    const end = await refused(files, [...names, "s.jsonl"]);
    expect(end.stderr).toContain(
      "s.jsonl: line 1: the case 'c0' is in r.jsonl (line 1) too, and so are 4 more",
    );
  });

  it("the same questions in two files, where no id tells them apart", async () => {
    const text = rows(0, () => ({ id: undefined }), 3);
    const end = await refused({ "r.jsonl": text, "s.jsonl": text }, [...names, "s.jsonl"]);
    expect(end.stderr).toMatch(
      /s\.jsonl: line 1: .* is in r\.jsonl \(line 1\) too, and so are 2 more/,
    );
  });

  it("files of two formats", async () => {
    const files = { "r.jsonl": rows(0), "s.csv": "id,score\nz1,1\n" };
    const end = await refused(files, [...names, "s.csv"]);
    expect(end.stderr).toContain("s.csv: it is a file of csv, and r.jsonl is one of jsonl");
  });

  it.each([
    ["an empty file", "", "is empty"],
    ["no tests", "\n\n", "no tests"],
    ["a field that can't be mapped", '{"id":"a","score":"good"}\n', "line 1: 'score' is \"good\""],
    ["a repeat that is none", '{"id":"a","score":1,"repeat":-1}\n', "'repeat' is -1"],
    [
      "a fault that nobody knows",
      '{"id":"a","error":"x","fault":"me"}\n',
      "candidate, grader or infra",
    ],
    ["neither id nor input", '{"score":1}\n', "'id' is missing"],
    ["an id that is none", '{"id":"  ","score":1}\n', "'id' is"],
  ])("%s", async (_, text, words) => {
    const end = await refused({ "r.jsonl": text }, [...names, "--format", "jsonl"]);
    expect(end.stderr).toContain("r.jsonl");
    expect(end.stderr).toContain(words);
  });

  it("all that is wrong, at once", async () => {
    const text = '{"id":"a","score":"x"}\n[]\n{"id":"b","score":1,"repeat":1.5}\n';
    const end = await refused({ "r.jsonl": text }, [...names, "--format", "jsonl"]);
    expect(end.stderr).toMatch(/line 1.*line 3|:2:|3 problems/s);
    expect(end.stderr).toContain("3 problems");
  });

  it("a file that could be anything", async () => {
    const end = await refused({ "r.txt": "hello\n" }, ["--results", "r.txt"]);
    expect(end.stderr).toContain("the tool that wrote the file can't be recognized");
  });

  it("a metric that no row has, with the one that was meant", async () => {
    const end = await refused({ "r.jsonl": rows(0) }, [...names, "--metric", "scores"]);
    expect(end.stderr).toMatch(/no row has the metric 'scores'|'scores'/);
  });

  it("flags that mean nothing, each named", async () => {
    const end = await refused({ "r.jsonl": rows(0) }, [
      ...names,
      "--resume",
      "--no-cache",
      "--repeats",
      "3",
      "--shard",
      "1/2",
    ]);
    for (const flag of ["--resume", "--no-cache", "--repeats", "--shard"])
      expect(end.stderr).toContain(flag);
  });

  it("leaves nothing of a run whose results are all errors but the verdict `error`", async () => {
    await using fixture = await createFixture({
      "r.jsonl": rows(0, () => ({ score: undefined, error: { fault: "infra", message: "429" } })),
    });
    const end = await regrade(["run", "--results", "r.jsonl", "--out", "out"], {
      in: fixture.path,
    });
    expect(end.code, end.stdout).toBe(4);
    expect((await runIn(fixture, "out")).gate.verdict).toBe("error");
  });

  it("hostile names and outputs stay text", async () => {
    const evil = "::error::x\u001B[31m</details><script>|`\n::set-output name=a::b";
    await using fixture = await createFixture({
      "base.jsonl": rows(0),
      "r.jsonl": rows(20, (i) => ({
        id: i === 0 ? evil : `c${i}`,
        output: evil,
        task: "../../x/y",
        candidate: evil,
      })),
    });
    const args = [
      "run",
      "--results",
      "r.jsonl",
      "--max-drop",
      "0.02",
      "--baseline",
      "base.jsonl",
      "--out",
      "out",
    ];
    const end = await regrade(args, { in: fixture.path });
    expect([0, 1], end.stderr).toContain(end.code);
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(end.stdout).not.toMatch(/^::|\u001B\[31m/m);
    const summary = await readFile(fixture.getPath("out/summary.md"), "utf8");
    expect(summary).not.toMatch(/<script>|^::/m);
    expect(Object.keys((await runIn(fixture, "out")).suite.tasks)).toEqual(["x-y"]);
  });
});

describe("a file of 300 MB", () => {
  it("is streamed: memory stays far below it", { tags: "long", timeout: 300_000 }, async () => {
    await using fixture = await createFixture({});
    const path = fixture.getPath("big.jsonl");
    const file = await open(path, "w");
    const output = "word ".repeat(2000);
    for (let i = 0; i < 30_000; i += 500) {
      const text = Array.from({ length: 500 }, (_, j) =>
        JSON.stringify({ id: `c${i + j}`, input: `q ${i + j}`, output, score: (i + j) % 2 }),
      ).join("\n");
      await file.write(`${text}\n`);
    }
    await file.close();
    expect((await stat(path)).size).toBeGreaterThan(300e6);
    let peak = 0;
    const end = await regrade(["run", "--results", "big.jsonl", "--out", "out", "-q"], {
      in: fixture.path,
      meanwhile: async ({ child }) => {
        while (child.exitCode === null && child.signalCode === null) {
          const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
          peak = Math.max(peak, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0));
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      },
    });
    expect(end.code, end.stderr).toBe(0);
    expect((await runIn(fixture, "out")).request_counts.total).toBe(30_000);
    process.stdout.write(`300 MB: ${Math.round(peak / 1024)} MiB at most\n`);
    if (process.platform === "linux") expect(peak).toBeLessThan(260 * 1024);
  });
});
