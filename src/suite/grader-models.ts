import { createGraderAsk } from "../candidate/provider/grader-ask.ts";
import { findKey, keyProblems } from "../candidate/provider/key.ts";
import type { TrafficControl } from "../candidate/resilience/traffic.ts";
import type { ModelAsk, ModelReply } from "../model/ports/bridge.ts";
import { asksModels, modelsAllowed, singleGraders } from "../model/definition/graders.ts";
import type { Place, Problem } from "../model/refusal.ts";
import type { Slots } from "../model/ports/slots.ts";
import type { ModelRef, Suite, Task } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import type { RunModels } from "../grading/bridge-models.ts";
import type { StopSignal, CallBill, Meter } from "../model/figures/spending.ts";
import { createSemaphore, inSlot } from "../base/semaphore.ts";
import type { Tools } from "../tools.ts";

/** Access to the models that the graders of a run may ask. */
export interface GraderModelAccess {
  /** Access to models, passed to graders when they are opened. */
  readonly models: RunModels;
  /** Enables calls: from now on they are sent and counted. */
  readonly start: (run: AskingRun) => void;
}

/** The stop signal and the budget that a call is subject to. */
interface AskingRun {
  readonly stopSignal: StopSignal;
  readonly meter: Meter;
}

interface FinderParts {
  readonly suite: Pick<Suite, "judge_model" | "embedding_model" | "askable" | "concurrency">;
  readonly candidates: readonly CandidateSpec[];
  readonly traffic: TrafficControl;
}

/** Access to models before any call is sent. */
export function openGraderModels(parts: FinderParts, tools: Tools): GraderModelAccess {
  const { suite, candidates, traffic } = parts;
  const { environment, sendHttp, clock } = tools.candidateTools;
  const sender = createGraderAsk({ environment, sendHttp, clock, trafficOf: traffic.of });
  const placesOf = createPlaces(suite.concurrency, sender.slotsOf);
  let run: AskingRun | undefined;
  const isOver = (): boolean =>
    run === undefined || tools.signal.aborted || run.stopSignal.cause() !== undefined;
  const sendOn = async (ask: ModelAsk, bill: CallBill): Promise<ModelReply> => {
    try {
      if (isOver() || ask.signal.aborted) return notSent;
      const signal = AbortSignal.any([ask.signal, tools.signal]);
      const reply = await sender.ask({ ...ask, signal });
      bill.settle(reply);
      return reply;
    } finally {
      bill.release();
    }
  };
  const send = async (ask: ModelAsk): Promise<ModelReply> => {
    if (isOver() || ask.signal.aborted) return notSent;
    const bill = await run?.meter.reserveCall(ask);
    if (bill === undefined) return notSent;
    const reply = await sendOn(ask, bill);
    if (reply.kind === "halted") {
      const candidate = `${ask.model.model}, which a grader asks`;
      run?.stopSignal.stop({ kind: "halted", candidate, message: reply.message });
    }
    return reply;
  };
  return {
    start: (started) => {
      run = started;
    },
    models: {
      judge: suite.judge_model,
      embedding: suite.embedding_model,
      candidates: suite.askable ?? candidates.filter((each) => each.kind === "model"),
      // A call after the end of the run need not wait for a slot.
      ask: async (ask) => (isOver() ? notSent : inSlot(placesOf(ask.model), () => send(ask))),
      inTurn: createTurns(suite.concurrency),
      now: tools.now,
      hashText: tools.files.hashText,
    },
  };
}

/** The same result as for a candidate's request that the end of the run prevented: such a sample is not recorded. */
const notSent = {
  kind: "unavailable",
  type: "cancelled",
  message: "the run was stopped",
} as const satisfies ModelReply;

/**
 * Slots for calls in flight. With `auto`, they are those of the provider and the key, shared with candidates; a number is
 * the limit of parallel calls to one model, as for a candidate's requests.
 */
function createPlaces(
  concurrency: Suite["concurrency"],
  learning: (model: ModelRef) => Slots,
): (model: ModelRef) => Slots {
  if (concurrency === "auto") return learning;
  const known = new Map<string, Slots>();
  return ({ model }) => {
    const slots = known.get(model) ?? createSemaphore(concurrency);
    known.set(model, slots);
    return slots;
  };
}

/**
 * With a fixed limit of parallel calls, no more graders than that run at the same time, if they may ask models:
 * otherwise a grader that waits for its call would use up its own time limit, and its call would be sent just before
 * the limit ends. With `auto` the provider sets the limit, which is high, and unknown beforehand.
 */
function createTurns(concurrency: Suite["concurrency"]): RunModels["inTurn"] {
  if (concurrency === "auto") return (execute) => execute();
  const turns = createSemaphore(concurrency);
  return (execute) => inSlot(turns, execute);
}

/** A model that the manifest lets some grader of these tasks ask, and where the manifest names it. */
interface NamedModel {
  readonly ref: ModelRef;
  readonly place: Place;
}

/** The models that graders may ask in addition to the candidates'; none if no grader may ask any. */
export function modelsNamed(
  { suite, place }: NamingSuite,
  chosen: readonly Task[],
): readonly NamedModel[] {
  const asking = chosen.filter(({ grader }) => asksModels(grader));
  if (asking.length === 0) return [];
  const own = [
    { ref: suite.judge_model, path: ["run", "judge_model"] },
    { ref: suite.embedding_model, path: ["run", "embedding_model"] },
  ].flatMap(({ ref, path }) => (ref === undefined ? [] : [{ ref, place: place(path) }]));
  const allowed = asking.flatMap((task) => {
    const key = task.grader.type === "several" ? "graders" : "grader";
    const where = place(["tasks", suite.tasks.indexOf(task), key]);
    return singleGraders(task.grader).flatMap((grader) =>
      modelsAllowed(grader).map((ref) => ({ ref, place: where })),
    );
  });
  return [...own, ...allowed];
}

interface NamingSuite {
  readonly suite: Pick<Suite, "judge_model" | "embedding_model" | "tasks">;
  readonly place: (path: readonly (string | number)[]) => Place;
}

/** Problems of missing keys, each variable once. */
export function namedModelProblems(
  named: readonly NamedModel[],
  { environment }: Pick<Tools["candidateTools"], "environment">,
): readonly Problem[] {
  const seen = new Set<string>();
  return named.flatMap(({ ref, place }) => {
    const variable = ref.provider.api_key_env ?? "";
    if (seen.has(variable)) return [];
    seen.add(variable);
    return keyProblems(ref, findKey(ref.provider, environment), place);
  });
}
