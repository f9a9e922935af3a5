import { isJsonObject, type Json } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { OpenedResults, ResultRow } from "../../model/results.ts";
import { createComplaints } from "../complaints.ts";
import { readResultLines } from "../json-lines.ts";
import { formatJsonPath, readJsonFile } from "../json-stream.ts";
import { nameCandidates, promptOf, type AskedPrompt } from "./promptfoo-candidates.ts";
import { createTestNames, namedTest } from "./promptfoo-case.ts";
import { createRowReader } from "./promptfoo-row.ts";
import { metricId } from "../metric-id.ts";
import { readRecord } from "../record.ts";
import type { LooksLike, OpenResults, ResultSource } from "../source.ts";
import { createToolMetrics, type ToolMetrics } from "../tool-metrics.ts";

/** Reads the output of `promptfoo eval -o out.json` or `-o out.jsonl`. */
export const openPromptfoo: OpenResults = async (source, shape): Promise<OpenedResults> => {
  const metrics = createToolMetrics(source.path, shape.metrics.map(metricId), mainMetrics);
  const isLines = await holdsLines(source);
  const version = isLines ? undefined : await versionIn(source);
  return {
    tool: version === undefined ? "promptfoo" : `promptfoo ${version}`,
    rows: rowsOf(source, isLines ? readResultLines : readDocument, metrics),
    metrics: metrics.list,
  };
};

/** promptfoo's own two metrics. The first, whether the test passed, is the main one. */
const mainMetrics = ["pass", "score"];

/** A row with its position. */
interface FoundRow {
  readonly value: Json;
  readonly at: string;
}

type ReadRows = (source: ResultSource) => AsyncIterable<FoundRow>;

/** Reads the file twice: the prompts that were asked, and the tests that are alike, are known only after the last row. */
async function* rowsOf(
  source: ResultSource,
  read: ReadRows,
  metrics: ToolMetrics,
): AsyncGenerator<ResultRow> {
  const complaints = createComplaints(source.path);
  const prompts = new Map<string, AskedPrompt>();
  const names = createTestNames();
  for await (const { value, at } of read(source)) {
    if (!isJsonObject(value)) continue;
    const prompt = promptOf(value);
    if (prompt !== undefined) prompts.set(`${prompt.index} ${prompt.provider}`, prompt);
    names.see(namedTest(readRecord(value, { file: source.path, at })));
  }
  const candidates = nameCandidates([...prompts.values()]);
  const reader = createRowReader(source.path, { candidates, names, metrics });
  for await (const { value, at } of read(source)) {
    const row = reader.read(value, at);
    if ("problems" in row) complaints.add(row.problems);
    else if (!complaints.any()) yield row;
  }
  complaints.refuse();
}

/** The version of the shape of `results`; version 2 was a table, and older ones have other names. */
const knownVersion = 3;

async function* readDocument(source: ResultSource): AsyncGenerator<FoundRow> {
  let isKnown = false;
  for await (const { path, value } of readJsonFile(source, [
    "$.results.version",
    "$.results.results.*",
  ])) {
    if (path[1] === "version") {
      requireVersion(value, source.path);
      isKnown = true;
    } else yield { value, at: formatJsonPath(path) };
  }
  if (!isKnown) throw notPromptfoo(source.path);
}

function requireVersion(found: Json, file: string): void {
  if (found === knownVersion) return;
  const said = {
    tool: "promptfoo",
    found: `results.version ${JSON.stringify(found)}`,
    known: [`results.version ${knownVersion} (promptfoo 0.121.20 was tried)`],
  };
  throw new Refusal(problem("results_version", said, { file, path: "results.version" }));
}

function notPromptfoo(file: string): Refusal {
  const expected = 'an object with "results.version" and "results.results"';
  return new Refusal(problem("results_not_format", { format: "promptfoo", expected }, { file }));
}

const headBytes = 64 * 1024;

/** Recognized by the first key that belongs to a row or to a document, at any position: keys may be sorted. */
async function holdsLines(source: ResultSource): Promise<boolean> {
  const rows = rowKeys.map((key) => `$.${key}`);
  try {
    const file = { path: source.path, bytes: () => byLines(source.bytes()) };
    for await (const { path } of readJsonFile(file, [
      ...rows,
      "$.results.version",
      "$.results.*.*",
    ]))
      return path[0] !== "results";
  } catch (cause) {
    // Reading the rows will report it, after earlier problems.
    if (!(cause instanceof Refusal)) throw cause;
  }
  return false;
}

/** Splits the text into lines, so that the first line's key is found before a second line makes the JSON invalid. */
async function* byLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const newline = 0x0a;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      yield chunk.subarray(from, at + 1);
      from = at + 1;
    }
    yield chunk.subarray(from);
  }
}

/** The tool's version is near the end. */
async function versionIn(source: ResultSource): Promise<string | undefined> {
  const text = await textAt(source, Math.max(0, source.size - headBytes));
  return [...text.matchAll(/"promptfooVersion":\s*"([\w.+-]{1,40})"/g)].at(-1)?.[1];
}

async function textAt(source: ResultSource, offset: number): Promise<string> {
  const file = await source.open();
  try {
    return new TextDecoder().decode(await file.read(offset, headBytes));
  } finally {
    await file.close();
  }
}

/** Top-level keys of a row that a document lacks. */
const rowKeys = ["promptIdx", "testIdx"];

/** Parts of an eval's `config`, by which a document is recognized if its head shows nothing else. */
const configKeys = ["prompts", "providers", "tests", "defaultTest"].map((key) => `config.${key}`);

/** Recognizes a document by the tool's own names for its parts, or lines of results; keys may be in any order. */
export const looksLikePromptfoo: LooksLike = ({ text }) => {
  if (!/^\s*\{/.test(text)) return false;
  const keys = keysIn(text);
  const has = (key: string): boolean => keys.has(key);
  if (rowKeys.some(has)) return ["gradingResult", "namedScores", "promptId"].some(has);
  if (has("evalId")) return has("results") || has("config");
  return (has("results.version") && has("results.results")) || configKeys.filter(has).length > 1;
};

/**
 * The keys of the first object of a text, and those of its direct child objects as `outer.inner`, as far as the text
 * goes: it may be the beginning of a large file. Only for recognizing formats: bad JSON gives some keys, or none.
 */
function keysIn(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  let depth = 0;
  let outer = "";
  for (const [token, key, mark] of text.matchAll(tokens)) {
    if (key !== undefined && depth === 1) outer = key;
    if (key !== undefined && depth <= 2) keys.add(depth === 1 ? key : `${outer}.${key}`);
    if (mark === "{" || mark === "[") depth += 1;
    if (mark === "}" || mark === "]") depth -= 1;
    if (depth === 0 && token === mark) break;
  }
  return keys;
}

/** Matches a key, another text (which may be cut off), or a bracket. */
const tokens = /"((?:[^"\\]|\\.)*)"\s*:|"(?:[^"\\]|\\.)*(?:"|$)|([{}[\]])/gs;
