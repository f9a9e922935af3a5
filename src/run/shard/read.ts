import { shardText } from "../../model/outcomes/shard.ts";
import type { RunShard } from "../../model/outcomes/shard.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Problem } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Tools } from "../../tools.ts";

/** A shard's run, from its directory. */
export interface ShardRun {
  readonly directory: string;
  readonly run: Run;
  readonly shard: RunShard;
}

/** All shards of one run, in order. */
export type ShardRuns = readonly [ShardRun, ...ShardRun[]];

/**
 * Reads the shards of a run. Throws one Refusal with all reasons why they can't be merged: a shard that is missing,
 * occurs twice, was stopped early, or belongs to another plan, commit or suite.
 */
export async function readShards(directories: readonly string[], tools: Tools): Promise<ShardRuns> {
  const found: ShardRun[] = [];
  const problems: Problem[] = [];
  for (const directory of directories) {
    const { run } = await tools.readRun(directory);
    const { shard } = run;
    if (shard === undefined) problems.push(problem("merge_no_shard", { directory }));
    else found.push({ directory, run, shard });
  }
  const [first, ...others] = found.toSorted((a, b) => a.shard.index - b.shard.index);
  if (problems.length > 0 || first === undefined) throw new Refusal(problems);
  const shards: ShardRuns = [first, ...others];
  const wrong = [...differences(shards), ...shardProblems(shards)];
  if (wrong.length > 0) throw new Refusal(wrong);
  return shards;
}

/** Properties that all shards of a run must share, by their names for people. */
const common: Readonly<Record<string, (found: ShardRun) => string | null>> = {
  suite: ({ run }) => run.suite.name,
  commit: ({ run }) => run.git.sha,
  "number of shards": ({ shard }) => String(shard.of),
  plan: ({ shard }) => shard.plan,
  "suite's version": ({ run }) => run.suite.version,
  "input hash": ({ run }) => run.input_hash,
  "policy's base": ({ run }) => run.policy?.sha ?? run.policy?.source ?? null,
  "version of Regrade": ({ run }) => run.environment.regrade,
};

/** Only the first difference is reported: if the suite differs, the plan does, too. */
function differences([first, ...others]: ShardRuns): readonly Problem[] {
  for (const other of others) {
    for (const [what, read] of Object.entries(common)) {
      const [one, two] = [read(first) ?? "none", read(other) ?? "none"];
      if (one === two) continue;
      const directories = [first.directory, other.directory] as const;
      return [problem("merge_other", { what, one, other: two, directories })];
    }
  }
  return [];
}

function shardProblems(shards: ShardRuns): readonly Problem[] {
  const { of } = shards[0].shard;
  const byIndex = Map.groupBy(shards, ({ shard }) => shard.index);
  const numbers = Array.from({ length: of }, (_, i) => i + 1);
  const missing = numbers.filter((index) => !byIndex.has(index));
  const twice = [...byIndex.values()].filter((all) => all.length > 1);
  const unfinished = shards.filter(({ run }) => run.status !== "completed");
  return [
    ...(missing.length > 0 ? [problem("merge_missing", { missing, of })] : []),
    ...twice.map((all) => {
      const shard = shardText({ index: all[0]?.shard.index ?? 0, of });
      return problem("merge_twice", { shard, directories: all.map((each) => each.directory) });
    }),
    ...unfinished.map(({ directory, shard, run }) =>
      problem("merge_unfinished", { directory, shard: shardText(shard), status: run.status }),
    ),
  ];
}
