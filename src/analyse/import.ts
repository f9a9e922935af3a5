import { createCaseNamer } from "../dataset/case-id.ts";
import { createLedger } from "../ledger/ledger.ts";
import { digestSample, type Case, type Row, type SampleDigest } from "../model/outcomes/sample.ts";
import type { Run } from "../model/outcomes/run.ts";
import { promptTemplateOf } from "../prompt/messages.ts";
import { targetOnlyFields } from "../prompt/template.ts";
import { conclude } from "../verdict/conclude.ts";
import { describeRun, judgedOf } from "../verdict/describe.ts";
import { answerTemplate } from "../suite/prompts/answer-templates.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import { prepareFrom, type Prepared } from "../suite/prepare.ts";
import { secretNames } from "../suite/secret-names.ts";
import { summarize } from "../verdict/summarize.ts";
import { createRunTotals } from "../verdict/run-totals.ts";
import type { Tools } from "../tools.ts";
import { readManifest } from "../suite/read-manifest.ts";
import {
  type HostedSample,
  modelsIn,
  rowOf,
  hostedSampleOf,
  inHostedOrder,
} from "./hosted-samples.ts";

/**
 * Makes a run directory from a hosted run's samples, with their original scores and with case ids as a run would name
 * them, so that it can be a baseline. No model is called, and nothing is graded again.
 */
export async function importRun(
  { manifest, out }: { readonly manifest: string; readonly out: string },
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
        const sample = hostedSampleOf({ hosted, found, task, model, i, runId: store.runId }, tools);
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
  const cases = inHostedOrder(samples).map((sample, i) => ({
    sample,
    case: name(rowOf(sample), i),
  }));
  return { cases, unknown: cases.filter((each) => !known.has(each.case.caseId)).length };
}
