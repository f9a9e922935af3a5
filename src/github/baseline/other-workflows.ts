import type { SoughtSuite } from "../../model/baseline.ts";
import { artifactsPerPage, type Answered, type CallGitHub, type BaselineApi } from "./api.ts";
import { distrust, pathOf, type ArtifactFacts, type TrustedRun } from "./choose.ts";
import { actions, type BaseBranch, type FailedList } from "./base-branch.ts";
import { runArtifact } from "../artifacts/run-artifacts.ts";

/** Runs of the base branch that other workflows made, with a suite of the same name. */
type OtherRuns =
  | {
      readonly kind: "found";
      /** Runs of one workflow, the nearest first. */
      readonly runs: readonly TrustedRun[];
      readonly workflowPath: string;
    }
  /** It is unknown which of these workflows this one replaces. */
  | { readonly kind: "several"; readonly workflowPaths: readonly string[] }
  | { readonly kind: "none" }
  | ({ readonly kind: "failed" } & FailedList);

interface OtherWorkflowTools {
  readonly branch: BaseBranch;
  readonly workflowPath: string;
  readonly api: () => Promise<BaselineApi>;
  readonly ask: CallGitHub;
  /** How a run of a workflow becomes a baseline, as a sentence. */
  readonly runTheBase: string;
  /** True if the change has a workflow at that path. */
  readonly hasWorkflow: (path: string) => Promise<boolean>;
}

/** Limit of pages. Pull requests leave artifacts of this name, too, and more of them than the base branch. */
const mostPages = 3;
/** Limit of runs that are examined; each costs a call. */
const mostRuns = 4;

/**
 * Searches the runs of other workflows if this one has left nothing on the base branch: its file may have been renamed,
 * or the job moved here from another file. If several workflows have the suite, the one whose file was deleted counts.
 */
export async function findOtherRuns(
  { suite }: SoughtSuite,
  tools: OtherWorkflowTools,
): Promise<OtherRuns> {
  const listed = await listOnBase(runArtifact(suite, undefined), tools);
  if (listed.kind === "failed") return listed;
  const { ids, isCut } = listed.value;
  const trusted: TrustedRun[] = [];
  for (const id of ids) {
    const found = await readTrusted(id, tools);
    if (found.kind === "failed") return found;
    if (found.value !== undefined) trusted.push(found.value);
  }
  const paths = [...new Set(trusted.map(({ path }) => pathOf(path)))];
  const gone: string[] = [];
  for (const path of paths) if (!(await tools.hasWorkflow(path))) gone.push(path);
  const [only, ...more] = paths.length === 1 ? paths : gone;
  if (paths.length === 0) return isCut ? cutList(tools) : { kind: "none" };
  if (only === undefined || more.length > 0) return { kind: "several", workflowPaths: paths };
  const runs = trusted.filter(({ path }) => pathOf(path) === only);
  return { kind: "found", runs, workflowPath: only };
}

/**
 * The result if the list was cut off. Artifacts that were not examined may be a baseline, so leaving many artifacts of
 * one name must not hide it.
 */
function cutList({ workflowPath, runTheBase }: OtherWorkflowTools): OtherRuns {
  const reason = `${workflowPath} has left nothing of this suite on the base branch, and too many runs have an artifact of its name to look into them all`;
  return { kind: "failed", reason, remedy: runTheBase, status: undefined };
}

interface Listed {
  readonly ids: readonly number[];
  /** True if there are more artifacts than were listed. */
  readonly isCut: boolean;
}

/** The runs on the base branch that left such an artifact, the nearest first. */
async function listOnBase(
  name: string,
  { branch, ask, api }: OtherWorkflowTools,
): Promise<Answered<Listed>> {
  const base = await branch.history();
  if (base.kind === "none") return { kind: "done", value: { ids: [], isCut: false } };
  const { chain } = base.history;
  const found: ArtifactFacts[] = [];
  let isLast = false;
  for (let page = 1; page <= mostPages && found.length === 0 && !isLast; page += 1) {
    const listed = await ask(actions, async () => (await api()).listArtifacts(name, page));
    if (listed.kind === "failed") return listed;
    found.push(
      ...listed.value.filter(({ isOwn, headSha }) => isOwn && chain.includes(headSha ?? "")),
    );
    isLast = listed.value.length < artifactsPerPage;
  }
  const places = new Map(found.map(({ runId, headSha }) => [runId, chain.indexOf(headSha ?? "")]));
  const nearest = [...places].toSorted(([a = 0, x], [b = 0, y]) => x - y || b - a);
  const ids = nearest.flatMap(([id]) => (id === undefined ? [] : [id]));
  const isCut = ids.length > mostRuns || !isLast;
  return { kind: "done", value: { ids: ids.slice(0, mostRuns), isCut } };
}

/** Reads a run and checks whether it is trusted; the list of artifacts has neither its event nor its workflow. */
async function readTrusted(
  id: number,
  { branch, ask, api, workflowPath }: OtherWorkflowTools,
): Promise<Answered<TrustedRun | undefined>> {
  const base = await branch.history();
  const read = await ask(actions, async () => (await api()).readRun(id));
  if (read.kind === "failed") return read;
  if (base.kind === "none") return { kind: "done", value: undefined };
  const run = read.value;
  const path = pathOf(run.path);
  const { chain } = base.history;
  const isTrusted = distrust(run, { ...base.history, workflowPath: path }) === undefined;
  const value =
    isTrusted && path !== workflowPath
      ? { ...run, distance: chain.indexOf(run.headSha) }
      : undefined;
  return { kind: "done", value };
}
