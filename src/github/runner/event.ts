import { readFile } from "node:fs/promises";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import { events } from "./events.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Facts about a run from the event that started the workflow. */
export interface RunEvent {
  readonly git: {
    /** The commit that GitHub checks out by default; for a pull request, the merge commit. */
    readonly sha: string | null;
    /** The commit where the change starts: the tip of the base branch, or the commit before a push. */
    readonly base_sha: string | null;
    readonly ref: string | null;
  };
  /** Which texts of cases may be published, if the manifest does not decide. */
  readonly publish: PublishContent;
}

/**
 * Reads the event's payload from GITHUB_EVENT_PATH. A payload that is absent (in act, or on a terminal) or unreadable
 * counts as empty; then nothing is known, and the careful defaults apply.
 */
export async function loadPayload(env: Environment): Promise<unknown> {
  const path = env["GITHUB_EVENT_PATH"];
  if (path === undefined || path === "") return {};
  try {
    const payload: unknown = JSON.parse(await readFile(path, "utf8"));
    return payload;
  } catch {
    return {};
  }
}

/** Reads the facts. `payload` is untrusted. */
export function readEvent(env: Environment, payload: unknown): RunEvent {
  const event = isJsonObject(payload) ? payload : {};
  return {
    git: {
      sha: textOrNull(env["GITHUB_SHA"]),
      base_sha: baseSha(event),
      ref: textOrNull(env["GITHUB_REF"]),
    },
    publish: isKnownPrivate(event) ? "failures" : "ids",
  };
}

/** The commit where the change starts; null for events without a base. */
function baseSha(event: JsonObject): string | null {
  const found = Object.values(events)
    .map(({ basePath = [] }) => textOrNull(basePath.reduce<Json | undefined>(field, event)))
    .find((sha) => sha !== null);
  // For a new branch GitHub writes zeros, which mean "no commit before".
  return found === undefined || /^0+$/.test(found) ? null : found;
}

/**
 * True if the repository is known to be private. An unknown visibility counts as public, because a published text can't
 * be taken back.
 */
function isKnownPrivate(event: JsonObject): boolean {
  const visibility = field(event["repository"], "visibility");
  if (typeof visibility === "string") return visibility === "private" || visibility === "internal";
  return field(event["repository"], "private") === true;
}

function field(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
