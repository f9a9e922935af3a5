import { priceOf } from "../domain/prices.ts";
import type { ModelAsk, ModelReply } from "../domain/bridge.ts";
import type { Clock, GenerateRequest, Generated, Pay } from "../domain/ports.ts";
import type { RunStore, Spent } from "../domain/store.ts";
import { problem } from "../domain/refusal.ts";
import type { Place, Problem } from "../domain/refusal.ts";
import { usageOfCalls } from "../domain/sample.ts";
import type { Usage } from "../domain/sample.ts";
import type { Budget, CandidateSpec, ModelRef } from "../domain/suite.ts";
import type { Brake, BudgetSpent } from "./brake.ts";
import { answerEstimate, callEstimate } from "./estimate.ts";

export const nothingSpent: Spent = { usd: 0, tokens: 0 };

/** The spent sum and one usage more. Cached tokens are part of the input, reasoning tokens of the output. */
export function addUsage(spent: Spent, usage: Usage | null | undefined): Spent {
  if (!usage) return spent;
  return {
    usd: spent.usd + (usage.usd ?? 0),
    tokens: spent.tokens + usage.input_tokens + usage.output_tokens,
  };
}

/**
 * What earlier attempts cost: a resumed run has the rest of its budget. Their own count has what is told nowhere; the
 * samples and answers have what a process that was killed did not come to count.
 */
export function spentBefore(store: SpentStore): Spent {
  const [told, counted] = [toldIn(store), store.spent?.counted ?? nothingSpent];
  return { usd: Math.max(told.usd, counted.usd), tokens: Math.max(told.tokens, counted.tokens) };
}

type SpentStore = Pick<RunStore, "finished" | "answers"> &
  Partial<Pick<RunStore, "batches" | "spent" | "earlier">>;

function toldIn({ finished, answers, batches, spent: before, earlier }: SpentStore): Spent {
  let spent = before?.again ?? nothingSpent;
  for (const [id, { usage, judgeUsage, cached }] of finished) {
    // Each attempt of a workflow run has a budget of its own.
    if (earlier?.has(id)) continue;
    // An answer from the cache was paid for by another run; its judge by this one.
    spent = addUsage(cached ? spent : addUsage(spent, usage), judgeUsage);
  }
  for (const { generated } of answers.values()) spent = addUsage(spent, generated.usage);
  for (const { graded } of batches?.values() ?? []) {
    spent = addUsage(spent, usageOfCalls(graded.modelCalls));
  }
  return spent;
}

/** What of a budget is used up; undefined where there is some of everything left. Minutes are the timer's business. */
export function overspent(budget: Budget, spent: Spent): BudgetSpent | undefined {
  for (const unit of ["usd", "tokens"] as const) {
    const limit = budget[unit];
    if (limit !== undefined && spent[unit] >= limit) {
      return { kind: "budget_spent", unit, limit };
    }
  }
  return undefined;
}

/** Counts what answers cost, and pulls the brake when the budget is spent. */
export interface Meter {
  /** For a request of this attempt: not one that an earlier attempt, or the cache, had paid for. */
  readonly bill: (candidateId: string, request: GenerateRequest) => Bill;
  /** A call of a grader. */
  readonly countCall: (ask: ModelAsk, reply: ModelReply) => void;
  readonly spent: () => Spent;
  /** Without what was spent elsewhere. */
  readonly own: () => Spent;
}

/** What one request costs, however often it is asked. */
export interface Bill {
  /** Counts an answer as it comes. */
  readonly pay: Pay;
  /** Counts what came of it in the end, where no answer was counted on the way. True: some of it is told nowhere. */
  readonly settle: (generated: Generated) => boolean;
}

export interface Spending {
  readonly budget: Budget;
  readonly candidates: readonly CandidateSpec[];
  readonly earlier: Spent;
  /** What the same run has spent in other directories. */
  readonly elsewhere?: Spent;
  /** What others spend of the same budget meanwhile. */
  readonly beside?: () => Spent;
}

/**
 * A meter that starts at what earlier attempts spent: a resumed run has what is left, and stops at once where nothing is.
 * A model that answers without a usage is taken to have used what it may have used at most: a budget has to hold.
 */
export function createMeter(
  { budget, candidates, earlier, elsewhere = nothingSpent, beside = () => nothingSpent }: Spending,
  brake: Brake,
): Meter {
  let own = earlier;
  const spent = (): Spent => addSpent(own, elsewhere);
  const models = new Map(
    candidates.flatMap((each) => (each.kind === "model" ? [[each.id, each] as const] : [])),
  );
  const isLimited = budget.usd !== undefined || budget.tokens !== undefined;
  const check = (): void => {
    if (!isLimited) return;
    const found = overspent(budget, addSpent(spent(), beside()));
    if (found) brake.pull(found);
  };
  check();
  const add = (more: Spent): void => {
    own = addSpent(own, more);
    check();
  };
  return {
    spent,
    own: () => own,
    bill: (candidateId, { prompt }) => {
      const model = models.get(candidateId);
      let [isTold, isReckoned] = [false, false];
      const take = (usage: Usage | null | undefined): void => {
        const isUnknown = model !== undefined && usage === null;
        isReckoned ||= isUnknown;
        add(isUnknown ? answerEstimate(model, prompt) : addUsage(nothingSpent, usage));
      };
      return {
        pay: (usage) => {
          isTold = true;
          take(usage);
          return brake.cause() === undefined;
        },
        settle: ({ usage }) => {
          if (!isTold) take(usage);
          return isReckoned;
        },
      };
    },
    countCall: (ask, reply) => {
      if (reply.kind !== "answered") return;
      add(reply.usage === null ? callEstimate(ask) : addUsage(nothingSpent, reply.usage));
    },
  };
}

/** Both together. */
export function addSpent(a: Spent, b: Spent): Spent {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens };
}

/** Pulls the brake after the budget's minutes, which count from the start of this attempt; the signal ends the wait. */
export async function watchMinutes(
  { minutes }: Budget,
  {
    sleep,
    brake,
    signal,
    minutesUsed = 0,
  }: Pick<Clock, "sleep"> & {
    readonly brake: Brake;
    readonly signal: AbortSignal;
    readonly minutesUsed?: number;
  },
): Promise<void> {
  if (minutes === undefined) return;
  const left = Math.max(0, minutes - minutesUsed) * 60_000;
  await sleep(Math.min(left, longestTimerMs), signal);
  if (signal.aborted) return;
  brake.pull({ kind: "budget_spent", unit: "minutes", limit: minutes });
}

/** Timers take 31 bits: 24 days. */
const longestTimerMs = 2 ** 31 - 1;

/** A budget in dollars can't hold where a model has no price. */
export function budgetProblems(
  budget: Budget,
  candidates: readonly CandidateSpec[],
  place: Place,
): readonly Problem[] {
  const models = candidates.filter((each) => each.kind === "model");
  return priceProblems(budget, models, place);
}

/** The same of models that graders ask. */
export function priceProblems(
  budget: Budget,
  models: readonly ModelRef[],
  place: Place,
): readonly Problem[] {
  if (budget.usd === undefined) return [];
  return models.flatMap(({ model, name, provider }) => {
    if (priceOf(provider, name) !== undefined) return [];
    return [problem("budget_price_unknown", { model, name, provider: provider.id }, place)];
  });
}
