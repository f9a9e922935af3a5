import { cutText } from "../../base/cut-text.ts";
import { createHash } from "node:crypto";
import { relative, resolve } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import { canonicalJson, isJsonObject, jsonIn } from "../../model/json.ts";
import type { RunKey } from "../../model/outcomes/run.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Job and matrix leg of a run. */
export function readJobKey(env: Environment): Pick<RunKey, "job" | "leg"> {
  return { job: shortened(env["GITHUB_JOB"] ?? ""), leg: readLeg(env["INPUT_LEG"] ?? "") };
}

/** The input `leg` in one form for one matrix: keys sorted, without white space. Empty if there is no matrix. Pure. */
function readLeg(text: string): string {
  const trimmed = text.trim();
  const value = jsonIn(trimmed);
  if (value === null) return "";
  if (!isJsonObject(value)) return shortened(trimmed.replaceAll(/\s+/g, " "));
  return Object.keys(value).length === 0 ? "" : shortened(canonicalJson(value));
}

const mostCharacters = 1000;

/** Cuts a long text and makes it unique by its hash, because a matrix may contain whole objects. */
function shortened(text: string): string {
  if (text.length <= mostCharacters) return text;
  return `${cutText(text, 200)}… sha256:${createHash("sha256").update(text).digest("hex")}`;
}

const resultsMark = "results:";

/**
 * A path for results, which have no manifest: the paths of their files identify the suite, although each run writes the
 * files anew. Pure.
 */
export function resultsPath(
  { directory, root }: { readonly directory: string; readonly root: string },
  paths: readonly string[],
): string {
  const all = paths.map((path) => withSlashes(relative(root, resolve(directory, path))));
  return shortened(`${resultsMark}${all.toSorted().join(", ")}`);
}

/** True for a path that `resultsPath` made. */
export function isResultsPath(path: string): boolean {
  return path.startsWith(resultsMark);
}

const mostShown = 200;

/** A key for readers: `evals/qa.yaml, job evals, leg {"os":"linux"}`. Pure. */
export function keyText({ path, job, leg }: RunKey): string {
  const shown = leg.length > mostShown ? `${cutText(leg, mostShown)}…` : leg;
  const ofJob = job === "" ? [] : [`job ${job}`];
  return [path, ...ofJob, leg === "" ? "no leg" : `leg ${shown}`].join(", ");
}
