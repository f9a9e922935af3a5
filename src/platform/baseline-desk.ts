import { join } from "node:path";
import type {
  BaselineDesk,
  BaselineQuestion,
  FoundBaseline,
  PoolQuestion,
} from "../domain/baseline.ts";
import { problem, Refusal, type Problem } from "../domain/refusal.ts";
import type { Sample } from "../domain/sample.ts";
import type { StoredRun } from "../domain/store.ts";
import { downloadArtifact } from "./artifact-download.ts";
import { inputsArtifactName, scoresArtifactName } from "./artifact-names.ts";
import { runPage, type WorkflowContext } from "./context.ts";
import type { GitHub } from "./github.ts";
import { createAsk, createBaselineApi, type Ask, type BaselineApi } from "./baseline-api.ts";
import { chooseArtifact, type TrustedRun } from "./baseline-choose.ts";
import { actions, once, openBaseBranch, type BaseBranch } from "./baseline-ground.ts";
import type { Start } from "./baseline-start.ts";
import { fetchTexts } from "./baseline-texts.ts";

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
  readonly downloads: Map<string, Promise<Fetched>>;
}

/** So many runs are looked into before the look is given up: each costs two calls. */
const mostTried = 6;

/** A desk that finds baselines among the artifacts of earlier workflow runs. What can't be reached is "none", and said. */
export function openBaselineDesk(options: DeskOptions): BaselineDesk {
  const api = async (): Promise<BaselineApi> => createBaselineApi(await options.github());
  let isUnreachable = false;
  const ask: Ask = async (doing, work) => {
    const answered = await createAsk(await options.github(), options.warn)(doing, work);
    if (answered.kind === "failed" && answered.passes) isUnreachable = true;
    return answered;
  };
  const branch = openBaseBranch({ ...options, api, ask });
  const desk: Desk = { ...options, branch, api, ask, downloads: new Map() };
  return {
    find: async (question) => {
      const found = await find(question, desk);
      return found.kind === "none" && isUnreachable ? { ...found, unreachable: true } : found;
    },
    findEqual: (suite, inputHash) => findEqual({ suite, inputHash }, desk),
    findPooled: async (question) => {
      const directories = await findPooled(question, desk);
      return { directories, unreachable: isUnreachable };
    },
  };
}

interface Candidate {
  readonly run: TrustedRun;
  readonly reason: string;
}

async function find(question: BaselineQuestion, desk: Desk): Promise<FoundBaseline> {
  const tried = new Map<number, string>();
  for await (const candidate of inOrder(question, desk)) {
    if (candidate.kind === "none") return candidate;
    const { run, reason } = candidate;
    if (tried.has(run.id)) continue;
    if (tried.size >= mostTried) break;
    const found = await fetchScores(question.suite, run, desk);
    const trouble = found.kind === "refused" ? found.reason : tooOld(found.stored, question, desk);
    if (found.kind === "fetched" && trouble === undefined)
      return foundAs({ run, reason }, found.stored, desk);
    tried.set(run.id, `run ${run.id} of ${short(run.headSha)}: ${trouble ?? ""}`);
  }
  return { kind: "none", reason: await whyNone([...tried.values()], desk) };
}

type Offered =
  | (Candidate & { readonly kind: "candidate" })
  | Extract<FoundBaseline, { kind: "none" }>;

/** The base commit's own run; else one with the base's inputs; else the nearest before it. */
async function* inOrder(question: BaselineQuestion, desk: Desk): AsyncGenerator<Offered> {
  const near = await desk.branch.nearRuns();
  if (near.kind === "none") return yield near;
  for (const run of near.runs) yield candidateOf(run, "the base commit's own run");
  const all = await desk.branch.allRuns();
  if (all.kind === "none") return yield all;
  for (const run of all.runs.filter(({ distance }) => distance === 0))
    yield candidateOf(run, "the base commit's own run");
  const inputHash = all.runs.length > 0 ? await question.baseInputs() : undefined;
  const { suite } = question;
  const equal = inputHash === undefined ? [] : await runsWith({ suite, inputHash }, all.runs, desk);
  for (const run of equal)
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

/** Those of the trusted runs that left a mark with the input hash: one call for all of them. */
async function runsWith(
  { suite, inputHash }: Inputs,
  trusted: readonly TrustedRun[],
  { ask, api }: Desk,
): Promise<readonly TrustedRun[]> {
  const name = inputsArtifactName(suite, inputHash);
  const marks = await ask(actions, async () => (await api()).listArtifacts(name));
  if (marks.kind === "failed") return [];
  const ids = new Set(marks.value.map(({ runId }) => runId));
  return trusted.filter(({ id }) => ids.has(id));
}

async function findEqual(inputs: Inputs, desk: Desk): Promise<FoundBaseline> {
  const none = { kind: "none", reason: "no earlier run had the same inputs" } as const;
  const all = await desk.branch.allRuns();
  if (all.kind === "none") return all;
  if (all.runs.length === 0) return none;
  const equal = await runsWith(inputs, all.runs, desk);
  for (const run of equal.slice(0, mostTried)) {
    const found = await fetchScores(inputs.suite, run, desk);
    if (found.kind === "fetched" && found.stored.run.input_hash === inputs.inputHash)
      return foundAs({ run, reason: "it had the same inputs" }, found.stored, desk);
  }
  return none;
}

async function findPooled(question: PoolQuestion, desk: Desk): Promise<readonly string[]> {
  const all = await desk.branch.allRuns();
  if (all.kind === "none") return [];
  const equal = await runsWith(question, all.runs, desk);
  const stored: StoredRun[] = [];
  for (const run of equal.toSorted((a, b) => b.id - a.id)) {
    if (stored.length >= question.most) break;
    const found = await fetchScores(question.suite, run, desk);
    const isEqual = found.kind === "fetched" && found.stored.run.input_hash === question.inputHash;
    // One that stood in for another is no second one.
    if (isEqual && stored.every(({ run: { id } }) => id !== found.stored.run.id))
      stored.push(found.stored);
  }
  return stored.map(({ directory }) => directory);
}

function foundAs({ run, reason }: Candidate, stored: StoredRun, { context }: Desk): FoundBaseline {
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

async function whyNone(tried: readonly string[], { branch, start }: Desk): Promise<string> {
  if (tried.length > 0) return tried.join("; ");
  const ground = await branch.ground();
  if (ground.kind === "none") return ground.reason;
  const { chain, workflowPath } = ground.ground;
  const before = chain.length - 1;
  const where = `${short(chain[0] ?? "")} of ${start.branches[0] ?? "the base branch"}`;
  return `${workflowPath} has no completed push, schedule or merge queue run for ${where}, nor for the ${before} commits before it; a push to that branch leaves one`;
}

function short(sha: string): string {
  return sha.slice(0, 7);
}

type Fetched =
  | { readonly kind: "fetched"; readonly stored: StoredRun }
  | { readonly kind: "refused"; readonly reason: string };

/** Once for each suite and run: two policies may ask for the same. */
function fetchScores(suite: string, run: TrustedRun, desk: Desk): Promise<Fetched> {
  const key = `${run.id} ${suite}`;
  const known = desk.downloads.get(key);
  if (known !== undefined) return known;
  const fetched = download(suite, run, desk);
  desk.downloads.set(key, fetched);
  return fetched;
}

async function download(suite: string, run: TrustedRun, desk: Desk): Promise<Fetched> {
  const { ask, api, github, folder } = desk;
  const name = scoresArtifactName(suite);
  const listed = await ask(actions, async () => (await api()).listRunArtifacts(run.id, name));
  if (listed.kind === "failed") return { kind: "refused", reason: listed.reason };
  const artifact = chooseArtifact(listed.value, name);
  if (artifact === undefined) {
    const isExpired = listed.value.some((one) => one.name === name);
    const reason = isExpired ? `its artifact ${name} has expired` : `it left no artifact ${name}`;
    return { kind: "refused", reason };
  }
  const to = join(folder, `${run.id}-${artifact.id}`);
  const got = await ask({ ...actions, what: `the download of ${name}` }, async () =>
    downloadArtifact({ ...artifact, folder: to, mostZipBytes, bounds }, await github()),
  );
  if (got.kind === "failed") return { kind: "refused", reason: got.reason };
  if (got.value.kind === "refused") return refuse(desk, name, got.value.reason);
  return readScores({ suite, run, name, directory: to }, desk);
}

/** The scores of a million samples. */
const mostZipBytes = 500_000_000;
const bounds = {
  wanted: (name: string) => ["run.json", "scores.jsonl"].includes(name),
  mostEntries: 100,
  mostFolders: 1,
  mostBytes: 2_000_000_000,
  mostDepth: 100,
};

async function readScores(
  at: {
    readonly suite: string;
    readonly run: TrustedRun;
    readonly name: string;
    readonly directory: string;
  },
  desk: Desk,
): Promise<Fetched> {
  try {
    const stored = await desk.readRun(at.directory);
    const trouble = mismatch(stored, at);
    if (trouble !== undefined) return refuse(desk, at.name, trouble);
    const texts = once(() => fetchTexts({ suite: at.suite, runId: at.run.id, stored }, desk));
    return { kind: "fetched", stored: { ...stored, fetchTexts: texts } };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return refuse(desk, at.name, cause.problems[0]?.message ?? "it can't be read");
  }
}

/** Whether it is what its name and place say. */
function mismatch(
  { run }: StoredRun,
  at: { readonly suite: string; readonly run: TrustedRun },
): string | undefined {
  if (run.suite.name !== at.suite) return `it is of another suite, ${run.suite.name}`;
  if (run.status !== "completed") return `its run was not completed (${run.status})`;
  const sha = run.stands_in?.for_sha ?? run.git.sha;
  return sha === at.run.headSha ? undefined : `it is of another commit, ${short(sha ?? "none")}`;
}

function refuse({ warn }: Desk, name: string, reason: string): Fetched {
  warn(problem("baseline_artifact_refused", { name, reason }));
  return { kind: "refused", reason: `its artifact ${name} was not used: ${reason}` };
}
