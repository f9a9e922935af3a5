import type { ModelAsk } from "../model/ports/bridge.ts";
import { modelOf } from "../model/definition/candidate-kinds.ts";
import type { Usage } from "../model/outcomes/sample.ts";
import type { Spent } from "../model/ports/store.ts";
import type { Budget } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import type { Bill, StopSignal, CallBill, Meter } from "../model/figures/spending.ts";
import { overspent } from "./budget.ts";
import { answerEstimate, callEstimate, outputLimit } from "../plan/estimate.ts";
import { createReservations, type Release } from "./reservations.ts";
import { addSpent, addUsage, nothingSpent } from "../model/figures/spent.ts";
import { createUsual, type Usual } from "../plan/usual.ts";

interface Spending {
  readonly budget: Budget;
  readonly candidates: readonly CandidateSpec[];
  readonly earlier: Spent;
  /** Spending of the same run in other directories. */
  readonly elsewhere?: Spent;
  /** Other runs that spend from the same budget at the same time. */
  readonly beside?: Beside;
}

export interface Beside {
  readonly spent: () => Spent;
  readonly held: () => Spent;
  /** Called when this meter releases a reservation. */
  readonly onRelease: () => void;
}

const nobody: Beside = {
  spent: () => nothingSpent,
  held: () => nothingSpent,
  onRelease: () => undefined,
};

/**
 * A meter that starts at the spending of earlier attempts: a resumed run has the rest of the budget, and stops at once if
 * nothing is left. If a model reports no usage, the most that it may have used is counted, so that the budget holds.
 */
export function createMeter(spending: Spending, stopSignal: StopSignal): Meter {
  const { candidates, elsewhere = nothingSpent } = spending;
  const account = openAccount(spending, stopSignal);
  const usual = createUsual();
  const counting: Counting = { ...account, usual };
  const models = new Map(
    candidates.flatMap((each) => {
      const model = modelOf(each);
      return model === undefined ? [] : [[each.id, model] as const];
    }),
  );
  return {
    spent: () => addSpent(account.own(), elsewhere),
    own: account.own,
    held: account.held,
    changed: account.changed,
    reserve: async (id, { prompt }) => {
      const model = models.get(id);
      const expected = (asked: string): Spent | undefined => {
        if (model === undefined) return usual.cost(id);
        const output = outputLimit(model) ?? usual.output(id);
        return output === undefined ? undefined : answerEstimate(model, asked, output);
      };
      const most = (asked: string): Spent | undefined => model && answerEstimate(model, asked);
      const release = await account.reserve(() => expected(prompt));
      const isModel = model !== undefined;
      return release && billOf({ id, isModel, prompt, release, expected, most }, counting);
    },
    reserveCall: (ask) => reserveCall(ask, counting),
  };
}

interface Account {
  readonly own: () => Spent;
  readonly add: (more: Spent) => void;
  readonly reserve: (cost: () => Spent | undefined) => Promise<Release | undefined>;
  readonly held: () => Spent;
  readonly changed: () => void;
}

function openAccount(
  { budget, earlier, elsewhere = nothingSpent, beside = nobody }: Spending,
  stopSignal: StopSignal,
): Account {
  let own = earlier;
  const all = (): Spent => addSpent(addSpent(own, elsewhere), beside.spent());
  const isLimited = budget.usd !== undefined || budget.tokens !== undefined;
  const add = (more: Spent): void => {
    own = addSpent(own, more);
    const found = isLimited ? overspent(budget, all()) : undefined;
    if (found) stopSignal.stop(found);
  };
  const { reserve, held, changed } = createReservations({
    budget,
    spent: all,
    heldBeside: beside.held,
    isOver: () => stopSignal.cause() !== undefined,
    onTooSmall: stopSignal.stop,
    onRelease: beside.onRelease,
  });
  // The budget is checked at once, because earlier attempts may have left nothing.
  add(nothingSpent);
  return {
    own: () => own,
    add,
    held,
    changed,
    reserve: async (cost) => (isLimited ? reserve(cost) : () => undefined),
  };
}

async function reserveCall(
  ask: ModelAsk,
  { add, reserve, usual }: Counting,
): Promise<CallBill | undefined> {
  const name = `grader ${ask.model.model}`;
  const release = await reserve(() => {
    const output = outputLimit(ask) ?? usual.output(name);
    return output === undefined ? undefined : callEstimate(ask, output);
  });
  if (release === undefined) return undefined;
  return {
    release,
    settle: (reply) => {
      if (reply.kind !== "answered") return;
      usual.learn(name, reply.usage);
      add(reply.usage === null ? callEstimate(ask) : addUsage(nothingSpent, reply.usage));
    },
  };
}

interface Request {
  readonly id: string;
  readonly isModel: boolean;
  readonly prompt: string;
  readonly release: Release;
  readonly expected: (prompt: string) => Spent | undefined;
  /** Upper limit of an answer whose usage is not reported; undefined for candidates that are not models. */
  readonly most: (prompt: string) => Spent | undefined;
}

type Counting = Pick<Account, "add" | "reserve"> & { readonly usual: Usual };

function billOf(request: Request, { add, reserve, usual }: Counting): Bill {
  const { id, isModel, expected, most } = request;
  let release: Release | undefined = request.release;
  let asked = (): string => request.prompt;
  let [isTold, isReckoned] = [false, false];
  const take = (usage: Usage | null | undefined): void => {
    const reckoned = usage === null ? most(asked()) : undefined;
    isReckoned ||= reckoned !== undefined;
    // A request without an answer gives no information about the usage of answers.
    if (usage !== undefined || !isModel) usual.learn(id, usage ?? null);
    add(reckoned ?? addUsage(nothingSpent, usage));
  };
  return {
    pay: async (usage, asksAgain, next) => {
      isTold = true;
      take(usage);
      if (!asksAgain) return true;
      asked = next ?? asked;
      release?.();
      release = await reserve(() => expected(asked()));
      return release !== undefined;
    },
    settle: ({ usage }) => {
      if (!isTold) take(usage);
      return isReckoned;
    },
    release: () => release?.(),
  };
}
