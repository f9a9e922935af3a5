import type { StoredRun } from "../../model/ports/store.ts";
import { readBaseline } from "../read-baseline.ts";
import type { Baseline } from "../conclude.ts";
import type { Tools } from "../../tools.ts";
import { poolRuns, repeatsIn } from "./pool.ts";

/** A run directory, and its name for people. */
export interface RunDirectory {
  readonly source: string;
  readonly directory: string;
}

type Found = Baseline & { readonly kind: "run" };

/**
 * The baseline pooled from several run directories; a single one stays that run. Throws a Refusal if one can't be read or
 * was stopped, or if they are not runs of the same input.
 */
export async function readPooled(
  directories: readonly [RunDirectory, ...RunDirectory[]],
  tools: Tools,
): Promise<Found> {
  const found: Found[] = [];
  for (const { source, directory } of directories)
    found.push(await readBaseline(source, directory, tools));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const { runs, ledger } = poolRuns(found);
  const newest = runs[0]?.run.id;
  const leading = found.find(({ stored }) => stored.run.id === newest);
  if (leading === undefined) throw new RangeError("a pool has runs");
  const members = runs.flatMap(({ run }) => memberOf(run, found));
  const stored: StoredRun = { ...leading.stored, ledger };
  const pool = { runs: runs.length, repeats: repeatsIn(runs), members, newest: leading.stored };
  return { ...leading, stored, pool };
}

/** The newest of several runs, as if it had been named alone. */
export function newestOf({ pool, ...leading }: Found): Found {
  return pool === undefined ? leading : { ...leading, stored: pool.newest };
}

/** As `readPooled`, for directories as the user names them. */
export function readNamed(
  [first, ...others]: readonly [string, ...string[]],
  tools: Tools,
): Promise<Found> {
  return readPooled([asNamed(first), ...others.map(asNamed)], tools);
}

function asNamed(directory: string): RunDirectory {
  return { source: directory, directory };
}

function memberOf(
  { id, git }: StoredRun["run"],
  found: readonly Found[],
): readonly { readonly source: string; readonly run_id: string; readonly sha: string | null }[] {
  const named = found.find(({ stored }) => stored.run.id === id);
  return named === undefined ? [] : [{ source: named.source, run_id: id, sha: git.sha }];
}
