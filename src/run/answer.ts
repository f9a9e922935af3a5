import type { Generated, GenerateRequest } from "../model/ports.ts";
import type { Slots } from "../model/ports.ts";
import type { Answer } from "../model/store.ts";
import { isoTime } from "../base/time.ts";
import { mostPromptBytes } from "../base/written-size.ts";
import { atTodaysPrice } from "./response-cache.ts";
import type { Pace } from "./backpressure.ts";
import type { RunContext } from "./run-task.ts";
import type { PlannedSample, RenderedPrompt } from "./sample.ts";

interface Asked {
  readonly planned: PlannedSample;
  readonly request: GenerateRequest;
}

/** The candidate's answer, or the one that an earlier attempt or an earlier run paid for. */
export async function answerOf(
  { tooLarge, ...asked }: Asked & Pick<RenderedPrompt, "tooLarge">,
  {
    context,
    pace,
    slots,
  }: {
    readonly context: RunContext;
    readonly pace: Pace;
    readonly slots: ReadonlyMap<string, Slots>;
  },
): Promise<Answer> {
  try {
    const { planned, request } = asked;
    if (tooLarge) return unasked(tooLarge, context);
    const known = context.store.answers.get(planned.id);
    if (known) return atTodaysPrice(known, planned.candidate);
    const recalled = await context.memory.recall(planned.candidate, request);
    if (recalled) return { ...recalled, createdAt: isoTime(context.tools.now()) };
    return await askAndKeep(asked, context, slots.get(planned.candidate.id));
  } finally {
    pace.answered();
  }
}

/**
 * An answer keeps its place until it is kept: whenever the process is killed, no more answers are lost than requests may be
 * in flight.
 */
async function askAndKeep(
  asked: Asked,
  context: RunContext,
  slots: Slots | undefined,
): Promise<Answer> {
  const { planned, request } = asked;
  const { id, candidate } = planned;
  await slots?.enter();
  try {
    const { store } = context;
    const startedMs = context.tools.now();
    const generated = await askOnce(asked, context);
    const given = take(generated, { planned, startedMs }, context);
    if (!candidate.costly || generated.kind !== "answered") return given;
    const remembered = context.memory.remember(candidate, request, given);
    await store.recordAnswer(id, given);
    if (remembered !== undefined) await remembered;
    return given;
  } finally {
    slots?.leave();
  }
}

/** Asks, unless the run has ended. What it cost is counted as it comes. */
async function askOnce(
  { planned: { candidate }, request }: Asked,
  { tools, stopSignal, meter, store }: RunContext,
): Promise<Generated> {
  if (tools.signal.aborted || stopSignal.cause() !== undefined) return notStarted;
  const bill = await meter.reserve(candidate.id, request);
  if (bill === undefined || tools.signal.aborted) {
    bill?.release();
    return notStarted;
  }
  try {
    const generated = await candidate.generate(request, tools.signal, bill.pay);
    if (bill.settle(generated)) await store.recordSpent(meter.own());
    return generated;
  } finally {
    bill.release();
  }
}

/** The prompt is the candidate's side; that the target makes it too much is nobody's fault. */
function unasked(tooLarge: "prompt" | "target", { tools }: RunContext): Answer {
  const isOwn = tooLarge === "prompt";
  const what = isOwn ? "the prompt takes" : "the prompt and the target take";
  const message = `${what} more than ${mostPromptBytes / 1024 / 1024} MiB as JSON`;
  const kind = isOwn ? "failed" : "unavailable";
  const generated: Generated = { kind, type: "prompt_too_large", message };
  return { generated, latencyMs: 0, createdAt: isoTime(tools.now()) };
}

/** What a candidate says, too, of a request that the end of the run came before. */
export const notStarted = {
  kind: "unavailable",
  type: "cancelled",
  message: "the run was stopped",
} as const;

/** An end that all others would share stops the run. */
function take(
  generated: Generated,
  { planned, startedMs }: Pick<Asked, "planned"> & { readonly startedMs: number },
  { tools, stopSignal }: RunContext,
): Answer {
  if (generated.kind === "halted") {
    const candidate = planned.candidate.id;
    stopSignal.pull({ kind: "halted", candidate, message: generated.message });
  }
  return {
    generated,
    latencyMs: Math.round((tools.now() - startedMs) * 1000) / 1000,
    createdAt: isoTime(startedMs),
  };
}
