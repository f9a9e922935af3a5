import { cutText } from "../../base/cut-text.ts";
import { type Json, type JsonObject } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { OpenedResults, ResultMetric, ResultRow } from "../../model/results.ts";
import { createComplaints } from "../complaints.ts";
import { createSampleReader, type InspectSampleReader } from "./inspect-sample.ts";
import { inspectMetricId } from "./inspect-scores.ts";
import { readJsonFile, type JsonBytes, type JsonPart } from "../json-stream.ts";
import { metricId } from "../metric-id.ts";
import { readRecord } from "../record.ts";
import type { LooksLike, OpenResults, ResultSource } from "../source.ts";
import { createToolMetrics, type ToolMetrics } from "../tool-metrics.ts";
import { openZip } from "../zip.ts";

/** Reads the files of Inspect's log folder: `.eval`, a zip of JSON files, or one `.json` file. */
export const openInspect: OpenResults = async (source, shape): Promise<OpenedResults> => {
  const wanted = shape.metrics.map(metricId);
  const metrics = createToolMetrics(source.path, wanted);
  const zipped = await beginsAsZip(source);
  const header = zipped ? await headerOfZip(source) : await headerOfDocument(source);
  const reader = createSampleReader(source.path, { header, metrics, wanted });
  const samples = zipped ? samplesOfZip(source) : samplesOfDocument(source);
  const version = header.packages["inspect_ai"];
  return {
    tool: typeof version === "string" ? `inspect ${version}` : "inspect",
    rows: rowsOf(samples, { source, reader, total: header.total }),
    metrics: () => headlineFirst(metrics, wanted.length > 0 ? undefined : header.headline),
  };
};

/** Header of a log, before its samples. */
export interface InspectHeader {
  readonly task: string;
  readonly model: string;
  /** True if Inspect numbered the samples because the data set has no ids: positions don't identify a case. */
  readonly isNumbered: boolean;
  readonly packages: JsonObject;
  /** Scorers with their options, and the models that have a role beside the one that is judged. */
  readonly judgedBy: Json;
  /** The file of the task, which has its scorers. */
  readonly judges: Pick<ResultRow, "judges">;
  /** Samples times epochs; undefined if the log doesn't tell. */
  readonly total: number | undefined;
  /** The metric that Inspect shows first. */
  readonly headline: string | undefined;
}

const knownVersion = 2;
const headerPaths = ["$.version", "$.status", "$.eval", "$.results", "$.error"];

function readHeader(parts: JsonObject, file: string): InspectHeader {
  const log = readRecord(parts, { file, at: "the log" });
  const version = log.value("version");
  if (version === undefined || log.value("eval") === undefined) {
    const expected = 'a log with "version", "status" and "eval"';
    throw new Refusal(problem("results_not_format", { format: "inspect", expected }, { file }));
  }
  if (version !== knownVersion) {
    const found = `version ${JSON.stringify(version)}`;
    const known = [`version ${knownVersion} (inspect_ai 0.3.285 was tried)`];
    throw new Refusal(problem("results_version", { tool: "inspect", found, known }, { file }));
  }
  const status = log.needed("status", log.text);
  const task = log.needed("eval.task", log.text);
  const model = log.needed("eval.model", log.text);
  const headline = log.text("results.headline.scorer");
  const score = log.text("results.headline.score");
  if (task === undefined || model === undefined || log.problems.length > 0)
    throw new Refusal(log.problems);
  if (status !== "success") {
    const said = log.text("error.message");
    const reason = `its status is '${status}'${said === undefined ? "" : `, as of ${cutText(said, 500)}`}`;
    throw new Refusal(problem("results_unfinished", { reason }, { file }));
  }
  const taskFile = log.text("eval.task_file");
  return {
    task,
    model,
    isNumbered: isNumbered(log.value("eval.dataset.sample_ids")),
    packages: log.object("eval.packages") ?? {},
    judgedBy: [log.value("eval.scorers") ?? null, log.value("eval.model_roles") ?? null],
    judges: taskFile === undefined ? {} : { judges: [taskFile] },
    total: log.number("results.total_samples"),
    headline:
      headline === undefined
        ? undefined
        : inspectMetricId(headline, score === headline ? undefined : score),
  };
}

function isNumbered(ids: Json | undefined): boolean {
  return Array.isArray(ids) && ids.every((id, at) => id === at + 1);
}

function headlineFirst(metrics: ToolMetrics, id: string | undefined): readonly ResultMetric[] {
  const all = metrics.list();
  return [...all.filter((metric) => metric.id === id), ...all.filter((metric) => metric.id !== id)];
}

async function headerOfZip(source: ResultSource): Promise<InspectHeader> {
  const zip = await openZip(source);
  try {
    const find = (name: string): JsonBytes | undefined =>
      zip.entries.findLast((entry) => entry.name === name);
    const header = find("header.json");
    if (header !== undefined)
      return readHeader(await objectOf(readJsonFile(header, headerPaths)), source.path);
    // header.json is written last.
    if (find("_journal/start.json") !== undefined) {
      const reason = "it has no header.json yet";
      throw new Refusal(problem("results_unfinished", { reason }, { file: source.path }));
    }
    return readHeader({}, source.path);
  } finally {
    await zip.close();
  }
}

async function headerOfDocument(source: ResultSource): Promise<InspectHeader> {
  const parts: Record<string, Json> = {};
  // The samples come after the header: reading on would read the whole file twice.
  for await (const { path, value } of readJsonFile(source, [...headerPaths, "$.samples.*.id"])) {
    if (path[0] === "samples") break;
    parts[String(path[0])] = value;
  }
  return readHeader(parts, source.path);
}

async function objectOf(parts: AsyncIterable<JsonPart>): Promise<JsonObject> {
  const found: Record<string, Json> = {};
  for await (const { path, value } of parts) found[String(path.at(-1))] = value;
  return found;
}

/** The keys of a sample that are read. Its events, which are most of it, are skipped. */
const sampleKeys =
  "id epoch input choices target output scores metadata model_usage error limit invalidation working_time total_time".split(
    " ",
  );

/** Sorts numbers by their value. Made only when it is needed: the first collator of a process takes 10 ms. */
const inOrder = (): Intl.Collator => new Intl.Collator("en", { numeric: true });

interface FoundSample {
  readonly sample: JsonObject;
  readonly at: string;
}

async function* samplesOfZip(source: ResultSource): AsyncGenerator<FoundSample> {
  const zip = await openZip(source);
  const wanted = sampleKeys.map((key) => `$.${key}`);
  try {
    // A sample that was written again occurs twice: the last one counts.
    const last = new Map(zip.entries.map((entry) => [entry.name, entry]));
    // The samples were written in the order of completion; sorting makes equal logs equal runs.
    const names = [...last.keys()].filter((name) => /^samples\/.+\.json$/.test(name));
    for (const name of names.toSorted(inOrder().compare)) {
      const entry = last.get(name);
      if (entry !== undefined)
        yield { sample: await objectOf(readJsonFile(entry, wanted)), at: entry.name };
    }
  } finally {
    await zip.close();
  }
}

async function* samplesOfDocument(source: ResultSource): AsyncGenerator<FoundSample> {
  let found: Record<string, Json> = {};
  let index: string | number | undefined;
  const wanted = sampleKeys.map((key) => `$.samples.*.${key}`);
  for await (const { path, value } of readJsonFile(source, wanted)) {
    if (index !== undefined && path[1] !== index) yield { sample: found, at: `samples[${index}]` };
    if (path[1] !== index) found = {};
    index = path[1];
    found[String(path[2])] = value;
  }
  if (index !== undefined) yield { sample: found, at: `samples[${index}]` };
}

async function* rowsOf(
  samples: AsyncIterable<FoundSample>,
  {
    source,
    reader,
    total,
  }: {
    readonly source: ResultSource;
    readonly reader: InspectSampleReader;
    readonly total: number | undefined;
  },
): AsyncGenerator<ResultRow> {
  const complaints = createComplaints(source.path);
  let count = 0;
  for await (const { sample, at } of samples) {
    count += 1;
    const row = reader.read(sample, at);
    if ("problems" in row) complaints.add(row.problems);
    else if (!complaints.any()) yield row;
  }
  if (total !== undefined && count < total) {
    const reason = `it holds ${count} of its ${total} samples`;
    complaints.add([problem("results_unfinished", { reason }, { file: source.path })]);
  }
  complaints.refuse();
}

const zipMark = [0x50, 0x4b, 0x03, 0x04];

function isZip(bytes: Uint8Array): boolean {
  return zipMark.every((byte, at) => bytes[at] === byte);
}

async function beginsAsZip(source: ResultSource): Promise<boolean> {
  const file = await source.open();
  try {
    return isZip(await file.read(0, zipMark.length));
  } finally {
    await file.close();
  }
}

/** Recognizes the zip of a log by its first file or its own ending, and a JSON document by the beginning of a log. */
export const looksLikeInspect: LooksLike = ({ path, bytes, text }) => {
  if (isZip(bytes)) return path.endsWith(".eval") || firstNameIn(bytes).startsWith("_journal/");
  return /^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{/.test(text);
};

/** The name of a zip's first file, which follows 30 bytes about it. These bytes are not UTF-8. */
function firstNameIn(zip: Uint8Array): string {
  return String.fromCharCode(...zip.subarray(30, 60));
}
