import { createHash } from "node:crypto";
import type { RunKey } from "../../model/outcomes/run.ts";
import { slug } from "../runner/suite-names.ts";

// A slug never contains `~`, so no suite's name can make its artifact look like one of another kind.

/**
 * Name of the artifact with a suite's compact scores, the baseline of later runs. The name contains the search key,
 * because a list shows names only.
 */
export function scoresArtifactName(suite: string, key: RunKey | undefined): string {
  // The name that versions without the key used.
  if (key === undefined) return `regrade-${slug(suite)}-scores`;
  return `regrade-${slug(suite)}~scores-${hashKey(key)}`;
}

/** Name of the mark that a run had these inputs. It is found by its name alone. */
export function inputsArtifactName(suite: string, inputHash: string): string {
  return `regrade-${slug(suite)}-inputs-${inputHash.slice(-64, -48)}`;
}

/**
 * Name of a run's page: `regrade-<suite>~<job>~<leg>~<attempt>.html`. A browser displays it because of its extension;
 * code that reads runs ignores it.
 */
export function pageArtifactName(suite: string, key: RunKey | undefined, attempt: number): string {
  const parts = key === undefined ? [] : [key.job, ...(key.leg === "" ? [] : [key.leg])];
  const names = [slug(suite), ...parts.map(shortSlug), String(attempt)];
  return `regrade-${names.join("~")}.html`;
}

const longestPart = 60;

/** A short slug, because a leg is often a matrix as JSON. */
function shortSlug(text: string): string {
  const plain = slug(text);
  return plain.length <= longestPart
    ? plain
    : `${plain.slice(0, longestPart - 11)}-${hashPart(text)}`;
}

/** A key in a name: `1f0c…-8a2b…-00d1…`, the hashes of path, job and leg. A run's own key is compared with it. */
export function hashKey({ path, job, leg }: RunKey): string {
  return [path, job, leg].map(hashPart).join("-");
}

/** The first ten hexadecimal digits of a text's SHA-256. */
export function hashPart(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

/** Pattern of the result of `hashKey`. */
export const keyPattern = "[0-9a-f]{10}-[0-9a-f]{10}-[0-9a-f]{10}";

/** The hashes of a key, as they stand in a name. */
export interface KeyHashes {
  readonly path: string;
  readonly job: string;
  readonly leg: string;
}

/** The parts of the name of an artifact with scores. */
export interface ScoresName {
  readonly slug: string;
  /** undefined: a version without keys uploaded it. */
  readonly key: KeyHashes | undefined;
}

const withKey = new RegExp(`^regrade-([A-Za-z0-9._-]+)~scores-(${keyPattern})(?:-\\d+)?$`);

/** Reads the name of an artifact with scores; undefined if it is none. Pure. */
export function readScoresName(name: string): ScoresName | undefined {
  const [, suite, hashes = ""] = withKey.exec(name) ?? [];
  if (suite !== undefined) {
    return { slug: suite, key: readHashes(hashes) };
  }
  const [, old] = /^regrade-([A-Za-z0-9._-]+)-scores(?:-\d+)?$/.exec(name) ?? [];
  return old === undefined ? undefined : { slug: old, key: undefined };
}

/** Splits a hash that `hashKey` made. Pure. */
export function readHashes(text: string): KeyHashes {
  const [path = "", job = "", leg = ""] = text.split("-");
  return { path, job, leg };
}
