import type { Ledger } from "../model/figures/ledger.ts";
import { nearest } from "../base/nearest.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { Sample } from "../model/outcomes/sample.ts";
import type { ShownCase, ShownSample } from "../model/outcomes/shown-case.ts";
import type { Tools } from "../tools.ts";

interface ShowRequest {
  /** Directory of the run. */
  readonly directory: string;
  readonly caseId: string;
  readonly task: string | undefined;
  readonly candidate: string | undefined;
  /** Finds the run to show as "before": its directory, or the reason why there is none. */
  readonly before: (run: Run) => Promise<Before>;
}

export type Before =
  | { readonly kind: "directory"; readonly directory: string; readonly shown: string }
  | { readonly kind: "none"; readonly reason: string };

/**
 * A case of a run, with the same case of the run that it was compared with. Throws a Refusal if there is no such case.
 */
export async function findCase(request: ShowRequest, tools: Tools): Promise<ShownCase> {
  const { run, ledger } = await tools.readRun(request.directory);
  const after = await samplesOf(request.directory, request, tools);
  const before = await request.before(run);
  const earlier = before.kind === "none" ? [] : await samplesOf(before.directory, request, tools);
  const samples = pair(after, earlier, request);
  if (samples.length === 0) throw notFound(request, ledger);
  return {
    run,
    caseId: request.caseId,
    before: before.kind === "none" ? before : { kind: "run", shown: before.shown },
    samples,
  };
}

/**
 * All repeats of the case. A baseline's candidate may have another name, so the requested candidate is not applied
 * here.
 */
async function samplesOf(
  directory: string,
  { caseId, task }: ShowRequest,
  { visitSamples }: Tools,
): Promise<readonly Sample[]> {
  const found: Sample[] = [];
  for await (const sample of visitSamples(directory)) {
    if (sample.case_id === caseId && (task === undefined || sample.task_id === task))
      found.push(sample);
  }
  return found.toSorted(
    (a, b) => compare(a.task_id, b.task_id) || compare(a.model, b.model) || a.repeat - b.repeat,
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Pairs each sample with its counterpart. Cases that only the earlier run has come last, without a sample of this run.
 */
function pair(
  after: readonly Sample[],
  before: readonly Sample[],
  { candidate }: ShowRequest,
): readonly ShownSample[] {
  const isAsked = ({ model }: Sample): boolean => candidate === undefined || model === candidate;
  const names = new Set(before.map(({ model }) => model));
  const isOnly = names.size === 1 && new Set(after.map(({ model }) => model)).size === 1;
  const isSame = (one: Sample, other: Sample): boolean =>
    one.task_id === other.task_id &&
    one.repeat === other.repeat &&
    (isOnly || one.model === other.model);
  const paired = after
    .filter(isAsked)
    .map((sample) => ({ sample, before: before.find((other) => isSame(sample, other)) }));
  const gone = before
    .filter((other) => isAsked(other) && !after.some((sample) => isSame(sample, other)))
    .map((other) => ({ sample: undefined, before: other }));
  return [...paired, ...gone];
}

function notFound({ directory, caseId, task, candidate }: ShowRequest, ledger: Ledger): Refusal {
  const known = ledger.groups().flatMap((group) => group.caseIds());
  const isThere = known.includes(caseId);
  const found = { directory, caseId, task, candidate, isThere, nearest: nearest(caseId, known) };
  return new Refusal(problem("case_unknown", found));
}
