import { shardText } from "../../model/outcomes/shard.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { digestSample } from "../../model/outcomes/sample.ts";
import type { SampleDigest } from "../../model/outcomes/sample.ts";
import type { RunStore, SampleReader } from "../../model/ports/store.ts";
import { attemptsOfShards, earlierIn } from "./of-shards.ts";
import { planSamples, sampleIdFor, type PlannedSample } from "../plan.ts";
import type { Prepared } from "../../suite/prepare.ts";
import type { Tools } from "../../tools.ts";
import { shardAt, startsOf } from "./part.ts";
import type { ShardRun } from "./read.ts";

/** The shards of a run in order, and the plan that they belong to. */
interface ToCollect {
  readonly prepared: Prepared;
  readonly shards: readonly ShardRun[];
  readonly store: RunStore;
}

interface OpenShard extends ShardRun {
  readonly reader: SampleReader;
  taken: number;
}

/** Number of lines that are written together. */
const linesTogether = 256;

/**
 * Writes the shards' samples into one run, in the order of the plan, as if one run had made them all. The returned
 * store counts them as finished, over every attempt at a shard. Ungraded samples stay ungraded: only shards retry them.
 * Throws a Refusal if a sample is missing.
 */
export async function collectSamples(collecting: ToCollect, tools: Tools): Promise<RunStore> {
  const { store } = collecting;
  const finished = new Map<string, SampleDigest>();
  const earlier = await earlierIn(collecting.shards, tools);
  const shards = await openShards(collecting, tools);
  try {
    let writing: Promise<void>[] = [];
    for await (const { planned, shard } of assigned(collecting, { tools, shards, earlier })) {
      const sample = await shard.reader.read(planned.id);
      if (sample === undefined) throw missingSample(planned, shard);
      shard.taken += 1;
      finished.set(planned.id, digestSample(sample));
      writing.push(store.recordSample({ ...sample, run_id: store.runId }));
      if (writing.length < linesTogether) continue;
      await Promise.all(writing);
      writing = [];
    }
    await Promise.all(writing);
    refuseTooMany(shards);
  } finally {
    for (const { reader } of shards) await reader.close();
  }
  return { ...store, finished, earlier, attempts: attemptsOfShards(collecting.shards) };
}

async function openShards(
  { shards }: ToCollect,
  { openSamples }: Tools,
): Promise<readonly OpenShard[]> {
  const opened: OpenShard[] = [];
  for (const shard of shards)
    opened.push({ ...shard, reader: await openSamples(shard.directory), taken: 0 });
  return opened;
}

/** Every sample of the plan, with the shard that made it. */
async function* assigned(
  { prepared }: ToCollect,
  {
    tools,
    shards,
    earlier,
  }: {
    readonly tools: Tools;
    readonly shards: readonly OpenShard[];
    readonly earlier: ReadonlySet<string> | undefined;
  },
): AsyncGenerator<{ readonly planned: Planned; readonly shard: OpenShard }> {
  const { candidates } = prepared;
  const makeId = sampleIdFor(tools.files.hashText);
  const starts = startsOf(prepared.tasks);
  for (const [i, { spec, dataset }] of prepared.tasks.entries()) {
    const { id, repeats } = spec;
    let place = (starts[i] ?? 0) - 1;
    let last: string | undefined;
    const task = { id, repeats, dataset, earlier };
    for await (const batch of planSamples(task, candidates, makeId)) {
      for (const sample of batch) {
        if (sample.case.caseId !== last) place += 1;
        last = sample.case.caseId;
        const shard = shards[shardAt(place, shards.length) - 1];
        if (shard !== undefined) yield { planned: { ...sample, task: id }, shard };
      }
    }
  }
}

type Planned = PlannedSample & { readonly task: string };

function missingSample({ task, case: { caseId }, candidate }: Planned, at: ShardRun): Refusal {
  const { directory, shard } = at;
  const found = { directory, shard: shardText(shard), task, caseId, candidate: candidate.id };
  return new Refusal(problem("merge_sample_missing", found));
}

/** A shard with more samples than the plan does not belong to the requested run. */
function refuseTooMany(shards: readonly OpenShard[]): void {
  const problems = shards.flatMap(({ directory, shard, run, taken }) => {
    const found = run.request_counts.total;
    if (found === taken) return [];
    const details = { directory, shard: shardText(shard), found, planned: taken };
    return [problem("merge_too_many", details)];
  });
  if (problems.length > 0) throw new Refusal(problems);
}
