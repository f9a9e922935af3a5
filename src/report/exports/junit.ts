import { ownValue } from "../../model/own-value.ts";
import { hasEarlier } from "../../model/outcomes/attempts.ts";
import type { MetricValue, Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import { outcomeOf, type Sample } from "../../model/outcomes/sample.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import { answerText } from "../../model/models/transcript.ts";
import { graderWords } from "../words/grader-words.ts";
import { clip, escapeXml, escapeXmlAttribute } from "../escape.ts";
import { ruleName } from "../words/rules.ts";
import type { ExportedRun } from "./exported.ts";

/**
 * Runs as JUnit XML, for tools that show tests: a suite with the gate's rules, and one for each task and candidate. The
 * text comes in pieces, a test each, because a run may have a million.
 *
 * A sample whose main metric is 0 or 1 fails with the worse of the two; a sample without a score is an error. Graded
 * scores neither pass nor fail: they are listed, and the rules judge them.
 */
export async function* renderJunit(runs: readonly ExportedRun[]): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="regrade">\n';
  for (const { run, samples } of runs) {
    yield gateSuite(run);
    for (const group of await countGroups(run, samples())) {
      yield openSuite(group.name, { ...group, timestamp: run.created_at });
      yield taskProperties(ownValue(run.suite.tasks, group.task));
      for await (const sample of samples())
        if (nameOf(run, sample) === group.name) yield sampleCase(run, sample);
      yield closeSuite;
    }
  }
  yield "</testsuites>\n";
}

interface Counts {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
  seconds: number;
}

interface Group extends Counts {
  readonly name: string;
  readonly task: string;
}

async function countGroups(run: Run, samples: AsyncIterable<Sample>): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  for await (const sample of samples) {
    const name = nameOf(run, sample);
    const known = groups.get(name) ?? { name, task: sample.task_id, ...nothing };
    groups.set(name, known);
    count(known, endOf(run, sample).kind);
    known.seconds += (sample.latency_ms ?? 0) / 1000;
  }
  return [...groups.values()];
}

const nothing = { tests: 0, failures: 0, errors: 0, skipped: 0, seconds: 0 };

/** Result of a test. `passed` includes values that were only measured. */
type End =
  | { readonly kind: "passed" }
  | {
      readonly kind: "failure" | "error" | "skipped";
      readonly type: string;
      readonly message: string;
    };

function count(counts: Counts, kind: End["kind"]): void {
  counts.tests += 1;
  if (kind === "failure") counts.failures += 1;
  if (kind === "error") counts.errors += 1;
  if (kind === "skipped") counts.skipped += 1;
}

/**
 * `support-bot.qa`, with the candidate if there are several. It is the same in every run, because tools track tests by
 * it.
 */
function nameOf({ suite, candidates }: Run, { task_id, model }: Sample): string {
  const parts = [suite.name, task_id, ...(candidates.length > 1 ? [model] : [])];
  return parts.join(".");
}

function openSuite(name: string, counts: Counts & { readonly timestamp: string }): string {
  const { tests, failures, errors, skipped, seconds, timestamp } = counts;
  return `  <testsuite${attributes({ name, tests, failures, errors, skipped, time: time(seconds), timestamp })}>\n`;
}

const closeSuite = "  </testsuite>\n";

/** Name, type and identifiers of the task in the manifest. */
function taskProperties(task: Run["suite"]["tasks"][string] | undefined): string {
  const { name, type, metadata = {} } = task ?? {};
  const given: readonly (readonly [string, unknown])[] = [
    ["name", name],
    ["type", type],
    ...Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value] as const),
  ];
  const lines = given.flatMap(([key, value]) =>
    value === undefined
      ? []
      : [`      <property${attributes({ name: key, value: textOf(value) })}/>\n`],
  );
  return lines.length === 0 ? "" : `    <properties>\n${lines.join("")}    </properties>\n`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The verdict and each rule as tests, which fail if the gate fails. */
function gateSuite(run: Run): string {
  const name = `${run.suite.name}.gate`;
  const tests: readonly (readonly [string, End])[] = [
    ["verdict", verdictEnd(run)],
    ...run.gate.rules.map((rule) => [ruleTitle(run, rule), ruleEnd(rule)] as const),
  ];
  const counts = { ...nothing };
  for (const [, { kind }] of tests) count(counts, kind);
  const cases = tests.map(([title, end]) => testcase({ classname: name, name: title }, { end }));
  return `${openSuite(name, { ...counts, timestamp: run.created_at })}${cases.join("")}${closeSuite}`;
}

function ruleTitle(run: Run, rule: RuleResult): string {
  return `${ruleName(run, rule)} ${rule.kind} ${rule.limit}`;
}

function verdictEnd({ gate: { verdict, reasons } }: Run): End {
  const said = { type: verdict, message: reasons.join("\n") };
  switch (verdict) {
    case "pass":
      return { kind: "passed" };
    case "fail":
      return { kind: "failure", ...said };
    case "error":
    case "inconclusive":
      return { kind: "error", ...said };
    case "neutral":
      return { kind: "skipped", ...said };
  }
}

/** A rule that does not block never fails its test. */
function ruleEnd({ outcome, level, code, reason }: RuleResult): End {
  const said = { type: code, message: reason };
  if (outcome === "unmeasured") return { kind: "skipped", ...said };
  if (outcome === "met" || level !== "block") return { kind: "passed" };
  return { kind: outcome === "missed" ? "failure" : "error", ...said };
}

function sampleCase(run: Run, sample: Sample): string {
  const { case_id, repeat, task_id, latency_ms, scores } = sample;
  const isRepeated =
    (ownValue(run.suite.tasks, task_id)?.repeats ?? 1) > 1 || hasEarlier(run.attempts);
  const named = {
    classname: nameOf(run, sample),
    name: isRepeated ? `${case_id} [${repeat + 1}]` : case_id,
    ...(latency_ms !== null && { time: time(latency_ms / 1000) }),
  };
  const properties = Object.entries(scores).map(([name, value]) => [name, String(value)] as const);
  const end = endOf(run, sample);
  return testcase(named, { end, properties, body: end.kind === "passed" ? "" : bodyOf(sample) });
}

function endOf(run: Run, sample: Sample): End {
  const { error } = sample;
  if (error !== null)
    return { kind: "error", type: `${error.fault}.${error.type}`, message: error.message };
  const main = ownValue(run.suite.tasks, sample.task_id)?.metrics[0];
  if (outcomeOf(sample) === "invalid")
    return { kind: "error", type: "grader.invalid", message: "the grader's result is invalid" };
  if (main === undefined) return { kind: "passed" };
  const score = ownValue(sample.scores, main.id);
  if (score === undefined) {
    // A batch grader may give a sample no score.
    if (Object.keys(sample.scores).length === 0) return { kind: "passed" };
    return { kind: "error", type: "grader.no_score", message: `no score for ${main.id}` };
  }
  const isRight = score === (main.higher_is_better ? 1 : 0);
  if (isRight || !isBinary(main, sample, run)) return { kind: "passed" };
  return { kind: "failure", type: main.id, message: `${main.id} is ${score}${difference(sample)}` };
}

/** The short text of a failed test, which tools show before the test is opened. */
function difference(sample: Sample): string {
  const { target, extracted_output: extracted } = sample;
  const answer = extracted ?? answerText(sample);
  if (target === null || target === "" || answer === null) return "";
  return `: expected ${shortText(target)}, got ${answer === "" ? "nothing" : shortText(answer)}`;
}

function shortText(text: string): string {
  return JSON.stringify(clip(text, longestBrief));
}

function isBinary(main: MetricSpec, { task_id, model }: Sample, run: Run): boolean {
  const isIt = ({ task, candidate, metric, slice }: MetricValue): boolean =>
    task === task_id && candidate === model && metric === main.id && slice === null;
  return run.metrics.find(isIt)?.scale === "binary";
}

const longestText = 2000;
const longestBrief = 80;

/** The target, the answer, and the grader's message. */
function bodyOf(sample: Sample): string {
  const { target, judge, scores } = sample;
  const parts = [
    ["expected", target],
    ["output", answerText(sample)],
    ["grader", graderWords({ score: 0, judge, scores })],
  ] as const;
  return parts
    .flatMap(([name, text]) =>
      text === null || text === "" ? [] : [`${name}: ${clip(text, longestText)}`],
    )
    .join("\n");
}

function testcase(
  named: Readonly<Record<string, string>>,
  parts: {
    readonly end: End;
    readonly properties?: readonly (readonly [string, string])[];
    readonly body?: string;
  },
): string {
  const { end, properties = [], body = "" } = parts;
  const inner = [
    ...(properties.length === 0
      ? []
      : [
          "      <properties>",
          ...properties.map(([name, value]) => `        <property${attributes({ name, value })}/>`),
          "      </properties>",
        ]),
    ...(end.kind === "passed" ? [] : [`      ${element(end, body)}`]),
  ];
  const open = `    <testcase${attributes(named)}`;
  if (inner.length === 0) return `${open}/>\n`;
  return `${open}>\n${inner.join("\n")}\n    </testcase>\n`;
}

function element(end: Exclude<End, { kind: "passed" }>, body: string): string {
  const { kind, type } = end;
  const message = clip(end.message, longestText);
  const open = `<${kind}${attributes({ message, type })}`;
  return body === "" ? `${open}/>` : `${open}>${escapeXml(body)}</${kind}>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXmlAttribute(String(value))}"`)
    .join("");
}

/** Seconds in JUnit's form. */
function time(seconds: number): string {
  return seconds.toFixed(3);
}
