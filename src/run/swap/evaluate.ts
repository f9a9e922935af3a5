import type { GradeBatch } from "../../model/grading.ts";
import type { Scores } from "../../model/outcomes/sample.ts";
import { forEachConcurrently } from "../../base/semaphore.ts";
import { isOver } from "../grade-again/samples.ts";
import type { RunContext } from "../context.ts";
import type { Arms } from "./arms.ts";

/** Grades mixed sides, each once for all metrics. */
interface Evaluator {
  /** head − base of a metric, after swapping the sides of the marked cases. */
  readonly of: (metric: string) => (swapped: Uint8Array) => Promise<number>;
  /** The result, or undefined if a side could not be graded: then there is no result. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** Number of swaps that a metric has seen, not counting the unswapped state. */
  readonly count: (metric: string) => number;
  /** Standard deviation of head − base over the swaps and the observed value, if nothing had changed. */
  readonly spread: (metric: string) => number;
}

/** Thrown if a side can't be graded. */
class Ungradable extends Error {}

interface Evaluation {
  readonly arms: Arms;
  readonly gradeBatch: GradeBatch;
  readonly about: Parameters<GradeBatch>[0];
  readonly metrics: readonly string[];
}

/** Difference between the two sides, by metric. */
type Deltas = ReadonlyMap<string, number>;

/** An evaluator for the sides of one task and candidate. */
export function openEvaluator(evaluation: Evaluation, context: RunContext): Evaluator {
  const { hashText } = context.tools.files;
  const known = new Map<string, Promise<Deltas>>();
  const seen = new Map(evaluation.metrics.map((metric): [string, number[]] => [metric, []]));
  const grade = (swapped: Uint8Array): Promise<Deltas> => {
    const key = hashText(swapped.join(""));
    const found = known.get(key) ?? gradeArms(evaluation, swapped, context);
    known.set(key, found);
    return found;
  };
  return {
    of: (metric) => async (swapped) => {
      const delta = (await grade(swapped)).get(metric);
      if (delta === undefined) throw new Ungradable(metric);
      seen.get(metric)?.push(delta);
      return delta;
    },
    guard: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof Ungradable) return undefined;
        throw error;
      }
    },
    count: (metric) => Math.max(0, (seen.get(metric)?.length ?? 0) - 1),
    spread: (metric) => {
      const deltas = seen.get(metric) ?? [];
      const squares = deltas.reduce((sum, delta) => sum + delta * delta, 0);
      return deltas.length === 0 ? 0 : Math.sqrt(squares / deltas.length);
    },
  };
}

const sides: readonly ("head" | "base")[] = ["head", "base"];

/** Grades both sides at once, because each is work for a process of its own. */
async function gradeArms(
  evaluation: Evaluation,
  swapped: Uint8Array,
  context: RunContext,
): Promise<Deltas> {
  const given = new Map<"head" | "base", Scores>();
  await forEachConcurrently([sides], 2, async (side) => {
    given.set(side, await gradeArm(evaluation, { swapped, side }, context));
  });
  return new Map(
    evaluation.metrics.flatMap((metric): [string, number][] => {
      const [head, base] = [given.get("head")?.[metric], given.get("base")?.[metric]];
      return head === undefined || base === undefined ? [] : [[metric, head - base]];
    }),
  );
}

async function gradeArm(
  { arms, gradeBatch, about }: Evaluation,
  arm: { readonly swapped: Uint8Array; readonly side: "head" | "base" },
  context: RunContext,
): Promise<Scores> {
  if (isOver(context)) throw new Ungradable("stopped");
  const started = context.tools.now();
  // Several graders read the samples one after the other, each from the start.
  const samples = { [Symbol.asyncIterator]: () => linesOf(arms, arm) };
  const graded = await gradeBatch(about, samples);
  context.totals.addGradeMs(context.tools.now() - started);
  if (graded.kind !== "graded") throw new Ungradable(graded.message);
  return graded.metrics;
}

async function* linesOf(
  { pairs }: Arms,
  { swapped, side }: { readonly swapped: Uint8Array; readonly side: "head" | "base" },
): AsyncGenerator<string> {
  for (const { head, base, swap } of pairs) {
    const isSwapped = swap !== undefined && swapped[swap] === 1;
    yield* (side === "head") === isSwapped ? base : head;
  }
}
