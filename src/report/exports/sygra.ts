import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from "../../model/json.ts";
import type { BatchRecord, Run } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import { type ExportedFile, type ExportedRun, singleText } from "./exported.ts";

/** SyGra writes more records than this as lines of JSON. */
const mostInOneArray = 25_000;

/** Writes a run as SyGra's files: for each candidate the records, and a report of each processor. Records are streamed. */
export async function* sygraFiles({ run, samples }: ExportedRun): AsyncGenerator<ExportedFile> {
  const about = run.suite.foreign ?? {};
  const counts = await countRecords(samples());
  for (const { id } of run.candidates) {
    const count = counts.get(id) ?? 0;
    const base = `${run.candidates.length > 1 ? `${fileWord(id)}_` : ""}output_${timeStamp(run, "-")}`;
    const isLines = count > mostInOneArray;
    const records = recordsOf(samples(), { candidate: id, about });
    yield {
      name: `${base}.json${isLines ? "l" : ""}`,
      pieces: isLines ? lines(records) : array(records),
    };
    for (const { processor, report } of reportsOf(run, { candidate: id, about, count })) {
      const name = `${base.replace("output", fileWord(processor))}.json`;
      yield { name, pieces: singleText(`${JSON.stringify(report, null, 4)}\n`) };
    }
  }
}

async function countRecords(samples: AsyncIterable<Sample>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { model } of samples) counts.set(model, (counts.get(model) ?? 0) + 1);
  return counts;
}

/** A name that is valid for files on every system. */
function fileWord(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]+/g, "_");
}

/** Time of the run: `2026-11-24_14-02-07`; reports use colons and a space. */
function timeStamp({ completed_at }: Run, separator: "-" | ":"): string {
  const [date = "", time = ""] = completed_at.slice(0, 19).split("T");
  return separator === "-" ? `${date}_${time.replaceAll(":", "-")}` : `${date} ${time}`;
}

interface Mapping {
  readonly candidate: string;
  readonly about: JsonObject;
}

async function* recordsOf(
  samples: AsyncIterable<Sample>,
  { candidate, about }: Mapping,
): AsyncGenerator<Json> {
  const map = about["output_map"];
  for await (const sample of samples) {
    if (sample.model !== candidate) continue;
    const state = stateOf(sample, about);
    yield isJsonObject(map) ? mapped(map, state) : state;
  }
}

/** Fields that the nodes of a graph share: the row's, the answer, and the graders' results. */
function stateOf(sample: Sample, { predicted, field }: JsonObject): JsonObject {
  const answer =
    typeof field === "string" ? fieldOf(sample.output_text, field) : sample.output_text;
  return {
    id: sample.case_id,
    ...sample.dataset_row,
    [typeof predicted === "string" ? predicted : "predicted"]: answer,
    ...sample.judge,
  };
}

/** A field of the answer's JSON object; an empty text if it has no such field. */
function fieldOf(text: string | null, field: string): Json {
  const start = text?.indexOf("{") ?? -1;
  const end = text?.lastIndexOf("}") ?? -1;
  if (text === null || start < 0 || end < start) return "";
  return jsonObjectIn(text.slice(start, end + 1))?.[field] ?? "";
}

/** Applies `output_map`: a field of the state, or a constant; missing ones are null. */
function mapped(map: JsonObject, state: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, entry]) => {
      if (!isJsonObject(entry)) return [name, null];
      const { from, value } = entry;
      if (value !== undefined) return [name, value];
      return [name, (typeof from === "string" ? state[from] : undefined) ?? null];
    }),
  );
}

interface Report {
  readonly processor: string;
  readonly report: Json;
}

/** Result of each processor: its own report, or SyGra's report of aggregators. */
function reportsOf(
  run: Run,
  { candidate, about, count }: Mapping & { readonly count: number },
): readonly Report[] {
  const batch = run.batches?.find((each) => each.candidate === candidate);
  const declared = Array.isArray(about["reports"]) ? about["reports"] : [collatorOf(batch)];
  return declared.flatMap((each): readonly Report[] => {
    if (!isJsonObject(each) || typeof each["class"] !== "string") return [];
    const { class: processor, entries, grader } = each;
    if (Array.isArray(entries))
      return [{ processor, report: [collated(run, { entries, batch, count })] }];
    const own = typeof grader === "string" ? detailsOf(batch, grader) : undefined;
    return [{ processor, report: own?.["report"] ?? [failedReport(run, { batch, count, own })] }];
  });
}

function detailsOf(batch: BatchRecord | undefined, grader: string): JsonObject | undefined {
  const found = batch?.details?.[grader];
  return isJsonObject(found) ? found : undefined;
}

/** All aggregates of a suite that is not SyGra's. */
function collatorOf(batch: BatchRecord | undefined): JsonObject {
  const entries = Object.entries(batch?.details ?? {}).flatMap(([grader, details]) => {
    const { aggregator, source } = isJsonObject(details) ? details : {};
    const isOwn = typeof aggregator === "string" && typeof source === "string";
    return isOwn ? [{ key: `${source}-${aggregator}`, grader }] : [];
  });
  return { class: "MetricCollatorPostProcessor", entries };
}

interface Collating {
  readonly entries: readonly Json[];
  readonly batch: BatchRecord | undefined;
  readonly count: number;
}

/** A lost result does not affect the others; the status shows that one was lost. */
function collated(run: Run, { entries, batch, count }: Collating): Json {
  if (count === 0)
    return { evaluation_summary: { total_records: 0, status: "no_data" }, results: {} };
  const results: [string, Json][] = [];
  const missing: string[] = [];
  for (const entry of entries) {
    if (!isJsonObject(entry) || typeof entry["key"] !== "string") continue;
    const { key, grader } = entry;
    const told = typeof grader === "string" ? detailsOf(batch, grader) : undefined;
    const report = told?.["report"];
    if (report === undefined) missing.push(`${key}${errorOf(told)}`);
    else results.push([key, report]);
  }
  const summary = { total_records: count, timestamp: timeStamp(run, ":") };
  const ended =
    missing.length === 0
      ? { status: "success" }
      : { status: "fatal_error", error: `no result of ${missing.join(", ")}${reasonOf(batch)}` };
  return { evaluation_summary: { ...summary, ...ended }, results: Object.fromEntries(results) };
}

/** An exception of one of several graders: ` (KeyError: …)`. */
function errorOf(told: JsonObject | undefined): string {
  const error = told?.["error"];
  const message = isJsonObject(error) ? error["message"] : undefined;
  return typeof message === "string" ? ` (${message})` : "";
}

function reasonOf(batch: BatchRecord | undefined): string {
  const said = [...(batch?.notes ?? []), ...(batch?.error ? [batch.error.message] : [])];
  return said.length === 0 ? "" : `: ${said.join("; ")}`;
}

/** The report of a user's processor that failed. */
function failedReport(
  run: Run,
  { batch, count, own }: Omit<Collating, "entries"> & { readonly own: JsonObject | undefined },
): Json {
  const status = count === 0 ? "no_data" : "fatal_error";
  const said = `the processor gave no report${errorOf(own)}${reasonOf(batch)}`;
  const error = count === 0 ? {} : { error: said };
  const timestamp = timeStamp(run, ":");
  return { evaluation_summary: { total_records: count, timestamp, status, ...error }, results: {} };
}

async function* array(records: AsyncIterable<Json>): AsyncGenerator<string> {
  let before = "[";
  for await (const record of records) {
    yield `${before}\n${JSON.stringify(record, null, 4).replaceAll(/^/gm, "    ")}`;
    before = ",";
  }
  yield before === "[" ? "[]\n" : "\n]\n";
}

async function* lines(records: AsyncIterable<Json>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}
