import { describe, expect, test } from "vitest";
import type { Run } from "../../../src/model/outcomes/run.ts";
import type { Sample } from "../../../src/model/outcomes/sample.ts";
import { renderJunit } from "../../../src/report/exports/junit.ts";
import { openJunit } from "../../../src/results/junit/junit.ts";
import { readXml } from "../../../src/results/junit/xml-events.ts";
import { readAll, sourceOf } from "../../support/result-source.ts";
import { failed, grey, inconclusive, neutral, passed, rule } from "../examples.ts";

const sample: Sample = {
  id: "s",
  object: "eval.sample",
  run_id: "run_1",
  task_id: "qa",
  model: "main",
  case_id: "c1",
  sample_index: 0,
  repeat: 0,
  dataset_row: {},
  prompt: "p",
  target: "42",
  response_id: null,
  output_text: "41",
  incomplete: false,
  transcript: null,
  extracted_output: null,
  scores: { exact_match: 1 },
  judge: null,
  printed: null,
  model_calls: null,
  status: "completed",
  error: null,
  usage: null,
  cached: false,
  latency_ms: 1500,
  created_at: "2026-07-14T10:15:00Z",
  completed_at: "2026-07-14T10:15:01Z",
};

async function render(run: Run, ...samples: readonly Partial<Sample>[]): Promise<string> {
  const all = samples.map((change): Sample => Object.assign({}, sample, change));
  const pieces = renderJunit([
    {
      run,
      samples: async function* each() {
        yield* all;
      },
    },
  ]);
  return (await Array.fromAsync(pieces)).join("");
}

const broken = {
  stage: "generate",
  fault: "infra",
  type: "timeout",
  message: "no answer",
} as const;

describe("a run as JUnit XML", () => {
  test("the gate and its rules, then a suite for each task, a test for each sample", async () => {
    const xml = await render(
      failed,
      {},
      {
        case_id: "c2",
        scores: { exact_match: 0, words: 3.5 },
        judge: { explanation: "42 was asked for" },
        latency_ms: null,
      },
      { case_id: "c3", scores: {}, error: broken },
    );
    expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="regrade">
  <testsuite name="support-bot.gate" tests="4" failures="2" errors="0" skipped="0" time="0.000" timestamp="2026-07-14T10:15:00Z">
    <testcase classname="support-bot.gate" name="verdict">
      <failure message="${failed.gate.reasons.join("&#10;")}" type="fail"/>
    </testcase>
    <testcase classname="support-bot.gate" name="qa/exact_match max_drop 0.02">
      <failure message="−5.0 points (88.8% → 83.8%), a proven drop" type="drop_proven"/>
    </testcase>
    <testcase classname="support-bot.gate" name="qa/exact_match min 0.8"/>
    <testcase classname="support-bot.gate" name="qa/latency_seconds max_rise 0.5"/>
  </testsuite>
  <testsuite name="support-bot.qa" tests="3" failures="1" errors="1" skipped="0" time="3.000" timestamp="2026-07-14T10:15:00Z">
    <testcase classname="support-bot.qa" name="c1" time="1.500">
      <properties>
        <property name="exact_match" value="1"/>
      </properties>
    </testcase>
    <testcase classname="support-bot.qa" name="c2">
      <properties>
        <property name="exact_match" value="0"/>
        <property name="words" value="3.5"/>
      </properties>
      <failure message="exact_match is 0: expected &#34;42&#34;, got &#34;41&#34;" type="exact_match">expected: 42
output: 41
grader: 42 was asked for</failure>
    </testcase>
    <testcase classname="support-bot.qa" name="c3" time="1.500">
      <error message="no answer" type="infra.timeout">expected: 42
output: 41</error>
    </testcase>
  </testsuite>
</testsuites>
`);
  });

  test.each([
    ["passed", passed, undefined],
    ["grey", grey, undefined],
    ["failed", failed, "failure"],
    ["inconclusive", inconclusive, "error"],
    ["neutral", neutral, "skipped"],
  ])("the verdict of a run that %s", async (_, run, element) => {
    const xml = await render(run);
    const verdict = /name="verdict"(?:\/>|>\n\s*<(\w+))/.exec(xml);
    expect(verdict?.[1]).toBe(element);
  });

  test("a rule that only warns fails nothing", async () => {
    const missed = { outcome: "missed", code: "beyond_limit", reason: "too low" } as const;
    const rules = [rule({ ...missed, level: "warn" }), rule({ ...missed, level: "block" })];
    const xml = await render({ ...passed, gate: { ...passed.gate, rules } });
    expect(xml.match(/<failure message="too low" type="beyond_limit"\/>/g)).toHaveLength(1);
  });

  test("graded scores neither pass nor fail", async () => {
    const metrics = failed.metrics.map((metric) => ({ ...metric, scale: "graded" as const }));
    const xml = await render({ ...failed, metrics }, { scores: { exact_match: 0 } });
    expect(suiteOf(xml)).toContain('failures="0"');
  });

  test("of a metric of which less is better 0 is right", async () => {
    const [task] = Object.values(failed.suite.tasks);
    if (task === undefined) throw new Error("no task");
    const metrics = task.metrics.map((metric) => ({ ...metric, higher_is_better: false }));
    const suite = { ...failed.suite, tasks: { qa: { ...task, metrics, repeats: 2 } } };
    const run = { ...failed, suite };
    const scores = [{ exact_match: 0 }, { exact_match: 1 }];
    const xml = await render(run, ...scores.map((each, repeat) => ({ scores: each, repeat })));
    expect(suiteOf(xml)).toContain('tests="2" failures="1"');
    expect(xml).toMatch(/name="c1 \[2\]" time="1.500">\n(?:.*\n){3}\s*<failure/);
  });

  test("candidates are told apart where there are several, each a suite", async () => {
    const candidates = [
      ...failed.candidates,
      { id: "other", kind: "command", model: null } as const,
    ];
    const xml = await render({ ...failed, candidates }, {}, { model: "other" }, { case_id: "c2" });
    expect(xml).toContain('<testsuite name="support-bot.qa.main" tests="2"');
    expect(xml).toContain('<testsuite name="support-bot.qa.other" tests="1"');
  });

  test("what has no score of the main metric is an error", async () => {
    const invalid = { judge: { invalid: true }, scores: {} };
    const xml = await render(failed, invalid, { case_id: "c2", scores: { other: 1 } });
    expect(suiteOf(xml)).toContain('errors="2"');
    expect(xml).toContain('message="no score for exact_match" type="grader.no_score"');
  });
});

describe("hostile texts", () => {
  const hostile = `"]]><!--&'\u001b[31mred\u001b[0m\u0000\u202e\ud800\n::error::x</testsuite>\t<!DOCTYPE x>`;

  test("are texts, in whatever place", async () => {
    const change = {
      case_id: hostile,
      scores: { exact_match: 0 },
      target: hostile,
      output_text: hostile,
      judge: { explanation: hostile },
    };
    const error = { ...broken, type: hostile, message: hostile };
    const run = { ...failed, suite: { ...failed.suite, name: hostile } };
    const xml = await render(run, change, { ...change, error });
    const names: string[] = [];
    for await (const events of readXml(sourceOf(xml, "junit.xml")))
      for (const event of events) if (event.kind === "open") names.push(event.name);
    const known = "testsuites testsuite testcase properties property failure error".split(" ");
    expect(new Set(names)).toEqual(new Set(known));
    // oxlint-disable-next-line no-control-regex -- none of them may be left
    expect(xml).not.toMatch(/[\0-\u0008\u000b-\u001f\u202e\ud800]/);
  });

  test("are cut where they are long", async () => {
    const xml = await render(failed, {
      scores: { exact_match: 0 },
      output_text: "x".repeat(100_000),
    });
    expect(xml.length).toBeLessThan(10_000);
    expect(xml).toContain("98000 more characters");
  });
});

test("comes back as it went: the samples, and what became of them", async () => {
  const xml = await render(
    failed,
    {},
    { case_id: "c2", scores: { exact_match: 0 } },
    { case_id: "c3", scores: {}, error: broken },
  );
  const { rows } = await readAll(openJunit, sourceOf(xml, "junit.xml"));
  const samples = rows.filter(({ fields }) => fields["suite"] === "support-bot.qa");
  expect(samples.map(({ id, result, scores }) => [id, result.kind, scores["pass"]])).toEqual([
    ["support-bot.qa::c1", "scored", 1],
    ["support-bot.qa::c2", "scored", 0],
    ["support-bot.qa::c3", "failed", undefined],
  ]);
});

/** The second suite's head. */
function suiteOf(xml: string): string {
  return [...xml.matchAll(/<testsuite .*>/g)].at(1)?.[0] ?? "";
}

test("JUnit XML tells a task's name, type and identifiers", async () => {
  const [task = "", spec] = Object.entries(passed.suite.tasks)[0] ?? [];
  if (spec === undefined) throw new Error("no task");
  const labels = { name: "Questions <hard>", type: "qa", metadata: { source: "x", n: 3 } };
  const suite = { ...passed.suite, tasks: { [task]: { ...spec, ...labels } } };
  const xml = await render({ ...passed, suite }, { task_id: task });
  expect(xml).toContain('<property name="name" value="Questions &#60;hard&#62;"/>');
  expect(xml).toContain('<property name="type" value="qa"/>');
  expect(xml).toContain('<property name="metadata.source" value="x"/>');
  expect(xml).toContain('<property name="metadata.n" value="3"/>');
  expect(await render(passed, { task_id: task })).not.toContain(
    '<properties>\n      <property name="name"',
  );
});
