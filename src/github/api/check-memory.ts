import * as core from "@actions/core";
import { isJsonObject, jsonIn } from "../../model/json.ts";
import { checkConclusions, type OpenCheck } from "./check-run.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Name of the state, which the runner passes to the post step as STATE_regrade-checks. */
const stateName = "regrade-checks";

/** Stores the open checks for the post step, which completes them if this process no longer can. */
export function rememberChecks(env: Environment, checks: readonly OpenCheck[]): void {
  const open = checks.flatMap(({ subject, id, cameTo, mayExist = false }) =>
    id === undefined && !mayExist ? [] : [{ ...subject, id, cameTo }],
  );
  save(env, stateName, JSON.stringify(open));
}

function save(env: Environment, name: string, value: string): void {
  if (!env["GITHUB_STATE"]) return;
  try {
    core.saveState(name, value);
  } catch {
    // The runner has no room for its own files. The checks are completed here, as long as this process lives.
  }
}

/** The checks that the step left open. */
export function recallChecks(env: Environment): readonly OpenCheck[] {
  const state: unknown = jsonIn(env[`STATE_${stateName}`] ?? "");
  return Array.isArray(state) ? state.flatMap(readCheck) : [];
}

function readCheck(value: unknown): readonly OpenCheck[] {
  if (!isJsonObject(value)) return [];
  const { id, name, headSha, externalId, detailsUrl } = value;
  if (typeof name !== "string") return [];
  if (typeof headSha !== "string" || typeof externalId !== "string") return [];
  const subject = {
    name,
    headSha,
    externalId,
    detailsUrl: typeof detailsUrl === "string" ? detailsUrl : undefined,
  };
  const cameTo = checkConclusions.find((each) => each === value["cameTo"]);
  return [
    typeof id === "number"
      ? { subject, id, cameTo }
      : { subject, id: undefined, mayExist: true, cameTo },
  ];
}
