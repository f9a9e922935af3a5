/** The part of a run that the user asks for: the second of four is `2/4`. */
export interface ShardChoice {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/** Description of a shard in its run. Whole runs don't have it. */
export interface RunShard extends ShardChoice {
  /** Hash of all cases of the plan, in order: the same for all shards of one run. */
  readonly plan: string;
  /** Number of cases in the plan, over all tasks. */
  readonly plan_cases: number;
}

/** GitHub starts at most 256 jobs for a matrix. */
export const mostShards = 256;

/** Reads `I/N`, 1-based; undefined for another text, or if it is out of range. */
export function readShard(text: string): ShardChoice | undefined {
  const found = /^\s*(\d{1,3})\s*\/\s*(\d{1,3})\s*$/.exec(text);
  if (found === null) return undefined;
  const [index, of] = [Number(found[1]), Number(found[2])];
  return index >= 1 && index <= of && of <= mostShards ? { index, of } : undefined;
}

/** `2/4` */
export function shardText({ index, of }: ShardChoice): string {
  return `${index}/${of}`;
}

/** Identity that a resumed run must match: another part of the plan is another run. */
export function runIdentity(inputHash: string, shard: RunShard | undefined): string {
  return shard === undefined ? inputHash : `${inputHash} ${shardText(shard)} ${shard.plan}`;
}
