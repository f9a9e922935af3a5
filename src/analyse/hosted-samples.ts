import { readJsonl } from "../dataset/jsonl.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import type { Case, Row, Sample, Usage } from "../model/outcomes/sample.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import { sampleIdFor } from "../run/plan.ts";
import type { Tools } from "../tools.ts";

/** A line of the hosted product, which describes one sample. */
export interface HostedSample {
  readonly fields: JsonObject;
  readonly line: number;
}

/** Reads the lines of an exported run, whose `path` is as the user wrote it. Throws a Refusal with all lines that can't be read. */
export async function readHostedSamples(
  { path, absolute }: { readonly path: string; readonly absolute: string },
  { files }: Tools,
): Promise<readonly HostedSample[]> {
  const found: HostedSample[] = [];
  const problems: Problem[] = [];
  const reading = { file: path, needsSource: undefined };
  for await (const batch of readJsonl(files.readBytes(absolute), reading)) {
    for (const read of batch) {
      if (read.kind === "bad") problems.push(read.problem);
      else found.push({ fields: read.row, line: read.line });
    }
  }
  const lacks = found.find(
    ({ fields }) =>
      textIn(fields, "task_id") === undefined ||
      textIn(fields, "model") === undefined ||
      !isJsonObject(fields["dataset_row"]),
  );
  if (lacks !== undefined)
    problems.push(problem("import_no_sample", undefined, { file: path, line: lacks.line }));
  if (found.length === 0 && problems.length === 0)
    problems.push(problem("dataset_no_rows", undefined, { file: path }));
  if (problems.length > 0) throw new Refusal(problems.slice(0, 20));
  return found;
}

/** Ids of the models that answered, in the order in which they appear. */
export function modelsIn(samples: readonly HostedSample[]): readonly string[] {
  return [...new Set(samples.map(({ fields }) => textIn(fields, "model") ?? ""))];
}

/** The samples in the order of the hosted run. */
export function inHostedOrder(samples: readonly HostedSample[]): readonly HostedSample[] {
  const indexOf = ({ fields }: HostedSample): number => numberIn(fields, "sample_index") ?? 0;
  return samples.toSorted((a, b) => indexOf(a) - indexOf(b));
}

/** The row of a sample; empty if the export has none. */
export function rowOf({ fields }: HostedSample): Row {
  const row = fields["dataset_row"];
  return isJsonObject(row) ? row : {};
}

/** Makes a sample of a run from a hosted sample and its case. */
export function hostedSampleOf(
  of: {
    readonly hosted: HostedSample;
    readonly found: Case;
    readonly task: PreparedTask;
    readonly model: string;
    readonly i: number;
    readonly runId: string;
  },
  { files: { hashText }, now }: Tools,
): Sample {
  const { hosted, found, task, model, i, runId } = of;
  const { fields } = hosted;
  const moment = new Date(now()).toISOString();
  const error = errorOf(fields);
  return {
    id: sampleIdFor(hashText)([task.spec.id, model, found.caseId, 0]),
    object: "eval.sample",
    run_id: runId,
    task_id: task.spec.id,
    model,
    case_id: found.caseId,
    sample_index: i,
    repeat: 0,
    dataset_row: found.row,
    prompt: textIn(fields, "prompt") ?? "",
    target: textIn(fields, "target") ?? null,
    response_id: textIn(fields, "response_id") ?? null,
    output_text: textIn(fields, "output_text") ?? null,
    incomplete: false,
    transcript: null,
    extracted_output: textIn(fields, "extracted_output") ?? null,
    scores: error === null ? scoresIn(fields) : {},
    judge: isJsonObject(fields["judge"]) ? fields["judge"] : null,
    printed: null,
    model_calls: null,
    status: error === null ? "completed" : "failed",
    error,
    usage: usageIn(fields),
    cached: false,
    latency_ms: numberIn(fields, "latency_ms") ?? null,
    created_at: textIn(fields, "created_at") ?? moment,
    completed_at: textIn(fields, "completed_at") ?? moment,
  };
}

/**
 * The export does not tell whether the error was the candidate's fault. It is recorded as an infrastructure failure, so
 * that the case is dropped from comparisons.
 */
function errorOf(fields: JsonObject): Sample["error"] {
  const { error = null, status } = fields;
  if (error === null && status !== "failed") return null;
  const own = isJsonObject(error) ? textIn(error, "message") : undefined;
  const message = own ?? (typeof error === "string" ? error : JSON.stringify(error));
  return { stage: "generate", fault: "infra", type: "imported", message };
}

function scoresIn({ scores }: JsonObject): Sample["scores"] {
  const entries = Object.entries(isJsonObject(scores) ? scores : {});
  return Object.fromEntries(
    entries.flatMap(([id, score]): [string, number][] => {
      const number = asNumber(score);
      return number === undefined ? [] : [[id, number]];
    }),
  );
}

function usageIn({ usage }: JsonObject): Usage | null {
  if (!isJsonObject(usage)) return null;
  const [input, output] = [numberIn(usage, "input_tokens"), numberIn(usage, "output_tokens")];
  if (input === undefined || output === undefined) return null;
  const rest = { cached_tokens: 0, reasoning_tokens: 0, usd: null };
  return { input_tokens: input, output_tokens: output, ...rest };
}

function textIn(fields: JsonObject, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" ? value : undefined;
}

function numberIn(fields: JsonObject, key: string): number | undefined {
  return asNumber(fields[key]);
}

/** The value as a number. A number with its source text is an object until its value is needed. */
function asNumber(value: Json | undefined): number | undefined {
  const number =
    typeof value === "object" && value !== null ? Number(JSON.stringify(value)) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
