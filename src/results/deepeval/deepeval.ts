import { problem, Refusal } from "../../model/refusal.ts";
import type { OpenedResults, ResultMetric, ResultRow } from "../../model/results.ts";
import { createComplaints } from "../complaints.ts";
import { createDeepevalReader, ownMetric, type DeepevalReader } from "./deepeval-row.ts";
import { formatJsonPath, readJsonFile, type JsonPart } from "../json-stream.ts";
import { metricId } from "../metric-id.ts";
import type { LooksLike, OpenResults, ResultSource } from "../source.ts";
import { createToolMetrics } from "../tool-metrics.ts";
import { createRepeatCounter } from "../repeats.ts";

/**
 * A test run as deepeval stores it: `test_run_<date>.json` in its results folder, `.deepeval/.latest_run_full.json`, and
 * `.deepeval/.latest_test_run.json`, which has it under `testRunData`.
 */
export const openDeepeval: OpenResults = async (source, shape): Promise<OpenedResults> => {
  const metrics = createToolMetrics(source.path, shape.metrics.map(metricId));
  const reader = createDeepevalReader(source.path, metrics);
  const list = (): readonly ResultMetric[] => {
    const ids = metrics.list().map(({ id }) => id);
    if (shape.metrics.length > 0) return ids.map(reader.learned);
    // The main metric is always listed, because if every test has a broken metric, no row would show it.
    return [ownMetric, ...ids.filter((id) => id !== ownMetric)].map(reader.learned);
  };
  return { tool: "deepeval", rows: rowsOf(source, reader), metrics: list };
};

const lists = ["testCases", "conversationalTestCases"];

async function* rowsOf(source: ResultSource, reader: DeepevalReader): AsyncGenerator<ResultRow> {
  const complaints = createComplaints(source.path);
  const repeats = createRepeatCounter();
  let byPytest = false;
  let isTestRun = false;
  for await (const { path, value } of readParts(source)) {
    const steps = path[0] === "testRunData" ? path.slice(1) : path;
    if (steps[0] === "testFile") byPytest = typeof value === "string";
    if (steps[0] === "runDuration") isTestRun = true;
    if (!lists.includes(String(steps[0]))) continue;
    isTestRun = true;
    const row = reader.read(value, { at: formatJsonPath(path), byPytest });
    if ("problems" in row) complaints.add(row.problems);
    else if (!complaints.any()) yield { ...row, repeat: repeats([row.id, row.input, row.target]) };
  }
  if (!isTestRun) throw notTestRun(source);
  complaints.refuse();
}

async function* readParts(source: ResultSource): AsyncGenerator<JsonPart> {
  const wanted = ["testFile", "runDuration", ...lists.map((name) => `${name}.*`)];
  const everywhere = wanted.flatMap((path) => [`$.${path}`, `$.testRunData.${path}`]);
  yield* readJsonFile(source, everywhere);
}

function notTestRun(source: ResultSource): Refusal {
  const expected = 'an object with "testCases" and "runDuration"';
  const found = { format: "deepeval", expected };
  return new Refusal(problem("results_not_format", found, { file: source.path }));
}

/** Recognized by its own key names near the top. */
export const looksLikeDeepeval: LooksLike = ({ text }) =>
  /^\s*\{\s*(?:"testRunData"\s*:\s*\{\s*)?(?:"testFile"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*)?"testCases"\s*:\s*\[/.test(
    text,
  ) && /"(?:metricsData|conversationalTestCases)"\s*:/.test(text);
