import type {
  BaselineDesk,
  BaselineQuestion,
  FoundBaseline,
  NoBaseline,
  PoolQuestion,
} from "../domain/baseline.ts";
import type { Problem } from "../domain/refusal.ts";
import type { Sample } from "../domain/sample.ts";
import type { StoredRun } from "../domain/store.ts";
import { inputsArtifactName } from "./artifact-names.ts";
import { runPage, type WorkflowContext } from "./context.ts";
import type { GitHub } from "./github.ts";
import { createAsk, createBaselineApi, type Ask, type BaselineApi } from "./baseline-api.ts";
import type { TrustedRun } from "./baseline-choose.ts";
import { actions, openBaseBranch, type BaseBranch, type FailedList } from "./baseline-ground.ts";
import { createFetchScores, short, type FetchScores } from "./baseline-fetch.ts";
import type { Start } from "./baseline-start.ts";

export interface DeskOptions {
  readonly context: WorkflowContext;
  readonly start: Start;
  /** `.github/workflows/evals.yml`: whose runs leave baselines. */
  readonly workflowPath: string;
  /** Opened when the first call is near. */
  readonly github: () => Promise<GitHub>;
  /** A folder for what is downloaded. */
  readonly folder: string;
  readonly readRun: (directory: string) => Promise<StoredRun>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
  readonly warn: (problem: Problem) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Desk extends DeskOptions {
  readonly branch: BaseBranch;
  readonly api: () => Promise<BaselineApi>;
  readonly ask: Ask;
  readonly fetchScores: FetchScores;
  /** How to make a new baseline: a sentence. */
  readonly runTheBase: string;
}

/** So many runs are looked into before the look is given up: each costs two calls. */
const mostTried = 6;

/** Finds baselines among the artifacts of earlier workflow runs. */
export function openBaselineDesk(options: DeskOptions): BaselineDesk {
  const api = async (): Promise<BaselineApi> => createBaselineApi(await options.github());
  const ask: Ask = async (doing, work) =>
    createAsk(await options.github(), options.warn)(doing, work);
  const branch = openBaseBranch({ ...options, api, ask });
  const runTheBase = howToRunTheBase(options);
  const fetchScores = createFetchScores({ ...options, api, ask, runTheBase });
  const desk: Desk = { ...options, branch, api, ask, fetchScores, runTheBase };
  return {
    find: (question) => find(question, desk),
    findEqual: (suite, inputHash) => findEqual({ suite, inputHash }, desk),
    findPooled: (question) => findPooled(question, desk),
  };
}

interface Candidate {
  readonly run: TrustedRun;
  readonly reason: string;
}

/** A run that was looked into, and why it is no baseline. */
interface Tried {
  readonly run: TrustedRun;
  readonly reason: string;
  /** What to do where it may have left a baseline that can't be read. */
  readonly remedy: string | undefined;
}

async function find(question: BaselineQuestion, desk: Desk): Promise<FoundBaseline> {
  const tried = new Map<number, Tried>();
  const failures: FailedList[] = [];
  for await (const offered of inOrder(question, desk)) {
    if (offered.kind === "none") return offered;
    if (offered.kind === "failed") failures.push(offered);
    else if (!tried.has(offered.run.id)) {
      if (tried.size >= mostTried) break;
      const found = await tryRun(offered, question, desk);
      if (found.kind === "found") return found;
      tried.set(offered.run.id, found);
    }
  }
  return whyNone({ tried: [...tried.values()], failures, question }, desk);
}

async function tryRun(
  { run, reason }: Candidate,
  question: BaselineQuestion,
  desk: Desk,
): Promise<(Tried & { readonly kind: "tried" }) | Found> {
  const tried = (why: string, remedy: string | undefined) =>
    ({
      kind: "tried",
      run,
      reason: `run ${run.id} of ${short(run.headSha)}: ${why}`,
      remedy,
    }) as const;
  const fetched = await desk.fetchScores(question.suite, run);
  if (fetched.kind === "refused") return tried(fetched.reason, fetched.remedy);
  const old = tooOld(fetched.stored, question, desk);
  if (old !== undefined) return tried(old, desk.runTheBase);
  return foundAs({ run, reason }, fetched.stored, desk);
}

type Offered =
  | (Candidate & { readonly kind: "candidate" })
  | (FailedList & { readonly kind: "failed" })
  | NoBaseline;

/** The base commit's own run; else one with the base's inputs; else the nearest before it. */
async function* inOrder(question: BaselineQuestion, desk: Desk): AsyncGenerator<Offered> {
  const near = await desk.branch.nearRuns();
  if (near.kind === "none") return yield near;
  for (const run of near.runs) yield candidateOf(run, "the base commit's own run");
  const all = await desk.branch.allRuns();
  if (all.kind === "none") return yield all;
  if (all.failed) yield { ...all.failed, kind: "failed" };
  for (const run of all.runs.filter(({ distance }) => distance === 0))
    yield candidateOf(run, "the base commit's own run");
  const inputHash = all.runs.length > 0 ? await question.baseInputs() : undefined;
  const { suite } = question;
  const equal =
    inputHash === undefined
      ? { runs: [], failed: undefined }
      : await runsWith({ suite, inputHash }, all.runs, desk);
  if (equal.failed) yield { ...equal.failed, kind: "failed" };
  for (const run of equal.runs)
    yield candidateOf(run, `it has the same inputs as the base commit, ${commits(run)} later`);
  for (const run of all.runs)
    yield candidateOf(
      run,
      `the nearest run before the base commit, which is ${commits(run)} later`,
    );
}

function candidateOf(run: TrustedRun, reason: string): Offered {
  return { kind: "candidate", run, reason };
}

function commits({ distance }: TrustedRun): string {
  return distance === 1 ? "1 commit" : `${distance} commits`;
}

interface Inputs {
  readonly suite: string;
  readonly inputHash: string;
}

interface RunsWith {
  readonly runs: readonly TrustedRun[];
  readonly failed: FailedList | undefined;
}

/** Those of the trusted runs that left a mark with the input hash: one call for all of them. */
async function runsWith(
  { suite, inputHash }: Inputs,
  trusted: readonly TrustedRun[],
  { ask, api }: Desk,
): Promise<RunsWith> {
  const name = inputsArtifactName(suite, inputHash);
  const marks = await ask(actions, async () => (await api()).listArtifacts(name));
  if (marks.kind === "failed") return { runs: [], failed: marks };
  const ids = new Set(marks.value.map(({ runId }) => runId));
  return { runs: trusted.filter(({ id }) => ids.has(id)), failed: undefined };
}

async function findEqual(inputs: Inputs, desk: Desk): Promise<FoundBaseline> {
  const none = { kind: "none", reason: "no earlier run had the same inputs" } as const;
  const all = await desk.branch.allRuns();
  if (all.kind === "none") return all;
  if (all.runs.length === 0) return none;
  const equal = await runsWith(inputs, all.runs, desk);
  for (const run of equal.runs.slice(0, mostTried)) {
    const found = await desk.fetchScores(inputs.suite, run);
    if (found.kind === "fetched" && found.stored.run.input_hash === inputs.inputHash)
      return foundAs({ run, reason: "it had the same inputs" }, found.stored, desk);
  }
  return none;
}

async function findPooled(
  question: PoolQuestion,
  desk: Desk,
): Promise<Awaited<ReturnType<BaselineDesk["findPooled"]>>> {
  const all = await desk.branch.allRuns();
  if (all.kind === "none") return { directories: [], reason: all.reason, remedy: all.remedy };
  const equal = await runsWith(question, all.runs, desk);
  const failures = [all.failed, equal.failed].filter((failed) => failed !== undefined);
  const stored: StoredRun[] = [];
  for (const run of equal.runs.toSorted((a, b) => b.id - a.id)) {
    if (stored.length >= question.most) break;
    const found = await desk.fetchScores(question.suite, run);
    if (found.kind === "refused" && found.remedy !== undefined)
      failures.push({ reason: found.reason, remedy: found.remedy });
    const isEqual = found.kind === "fetched" && found.stored.run.input_hash === question.inputHash;
    // One that stood in for another is no second one.
    if (isEqual && stored.every(({ run: { id } }) => id !== found.stored.run.id))
      stored.push(found.stored);
  }
  const [failed] = failures;
  const none = "no run of the base branch is known to have had the base's inputs";
  const directories = stored.map(({ directory }) => directory);
  return { directories, reason: failed?.reason ?? none, remedy: failed?.remedy };
}

type Found = Extract<FoundBaseline, { readonly kind: "found" }>;

function foundAs({ run, reason }: Candidate, stored: StoredRun, { context }: Desk): Found {
  const { distance, headSha: sha, id } = run;
  const source = runPage(context, id);
  return { kind: "found", stored, source, sha, distance, reason };
}

const millisecondsPerDay = 86_400_000;

function tooOld(
  { run }: StoredRun,
  { maxAgeDays }: BaselineQuestion,
  { now }: Desk,
): string | undefined {
  const days = (now() - Date.parse(run.completed_at)) / millisecondsPerDay;
  if (maxAgeDays === undefined || days <= maxAgeDays) return undefined;
  return `it is ${Math.floor(days)} days old, and max_age_days is ${maxAgeDays}`;
}

interface Vain {
  readonly tried: readonly Tried[];
  readonly failures: readonly FailedList[];
  readonly question: BaselineQuestion;
}

/** Whether it is known that there is none, or not; and why. */
async function whyNone({ tried, failures, question }: Vain, desk: Desk): Promise<NoBaseline> {
  const [failed] = failures;
  const reasons = [...failures.map(({ reason }) => reason), ...tried.map(({ reason }) => reason)];
  const unread = failed?.remedy ?? tried.find(({ remedy }) => remedy !== undefined)?.remedy;
  if (unread !== undefined) return { kind: "none", reason: reasons.join("; "), remedy: unread };
  const all = await desk.branch.allRuns();
  if (all.kind === "none") return all;
  const { isInBase } = question;
  // The base has the suite and runs of it, and none came to a verdict. A suite that is new there has left nothing yet.
  if (tried.length > 0) {
    const remedy = isInBase === true ? desk.runTheBase : undefined;
    return { kind: "none", reason: reasons.join("; "), remedy };
  }
  if (all.withoutVerdict > 0 && isInBase !== false) {
    const count = all.withoutVerdict === 1 ? "one run" : `${all.withoutVerdict} runs`;
    const reason = `the base branch has ${count} of ${desk.workflowPath}, cancelled or out of time before a verdict`;
    return { kind: "none", reason, remedy: desk.runTheBase };
  }
  return { kind: "none", reason: await noRuns(desk) };
}

/** How to make a baseline. */
function howToRunTheBase({ start, workflowPath }: DeskOptions): string {
  const branch = start.branches[0] ?? "the base branch";
  return `Start a run of ${workflowPath} on ${branch} ("Run workflow" on the Actions tab, where it has workflow_dispatch, or a push), then run this job again.`;
}

async function noRuns({ branch, start, workflowPath }: Desk): Promise<string> {
  const ground = await branch.ground();
  if (ground.kind === "none") return ground.reason;
  const { chain } = ground.ground;
  const before = chain.length - 1;
  const where = `${short(chain[0] ?? "")} of ${start.branches[0] ?? "the base branch"}`;
  return `${workflowPath} has no completed push, schedule, merge queue or workflow_dispatch run for ${where}, nor for the ${before} commits before it; a push to that branch leaves one, and so does "Run workflow" on the Actions tab`;
}
