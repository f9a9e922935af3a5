import { lossMessage } from "../model/outcomes/compared.ts";
import { messagePattern } from "../base/error-line.ts";
import type { Diagnosis } from "../model/outcomes/diagnosis.ts";
import { caseKey, type Sample } from "../model/outcomes/sample.ts";
import type { Loss } from "../gate/losses.ts";
import { lossMessageReason } from "../report/words/losses.ts";
import { statistics } from "../stats/statistics.ts";
import { graderWords } from "../report/words/grader-words.ts";

/** Limit of distinct messages in memory: if a judge words each message differently, there is nothing to group. */
const heldAtMost = 5000;
const toldAtMost = 2;

/**
 * The grader's messages for broken cases, if they are more frequent there than chance explains: Fisher's exact test over
 * messages that at least two cases share, ignoring quotes and numbers in them.
 */
export async function findLossMessages(
  losses: readonly Loss[],
  samples: AsyncIterable<Sample>,
): Promise<readonly Diagnosis[]> {
  if (losses.length === 0) return [];
  const said = losses.map((loss) => ({ loss, groups: new Map<string, Group>() }));
  const places = Map.groupBy(said, ({ loss }) => placeOf(loss.task, loss.candidate));
  for await (const sample of samples) {
    const here = places.get(placeOf(sample.task_id, sample.model)) ?? [];
    for (const { loss, groups } of here) add(groups, sample, loss.metric);
  }
  return said.flatMap(({ loss, groups }) => strongest(loss, groups));
}

interface Group {
  /** The exact message of the sample that comes first in the suite, because samples end in any order. */
  first: string;
  at: number;
  readonly cases: Set<string>;
}

type Groups = Map<string, Group>;

function placeOf(task: string, candidate: string): string {
  return caseKey({ task, candidate, caseId: "" });
}

/** Ignores crashes and invalid scores, which are reported separately. */
function add(groups: Groups, sample: Sample, metric: string): void {
  const { judge, scores, printed, error, case_id: caseId, sample_index: at } = sample;
  if (error !== null) return;
  const words = graderWords({ score: 0, judge, scores, printed, error }, metric);
  if (words === "") return;
  const key = messagePattern(words);
  const known = groups.get(key);
  if (known !== undefined) {
    known.cases.add(caseId);
    if (at < known.at) Object.assign(known, { first: words, at });
  } else if (groups.size < heldAtMost) {
    groups.set(key, { first: words, at, cases: new Set([caseId]) });
  }
}

function strongest(loss: Loss, groups: Groups): readonly Diagnosis[] {
  const { task, candidate, metric, alpha, broken } = loss;
  const compared = new Set(loss.compared);
  const inOrder = [...groups.values()].toSorted((a, b) => a.at - b.at);
  const shared = inOrder.flatMap(({ first, cases }) => {
    const here = [...cases].filter((id) => compared.has(id));
    const broke = here.filter((id) => broken.has(id)).length;
    return here.length > 1 && here.length < compared.size
      ? [{ first, broke, cases: here.length }]
      : [];
  });
  const adjusted = statistics.benjaminiHochberg(
    shared.map(({ broke, cases }) =>
      statistics.hypergeometricAtLeast(broke, {
        population: compared.size,
        marked: broken.size,
        drawn: cases,
      }),
    ),
  );
  const family = shared.length;
  return shared
    .map(({ first, broke, cases }, i) => {
      return { first, broke, cases, p_adjusted: adjusted[i] ?? 1, family };
    })
    .filter(({ broke, p_adjusted: p }) => broke > 1 && p < alpha)
    .toSorted((a, b) => a.p_adjusted - b.p_adjusted || b.broke - a.broke)
    .slice(0, toldAtMost)
    .map(({ first, ...place }) => ({
      task,
      candidate,
      symptom: lossMessage,
      message: lossMessageReason(metric, place, broken.size),
      detail: first,
    }));
}
