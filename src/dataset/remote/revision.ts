import { isJsonObject } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { RemoteTools } from "../../model/ports/remote.ts";
import type { HubDataset } from "../../model/definition/dataset.ts";
import type { RequestRemote } from "./ask.ts";
import { askServerJson } from "./server.ts";

/** True for a commit, which names one state for ever. */
export function isCommit(revision: string | undefined): revision is string {
  return revision !== undefined && /^[0-9a-f]{40}$/.test(revision);
}

/**
 * Throws a Refusal unless the rows belong to the requested revision. The dataset server has only the main branch of a
 * data set, accepts no revision as a parameter, and names its commit in `x-revision`. Rows of another commit would be a
 * mistake that nobody notices.
 */
export async function checkRevision(
  dataset: HubDataset,
  served: string | undefined,
  { ask, tools }: { readonly ask: RequestRemote; readonly tools: RemoteTools },
): Promise<void> {
  const { path, revision } = dataset;
  if (revision === undefined || revision === "main") return;
  if (served === undefined) {
    throw new Refusal(problem("hub_revision_untold", { path, revision }));
  }
  if (/^[0-9a-f]{7,40}$/.test(revision) && served.startsWith(revision)) return;
  const commit = isCommit(revision) ? revision : await commitOf(dataset, revision, { ask, tools });
  if (commit === served) return;
  throw new Refusal(problem("hub_revision_other", { path, revision, served }));
}

/** Asks the Hub for the commit of a branch or a tag. */
async function commitOf(
  { path }: HubDataset,
  revision: string,
  { ask, tools }: { readonly ask: RequestRemote; readonly tools: RemoteTools },
): Promise<string | undefined> {
  const url = `${tools.servers.hub}/api/datasets/${path}/revision/${encodeURIComponent(revision)}`;
  const answer = await askServerJson({ url, path, tools }, ask);
  if (answer.kind === "said_no") {
    throw new Refusal(problem("hub_revision_unknown", { path, revision, reason: answer.reason }));
  }
  const sha = isJsonObject(answer.body) ? answer.body["sha"] : undefined;
  return typeof sha === "string" ? sha : undefined;
}
