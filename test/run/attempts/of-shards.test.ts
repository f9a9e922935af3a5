import { describe, expect, it } from "vitest";
import type { RunAttempts } from "../../../src/model/outcomes/attempts.ts";
import { attemptsOfShards } from "../../../src/run/shard/of-shards.ts";
import type { ShardRun } from "../../../src/run/shard/read.ts";
import { storedRun } from "../../support/runs.ts";

function shardRun(index: number, attempts: RunAttempts | undefined): ShardRun {
  const { run } = storedRun({ id: `shard-${index}`, scores: [1] });
  const shard = { index, of: 3, plan: "p", plan_cases: 3 };
  return { directory: `${index}`, shard, run: { ...run, shard, ...(attempts && { attempts }) } };
}

const earlier = [{ number: 1, run_id: "run_first", completed_at: "2026-01-01T00:00:00Z" }];
const again: RunAttempts = { number: 2, earlier, unread: null, decided: [] };

describe("the attempts at the shards of a run", () => {
  it("are none where no shard was run again", () => {
    expect(attemptsOfShards([shardRun(1, undefined), shardRun(2, undefined)])).toBeUndefined();
  });

  it("are those of the shard that was run most often", () => {
    const shards = [shardRun(1, undefined), shardRun(2, again)];
    expect(attemptsOfShards(shards)).toEqual(again);
  });

  it("are not known where one shard could not read its own: the whole does not pass then", () => {
    const lost = { ...again, earlier: [], unread: "GitHub was away" };
    expect(attemptsOfShards([shardRun(1, again), shardRun(2, lost)])).toMatchObject({
      earlier,
      unread: "shard 2/3: GitHub was away",
    });
  });
});
