import { createCaseNamer } from "../dataset/case-id.ts";
import { readJsonl } from "../dataset/jsonl.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { createLedger } from "../ledger/ledger.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Problem } from "../model/refusal.ts";
import { digestSample } from "../model/sample.ts";
import type { Case, Row, Sample, SampleDigest, Usage } from "../model/sample.ts";
import type { Run } from "../model/run.ts";
import { promptTemplateOf } from "../prompt/messages.ts";
import { targetOnlyFields } from "../prompt/template.ts";
import { conclude } from "../verdict/conclude.ts";
import { describeRun, judgedOf } from "../verdict/describe.ts";
import { answerTemplate } from "../suite/answer-templates.ts";
import type { PreparedTask } from "../suite/open-task.ts";
import { sampleIdFor } from "../run/plan.ts";
import { prepareFrom } from "../suite/prepare.ts";
import type { Prepared } from "../suite/prepare.ts";
import { secretNames } from "../suite/secret-names.ts";
import { summarize } from "../verdict/summarize.ts";
import { createRunTotals } from "../verdict/run-totals.ts";
import type { Tools } from "../tools.ts";
import { readManifest } from "../suite/read-manifest.ts";

interface ImportRequest {
  /** Path of the manifest. */
  readonly manifest: string;
  /** The file of samples: its path as the user wrote it, and absolute. */
  readonly samples: { readonly path: string; readonly absolute: string };
  readonly out: string;
}

/** A line of the hosted product, which describes one sample. */
interface HostedSample {
  readonly fields: JsonObject;
  readonly line: number;
}

/** Reads the lines of an exported run. Throws a Refusal with all lines that can't be read. */
export async function readHostedSamples(
  { path, absolute }: ImportRequest["samples"],
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

/**
 * Makes a run directory from a hosted run's samples, with their original scores and with case ids as a run would name
 * them, so that it can be a baseline. No model is called, and nothing is graded again.
 */
export async function importRun(
  { manifest, out }: Omit<ImportRequest, "samples">,
  samples: readonly HostedSample[],
  tools: Tools,
): Promise<{ readonly run: Run; readonly unknown: number }> {
  const prepared = await prepareWithout(manifest, tools);
  try {
    const start = { directory: out, resume: false, inputHash: prepared.inputHash };
    const created = new Date(tools.now()).toISOString();
    const store = await tools.openRunStore({
      ...start,
      runId: tools.newRunId(),
      createdAt: created,
    });
    try {
      return await write({ prepared, store, samples }, tools);
    } finally {
      await store.release();
    }
  } finally {
    await prepared.close();
  }
}

/** Prepares the suite without its candidates. The models are not called, so they need no keys. */
async function prepareWithout(path: string, tools: Tools): Promise<Prepared> {
  const resolved = await readManifest(path, tools);
  const { keys } = secretNames(resolved.suite);
  const environment = {
    ...Object.fromEntries(keys.map((key) => [key, "not-needed-for-an-import"])),
    ...tools.candidateTools.environment,
  };
  const without = { ...resolved, suite: { ...resolved.suite, candidates: [] } };
  const candidateTools = { ...tools.candidateTools, environment };
  const request = { candidates: [], tasks: [] };
  return prepareFrom(request, async () => without, { ...tools, candidateTools });
}

interface Writing {
  readonly prepared: Prepared;
  readonly store: Awaited<ReturnType<Tools["openRunStore"]>>;
  readonly samples: readonly HostedSample[];
}

async function write(
  { prepared, store, samples }: Writing,
  tools: Tools,
): Promise<{ readonly run: Run; readonly unknown: number }> {
  const [ledger, totals] = [createLedger(), createRunTotals()];
  let unknown = 0;
  for (const task of prepared.tasks) {
    for (const model of modelsIn(samples)) {
      const own = samples.filter(
        ({ fields }) => fields["task_id"] === task.spec.id && fields["model"] === model,
      );
      if (own.length === 0) continue;
      const named = await namesOf(task, own, tools);
      unknown += named.unknown;
      for (const [i, { case: found, sample: hosted }] of named.cases.entries()) {
        const sample = sampleOf({ hosted, found, task, model, i, runId: store.runId }, tools);
        await store.recordSample(sample);
        const digest = digestSample(sample);
        totals.add(digest);
        ledger.add(scoreRowOf(task, { found, model, digest }));
      }
    }
  }
  await store.seal();
  const work = { prepared, store, totals: totals, seconds: 0, stopped: undefined, batches: [] };
  const request = { git: { sha: null, base_sha: null, ref: null }, publish: "failures" } as const;
  const described = describeRun({ ...work, request }, tools);
  const candidates = modelsIn(samples).map((id) => ({ id, kind: "model", model: id }) as const);
  const draft = { ...described, candidates };
  const none = { kind: "none", reason: "none was asked for" } as const;
  const run = { ...draft, ...conclude(judgedOf(draft, ledger), none, tools.now()) };
  const { visitSamples } = tools;
  const sources = { directory: store.directory, baseline: undefined, ledger, visitSamples };
  await store.finish({ run, ledger, summary: await summarize(run, sources) });
  return { run, unknown };
}

function scoreRowOf(
  task: PreparedTask,
  {
    found,
    model,
    digest,
  }: { readonly found: Case; readonly model: string; readonly digest: SampleDigest },
) {
  return {
    task: task.spec.id,
    case_id: found.caseId,
    content: found.content,
    candidate: model,
    repeat: 0,
    outcome: digest.outcome,
    scores: digest.outcome === "scored" ? digest.scores : {},
    cluster: task.clusterOf(found.row),
    slices: task.slicesOf(found.row),
  };
}

interface NamedSample {
  readonly case: Case;
  readonly sample: HostedSample;
}

/** Maps the exported cases to the ids that a run gives them. `unknown`: ids without a case in the data set. */
async function namesOf(
  { spec, dataset }: PreparedTask,
  samples: readonly HostedSample[],
  { files: { hashText } }: Tools,
): Promise<{ readonly cases: readonly NamedSample[]; readonly unknown: number }> {
  const known = new Set<string>();
  let first: Row | undefined;
  for await (const batch of dataset.cases()) {
    first ??= batch[0]?.row;
    for (const { caseId } of batch) known.add(caseId);
  }
  const declared = spec.dataset.id_field;
  const idField =
    declared === undefined
      ? first !== undefined && Object.hasOwn(first, "id")
        ? "id"
        : null
      : declared;
  const targetOnly = targetOnlyFields(promptTemplateOf(spec), answerTemplate(spec));
  const name = createCaseNamer({ idField, targetOnly, hashText });
  const cases = samples
    .toSorted(
      (a, b) =>
        (numberIn(a.fields, "sample_index") ?? 0) - (numberIn(b.fields, "sample_index") ?? 0),
    )
    .map((sample, i) => ({ sample, case: name(rowOf(sample), i) }));
  return { cases, unknown: cases.filter((each) => !known.has(each.case.caseId)).length };
}

function rowOf({ fields }: HostedSample): Row {
  const row = fields["dataset_row"];
  return isJsonObject(row) ? row : {};
}

function sampleOf(
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
