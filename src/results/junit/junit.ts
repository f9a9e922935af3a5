import { createHash } from "node:crypto";
import { createDigestTable, shortDigest } from "../../ledger/digest-table.ts";
import type { OpenedResults, ResultMetric, ResultRow } from "../../model/results.ts";
import type { Scores } from "../../model/outcomes/sample.ts";
import { createComplaints, type Complaints } from "../complaints.ts";
import { createCaseReader, type JunitCase } from "./junit-cases.ts";
import type { LooksLike, OpenResults, ResultSource } from "../source.ts";
import { createToolMetrics, type ToolMetrics } from "../tool-metrics.ts";
import { readXml } from "./xml-events.ts";
import { metricId } from "../metric-id.ts";
import { problem } from "../../model/refusal.ts";

/**
 * JUnit's XML, as nearly every test runner writes it. A test that passes scores 1, one that fails 0; one that ends with an
 * error gave no answer; one that is skipped is left out, so that a test which ran before counts as missing.
 */
export const openJunit: OpenResults = async (source, shape): Promise<OpenedResults> => {
  const wanted = shape.metrics.map(metricId);
  const metrics = createToolMetrics(source.path, wanted);
  return { tool: "JUnit XML", rows: rowsOf(source, { wanted, metrics }), metrics: metrics.list };
};

interface Reading {
  /** The requested metrics: `pass`, or numeric properties of the tests. */
  readonly wanted: readonly string[];
  readonly metrics: ToolMetrics;
}

/**
 * A test may be listed several times: for retries, for failures in the test and in its teardown, and for different tests
 * of one name. A first pass finds the duplicates, so that nothing else is held in memory.
 */
async function* rowsOf(source: ResultSource, reading: Reading): AsyncGenerator<ResultRow> {
  const complaints = createComplaints(source.path);
  const counts = await countRepeated(source, complaints);
  complaints.refuse();
  const waiting = new Map<string, JunitCase[]>();
  for await (const test of casesOf(source, complaints)) {
    const count = counts.get(test.id) ?? 1;
    const tests = [...(waiting.get(test.id) ?? []), test];
    if (tests.length < count) {
      waiting.set(test.id, tests);
      continue;
    }
    waiting.delete(test.id);
    const row = rowOf(worstOf(test, tests), { ...reading, file: source.path, complaints });
    if (row !== undefined && !complaints.any()) yield row;
  }
  complaints.refuse();
}

/** Counts of duplicate test names. */
async function countRepeated(
  source: ResultSource,
  complaints: Complaints,
): Promise<ReadonlyMap<string, number>> {
  const seen = createDigestTable();
  const counts = new Map<string, number>();
  for await (const { id } of casesOf(source, complaints)) {
    const key = shortDigest(createHash("sha256").update(id).digest("hex"));
    const before = seen.get(key);
    seen.set(key, (before ?? 0) + 1);
    if (before !== undefined) counts.set(id, before + 1);
  }
  return counts;
}

async function* casesOf(source: ResultSource, complaints: Complaints): AsyncGenerator<JunitCase> {
  const reader = createCaseReader(source.path, complaints);
  for await (const events of readXml(source)) for (const event of events) yield* reader.push(event);
}

const severity = { failure: 0, error: 1, passed: 2, skipped: 3 } as const;

/** The worst result: a test that passed once and failed once has failed. */
function worstOf(first: JunitCase, tests: readonly JunitCase[]): JunitCase {
  return tests.reduce(
    (worst, test) => (severity[test.end.kind] < severity[worst.end.kind] ? test : worst),
    first,
  );
}

function rowOf(test: JunitCase, reading: Reading & Told): ResultRow | undefined {
  const { end } = test;
  if (end.kind === "skipped") return undefined;
  const scores = scoresOf(test, reading);
  const taken = reading.metrics.take(end.kind === "error" ? {} : scores, knownMetric);
  const isScored = Object.keys(taken).length > 0;
  // The test has none of the requested metrics, so it is about something else.
  if (!isScored && end.kind === "passed") return undefined;
  return {
    at: `line ${test.line}`,
    task: null,
    candidate: null,
    id: test.id,
    input: { test: test.id },
    repeat: null,
    prompt: test.id,
    target: null,
    output: null,
    result: isScored || end.kind === "passed" ? { kind: "scored" } : { ...end, kind: "failed" },
    scores: taken,
    judges: test.sources,
    explanation: end.kind === "failure" && isScored ? end.message : null,
    fields: Object.fromEntries(
      Object.entries(test.fields).filter(([name]) => !reading.wanted.includes(metricId(name))),
    ),
    usage: null,
    latencyMs: test.seconds === null ? null : test.seconds * 1000,
  };
}

interface Told {
  readonly file: string;
  readonly complaints: Complaints;
}

const own = "pass";

function knownMetric(id: string): Partial<ResultMetric> {
  return { range: id === own ? [0, 1] : null };
}

/** `pass`, and the numeric properties named by the requested metrics. */
function scoresOf(
  { end, properties, line }: JunitCase,
  { wanted, file, complaints }: Reading & Told,
): Scores {
  const scores = new Map([[own, end.kind === "passed" ? 1 : 0]]);
  for (const [name, text] of wanted.length === 0 ? [] : Object.entries(properties)) {
    const id = metricId(name);
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (id === own) continue;
    if (Number.isFinite(value)) scores.set(id, value);
    else if (wanted.includes(id)) {
      const found = { found: JSON.stringify(text.slice(0, 60)), expected: "a number" };
      const said = { at: `line ${line}`, field: `property ${name}`, ...found };
      complaints.add([problem("results_field", said, { file })]);
    }
  }
  return Object.fromEntries(scores);
}

/** Recognizes JUnit by the root element, after a declaration and comments. */
export const looksLikeJunit: LooksLike = ({ text }) =>
  /^(?:\s|<\?[^>]*>|<!--[\s\S]*?-->)*<testsuites?[\s/>]/.test(text.slice(0, 4096));
