import { cutText } from "../../base/cut-text.ts";
import { kindOf, valueText } from "../../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import type { ResultRow } from "../../model/results.ts";
import type { Scores, Usage } from "../../model/outcomes/sample.ts";
import { metricId } from "../metric-id.ts";
import { promptOf, type AskedPrompt } from "./promptfoo-candidates.ts";
import { createTestRepeats, namedTest, type NamedTest, type TestNames } from "./promptfoo-case.ts";
import { componentsOf, promptfooOutcome } from "./promptfoo-outcome.ts";
import { readRecord, type RecordReader } from "../record.ts";
import type { ToolMetrics } from "../tool-metrics.ts";

interface RowReader {
  /** Reads a row of `results.results`; returns all problems if it can't be mapped. */
  readonly read: (value: Json, at: string) => ResultRow | { readonly problems: readonly Problem[] };
}

/** A reader for the rows of one file. */
export function createRowReader(
  file: string,
  tools: {
    readonly candidates: (prompt: AskedPrompt) => string;
    readonly names: TestNames;
    readonly metrics: ToolMetrics;
  },
): RowReader {
  const count = createTestRepeats();
  return {
    read: (value, at) => {
      if (!isJsonObject(value)) {
        const found = { at, field: "", found: "no object", expected: "a result" };
        return { problems: [problem("results_field", found, { file })] };
      }
      const record = readRecord(value, { file, at });
      const prompt = promptOf(value);
      if (prompt === undefined) record.needed("promptIdx", record.number);
      if (prompt === undefined) record.needed("provider.id", record.text);
      record.object("testCase");
      const test = namedTest(record);
      const candidate = prompt === undefined ? null : tools.candidates(prompt);
      const result = promptfooOutcome(record);
      const scores =
        result.kind === "scored" ? tools.metrics.take(scoresOf(record), knownMetric) : {};
      const isCached = record.flag("response.cached") === true;
      const row: ResultRow = {
        at,
        task: null,
        candidate,
        id: test.id,
        input: tools.names.inputOf(test),
        repeat: count(candidate, test),
        prompt: unlessStripped(prompt?.raw),
        target: null,
        output: unlessStripped(outputOf(record)),
        result,
        scores,
        explanation: explanationOf(record),
        ...judgedAs(judgingOf(record, test)),
        fields: fieldsOf(record),
        usage: usageOf(record),
        latencyMs: isCached ? null : (record.number("latencyMs") ?? null),
      };
      return record.problems.length === 0 ? row : { problems: record.problems };
    },
  };
}

function knownMetric(id: string): { readonly range: readonly [number, number] } | undefined {
  return id === "pass" ? { range: [0, 1] } : undefined;
}

/** promptfoo's own two scores, and the user's named ones. */
function scoresOf(record: RecordReader): Scores {
  const pass = record.needed("success", record.flag);
  const score = record.needed("score", record.number);
  const scores: Record<string, number> = { pass: pass === true ? 1 : 0, score: score ?? 0 };
  for (const [name, value] of Object.entries(record.object("namedScores") ?? {})) {
    const [field, id] = [`namedScores.${name}`, metricId(name)];
    if (Object.hasOwn(scores, id)) {
      const found = `a metric with the id '${id}', which is taken`;
      record.complain(field, { found, expected: "another name" });
    } else if (typeof value === "number") scores[id] = value;
    else record.complain(field, { found: kindOf(value), expected: "a number" });
  }
  return scores;
}

/** A test's assertions, and what its options say of judges and of the text that they read. */
function judgingOf(record: RecordReader, { asserted }: NamedTest): Json {
  const options = ["provider", "rubricPrompt", "transform", "postprocess", "factuality"];
  return {
    ...asserted,
    options: options.map((key) => record.value(`testCase.options.${key}`) ?? null),
  };
}

function judgedAs(judgedBy: Json): Pick<ResultRow, "judgedBy" | "judges"> {
  const judges = filesIn(judgedBy);
  return { judgedBy, ...(judges.length > 0 && { judges }) };
}

/** The files that a value names, at any depth: `file://check.py:grade`. */
function filesIn(value: Json): readonly string[] {
  if (typeof value === "string") return value.startsWith("file://") ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(filesIn);
}

function outputOf(record: RecordReader): string | undefined {
  const output = record.value("response.output");
  return output === undefined ? undefined : valueText(output);
}

/** Placeholder that promptfoo writes if it was told to leave texts out. */
const stripped = /^\[(?:prompt|output) stripped\]$/;

function unlessStripped(text: string | undefined): string | null {
  return text === undefined || stripped.test(text) ? null : text;
}

const longestExplanation = 4000;

/** The reasons of failed assertions, otherwise the test's own reason. Without stack traces, which describe the machine. */
function explanationOf(record: RecordReader): string | null {
  const failed = componentsOf(record).filter(({ pass }) => !pass);
  const told = failed.map(({ type, reason }) => (type === "" ? reason : `${type}: ${reason}`));
  const text = told.length > 0 ? told.join("\n") : record.text("gradingResult.reason");
  return text === undefined || text === "" ? null : cutText(text, longestExplanation);
}

/** Longer values are texts rather than groups to count by. */
const longestField = 200;

/** Variables and metadata with short values, under the names of promptfoo's filters. */
function fieldsOf(record: RecordReader): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...shortValues("vars", record.object("testCase.vars")),
    ...shortValues("metadata", record.object("testCase.metadata")),
  ]);
}

function shortValues(
  prefix: string,
  values: JsonObject | undefined,
): readonly (readonly [string, string])[] {
  return Object.entries(values ?? {}).flatMap(([name, value]) => {
    const text = valueText(value);
    const isShort = !isJsonObject(value) && text !== "" && text.length <= longestField;
    return isShort ? [[`${prefix}.${name}`, text] as const] : [];
  });
}

/** promptfoo writes a missing price as a cost of 0 too, so 0 says nothing. */
function usageOf(record: RecordReader): Usage | null {
  const tokens = (name: string): number => record.number(`tokenUsage.${name}`) ?? 0;
  const usd = record.number("cost") ?? 0;
  if (tokens("total") === 0 && usd === 0) return null;
  return {
    input_tokens: tokens("prompt"),
    output_tokens: tokens("completion"),
    cached_tokens: tokens("cached"),
    reasoning_tokens: tokens("completionDetails.reasoning"),
    usd: usd === 0 ? null : usd,
  };
}
