import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Circumstances } from "../../model/circumstances.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";
import { changeOf, type WorkflowContext } from "../runner/context.ts";
import { annotationPlace } from "../runner/log.ts";
import type { StepEnd } from "./ends.ts";

/** The step's own facts about a suite's end. */
export interface Known {
  readonly artifactId: number | undefined;
  /** The id of the run's page. */
  readonly pageId?: number | undefined;
  /** True if the artifact is being uploaded. */
  readonly isUploading?: boolean | undefined;
  readonly workspace: string;
  /** True if the step has other suites, too. */
  readonly severalSuites: boolean;
  /** Verdicts that make the step red, if known. */
  readonly failOn?: readonly Verdict[];
}

/** Facts about a suite's end that run.json does not contain. */
export function circumstancesOf(
  end: StepEnd,
  context: WorkflowContext,
  known: Known,
): Circumstances {
  const { runId, attempt, checkSha = "", runUrl, repository, serverUrl } = context;
  const { artifactId, pageId, severalSuites, isUploading } = known;
  const baseBranch = baseBranchOf(context);
  return {
    runId,
    attempt,
    sha: checkSha,
    ...(severalSuites && { severalSuites }),
    ...(baseBranch !== undefined && { baseBranch }),
    ...(changeOf(context) && { judgedAgainst: baseBranch }),
    ...(runUrl !== undefined && { runUrl }),
    ...(runUrl !== undefined &&
      artifactId !== undefined && { artifactUrl: `${runUrl}/artifacts/${artifactId}` }),
    ...(runUrl !== undefined &&
      pageId !== undefined && { reportUrl: `${runUrl}/artifacts/${pageId}` }),
    ...(isUploading === true && { isUploading }),
    ...(repository && { repositoryUrl: `${serverUrl}/${repository.owner}/${repository.repo}` }),
    ...(end.kind === "finished" && ofRun(end, known)),
  };
}

function baseBranchOf(context: WorkflowContext): string | undefined {
  const { ref } = context;
  const own = ref?.startsWith("refs/heads/") === true ? ref.slice("refs/heads/".length) : undefined;
  return changeOf(context)?.baseRef || own;
}

/** Baseline, history, approvals and the origin of the outputs, all from run.json. */
function ofRun(
  { baseline, place, run }: StepEnd & { readonly kind: "finished" },
  { failOn, workspace }: Known,
): Partial<Circumstances> {
  return {
    ...(failOn?.includes(run.gate.verdict) === false && { isReportedOnly: true }),
    ...(baseline.kind === "none" && { noBaseline: baseline.reason, isFirst: baseline.isFirst }),
    ...(workspace !== "" && { hasFile: (path) => existsSync(join(workspace, path)) }),
    locate: (path) => {
      const found = place(path);
      return { ...found, file: annotationPlace(found, workspace).file ?? found.file };
    },
  };
}
