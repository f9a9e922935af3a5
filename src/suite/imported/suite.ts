import { sampleMetrics } from "../../model/definition/metric.ts";
import { recordedTask } from "../../model/definition/recorded.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import { nameFromFile } from "../../manifest/resolve.ts";
import type { Tools } from "../../tools.ts";
import type { ResultsAsked } from "../../model/results.ts";
import type { Resolved } from "../read-manifest.ts";

/** A suite for results without a manifest: it has one task for all results, which becomes a task for each group. */
export async function suiteOfResults(
  { from, rules, name }: ResultsAsked,
  { files }: Tools,
): Promise<Resolved> {
  const [path = ""] = from.paths;
  const own = name ?? suiteName(from);
  const { directory, root } = await files.locate("results");
  const task = recordedTask({
    id: own,
    name: undefined,
    type: undefined,
    metrics: [...new Set(rules.metrics)].map(plainMetric),
    repeats: 1,
    slices: [],
    min_cases: 1,
    metadata: {},
    from,
  });
  return {
    kind: "resolved",
    suite: {
      name: own,
      path,
      directory,
      root,
      schema_version: "2026-05-27",
      tasks: [task],
      candidates: [],
      concurrency: "auto",
      budget: { usd: undefined, tokens: undefined, minutes: undefined },
      judge_model: undefined,
      embedding_model: undefined,
      gate: {},
      publish: undefined,
      metadata: {},
    },
    warnings: [],
    place: () => ({ file: path }),
  };
}

/** The tool's name; the file's name if the format belongs to no tool, or is not known yet. */
function suiteName({ format, paths }: ResultsAsked["from"]): string {
  const isTool = format !== "auto" && format !== "jsonl" && format !== "csv";
  return isTool ? format : nameFromFile(paths[0] ?? "results");
}

/** A metric that a flag names. Of those that Regrade measures itself less is better, whatever tool recorded them. */
export function plainMetric(id: string): MetricSpec {
  const measured = sampleMetrics.find((metric) => metric.id === id);
  return measured ?? { id, aggregation: "mean", higher_is_better: true, range: null, scale: null };
}
