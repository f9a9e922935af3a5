import { join } from "node:path";
import type { CiRunRequest } from "./github/artifacts/ci-run.ts";
import { keepOutOfGit, readGitOrigin } from "./io/git/git.ts";
import { Refusal } from "./model/refusal.ts";
import type { Environment } from "./model/ports/processes.ts";

/** The run directories of a CI run, fetched into `.regrade`. */
export async function fetchCiRun(
  asked: Pick<CiRunRequest, "runId" | "suite" | "repository">,
  around: {
    readonly env: Environment;
    readonly workingDirectory: string;
    readonly signal: AbortSignal;
  },
): Promise<readonly string[]> {
  const { env, signal, workingDirectory } = around;
  const home = join(workingDirectory, ".regrade");
  // GitHub's client is loaded only when it is needed, because it makes starting slow.
  const { fetchCiRunFiles: fetchIt } = await import("./github/artifacts/ci-run.ts");
  const origin = (await readGitOrigin(workingDirectory)) ?? undefined;
  const found = await fetchIt({ ...asked, origin, folder: join(home, "ci"), env, signal });
  if (found.kind === "refused") throw new Refusal(found.problems, { exit: found.exit });
  await keepOutOfGit(home);
  return found.directories;
}
