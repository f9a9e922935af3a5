import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageSource, writePage } from "../../analyse/page/write.ts";
import { problem } from "../../model/refusal.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";
import { consequenceIn } from "../../report/headline.ts";
import type { Tools } from "../../tools.ts";
import { type Upload, type UploadDeadline, uploadPage } from "../artifacts/artifact.ts";
import { pageArtifactName } from "../artifacts/artifact-names.ts";
import type { WorkflowContext } from "../runner/context.ts";
import { noteOf, type Log } from "../runner/log.ts";
import { circumstancesOf } from "./circumstances.ts";
import type { FinishedEnd } from "./ends.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** The page's name in a run directory. */
const pageFile = "report.html";

interface PageUpload {
  readonly tools: Tools;
  readonly context: WorkflowContext;
  readonly env: Environment;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly deadline: UploadDeadline;
  readonly retentionDays: number;
  /** Verdicts that make the step red. */
  readonly failOn: readonly Verdict[];
}

/**
 * Writes a run's page into its directory and uploads it unchanged, so that a browser opens it from a link. The file has
 * the artifact's name, because the service uses the file's name. A page only reports a verdict, so failures are
 * warnings.
 */
export async function leavePage(end: FinishedEnd, around: PageUpload): Promise<Upload | undefined> {
  const { run, directory } = end;
  const { context, env, log, tools, failOn } = around;
  // A shard has no verdict; the merging job makes the page.
  if (run.shard !== undefined) return undefined;
  const name = pageArtifactName(run.suite.name, run.key, context.attempt);
  const folder = await mkdtemp(join(env["RUNNER_TEMP"] || tmpdir(), "regrade-page-"));
  try {
    const file = join(directory, pageFile);
    const known = { artifactId: undefined, workspace: "", severalSuites: false, failOn };
    const follows = consequenceIn(circumstancesOf(end, context, known));
    const source = { ...pageSource(end), shownAs: shownAs(end, context), follows };
    await writePage([source], file, tools);
    const copyAs = async (as: string): Promise<string> => {
      await mkdir(folder, { recursive: true });
      await copyFile(file, join(folder, as));
      return join(folder, as);
    };
    return await uploadPage({ ...around, name, folder, copyAs });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    log.warning(noteOf(problem("page_failed", { suite: run.suite.name, reason })));
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The run's name for `regrade show`: the CI run's id, because the directory on the runner will no longer exist. */
function shownAs({ directory }: FinishedEnd, { runId }: WorkflowContext): string {
  return runId === "" ? directory : runId;
}
