import { readFile } from "node:fs/promises";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PublishContent } from "../../model/suite.ts";
import { events } from "./events.ts";
import type { Environment } from "../../model/processes.ts";

/** Facts about a run from the event that started the workflow. */
export interface RunEvent {
  readonly git: {
    /** The commit that GitHub checks out by default; of a pull request, the merge commit. */
    readonly sha: string | null;
    /** Commit where the change starts: the base branch's tip, or the commit before a push. */
    readonly base_sha: string | null;
    readonly ref: string | null;
  };
  /** Texts of cases that may be shown, unless the manifest decides. */
  readonly publish: PublishContent;
}

/**
 * The event's payload from GITHUB_EVENT_PATH. One that is absent (act, a terminal) or unreadable is an empty one:
 * nothing is known then, and the careful defaults hold.
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

/** The event as a value: `payload` is untrusted. */
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

/** null for events without a base. */
function baseSha(event: JsonObject): string | null {
  const found = Object.values(events)
    .map(({ basePath = [] }) => textOrNull(basePath.reduce<Json | undefined>(field, event)))
    .find((sha) => sha !== null);
  // A new branch: GitHub writes zeros for "no commit before".
  return found === undefined || /^0+$/.test(found) ? null : found;
}

/** An unknown visibility counts as public: text that was published can't be taken back. */
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
