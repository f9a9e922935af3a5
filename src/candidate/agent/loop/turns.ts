import type { AgentModel } from "../../../model/models/agent.ts";
import type { JsonObject } from "../../../model/json.ts";
import { textOfMessages, type Message, type MessageCall } from "../../../model/models/message.ts";
import type { Pay } from "../../../model/models/candidate.ts";
import { priceOf } from "../../../model/models/prices.ts";
import type { Usage } from "../../../model/outcomes/sample.ts";
import { messageCall } from "../../../model/models/transcript.ts";
import type { ModelAnswer, SaidAnswer } from "../../provider/answer.ts";
import type { SendPrompt } from "../../provider/ask.ts";
import { cutAtStop } from "../../provider/stop.ts";
import { addTokens, priced, type TokenCount } from "../../provider/usage.ts";
import type { AgentOutcome, AgentRun } from "../runtime.ts";
import { callEntry, resultEntry, runCalls, type CallEnd, type PlannedCall } from "./calls.ts";
import type { OfferedTool } from "./offer.ts";
import type { TimeLimit } from "./time-limit.ts";
import { createToolTexts } from "./tool-text.ts";

/** A model, its tools, and the limits of one sample. */
interface Loop {
  readonly program: AgentModel;
  readonly prompt: string;
  /** Asks for the first answer, and for the later ones. */
  readonly askFirst: SendPrompt;
  readonly ask: SendPrompt;
  readonly offered: readonly OfferedTool[];
  readonly timeoutOf: (server: string) => number;
  readonly maxTurns: number;
  readonly limit: TimeLimit;
  readonly pay: Pay;
  readonly add: (entry: JsonObject) => void;
}

/** Result of the turns; `due` as in `AgentRun`. */
interface TurnsEnd extends Pick<AgentRun, "usage" | "due" | "outcome"> {
  readonly turns: number;
}

/**
 * Calls the model, runs the tools that it asks for side by side, and returns their results to it, until it answers
 * without a call. Each answer's cost is counted before the next request, which waits until the budget allows it.
 */
export async function takeTurns(loop: Loop): Promise<TurnsEnd> {
  const { limit, program, pay } = loop;
  const cut = createToolTexts();
  const conversation = createConversation(loop.prompt);
  const nextText = (): string => conversation.text() + JSON.stringify(loop.offered);
  let tokens: TokenCount | null = null;
  let empty = 0;
  for (let turns = 0; ; turns += 1) {
    const end = await askModel(loop, conversation, turns);
    const told = { usage: usageOf(tokens, program), turns };
    if (end.kind === "not_answered") return { ...told, outcome: stoppedBy(end.generated, limit) };
    tokens = addTokens(tokens, end.tokens);
    const due = { usage: usageOf(end.tokens, program) };
    const answered = { usage: usageOf(tokens, program), turns: turns + 1, due };
    const calls = end.kind === "said" ? planCalls(end, conversation, loop.offered) : [];
    addToTranscript(end, calls, loop);
    const outcome = outcomeOf(end, { calls, loop, turns: turns + 1, empty });
    if (outcome !== undefined) return { ...answered, outcome };
    if (calls.length === 0) empty += 1;
    const ends = await limit.during(() => runCalls(calls, { ...loop, signal: limit.signal, cut }));
    for (const each of ends) loop.add(resultEntry(each));
    if (limit.signal.aborted) return { ...answered, outcome: stoppedBy(undefined, limit) };
    if (end.kind === "said" && calls.length > 0) conversation.add(end, ends);
    if (!(await pay(due.usage, true, nextText))) {
      const { due: _paid, ...rest } = answered;
      return { ...rest, outcome: stoppedBy(undefined, limit) };
    }
  }
}

/** Calls the model. The first request has the prompt as text, so that it equals that of a model candidate. */
function askModel(
  { ask, askFirst, prompt, limit }: Loop,
  conversation: Conversation,
  turns: number,
): ReturnType<SendPrompt> {
  const { signal } = limit;
  const messages = conversation.messages();
  if (messages.length === 1) return (turns === 0 ? askFirst : ask)({ prompt, signal });
  return ask({ prompt: "", messages, signal });
}

type Answer = Exclude<ModelAnswer, { readonly kind: "malformed" }>;
/** The conversation so far, as it is sent to the model. */
interface Conversation {
  readonly messages: () => readonly Message[];
  readonly text: () => string;
  /** Adds an answer with its calls, and their results. */
  readonly add: (answer: SaidAnswer, ends: readonly CallEnd[]) => void;
  /** The id of a call, made distinct where the model gives none, or one that it gave before. */
  readonly idFor: (id: string) => string;
}

function createConversation(prompt: string): Conversation {
  const messages: Message[] = [{ role: "user", content: prompt }];
  const ids = new Set<string>();
  return {
    messages: () => messages,
    text: () => textOfMessages(messages),
    add: ({ text, thoughts }, ends) => {
      const tool_calls = ends.map(({ call }) => call);
      messages.push({
        role: "assistant",
        content: text,
        tool_calls,
        ...(thoughts && { thoughts }),
      });
      for (const { call, output } of ends)
        messages.push({ role: "tool", content: output, tool_call_id: call.id });
    },
    idFor: (id) => {
      let distinct = id;
      for (let number = 2; ids.has(distinct); number += 1) distinct = `${id}_${number}`;
      ids.add(distinct);
      return distinct;
    },
  };
}

function planCalls(
  { transcript }: SaidAnswer,
  conversation: Conversation,
  offered: readonly OfferedTool[],
): readonly PlannedCall[] {
  return transcript.filter(isCall).map((entry, i) => {
    const found = messageCall(entry, i);
    const call: MessageCall = { ...found, id: conversation.idFor(found.id) };
    return { call, tool: offered.find(({ name }) => name === call.name) };
  });
}

function isCall({ type }: JsonObject): boolean {
  return type === "tool_call";
}

/**
 * Adds an answer's thoughts, text and calls to the transcript, in this order. The text of the last answer is left out,
 * because it is the sample's output.
 */
function addToTranscript(end: Answer, calls: readonly PlannedCall[], { add }: Loop): void {
  for (const entry of end.transcript) if (!isCall(entry)) add(entry);
  if (end.kind !== "said") return;
  if (calls.length > 0 && end.text !== "")
    add({ type: "message", role: "assistant", text: end.text });
  for (const planned of calls) add(callEntry(planned));
  if (end.cutOff !== undefined) add({ type: "incomplete", reason: end.cutOff });
}

interface Turn {
  readonly calls: readonly PlannedCall[];
  readonly loop: Loop;
  readonly turns: number;
  /** Number of empty answers before this one. */
  readonly empty: number;
}

/** The outcome of the loop after an answer; undefined if it goes on. */
function outcomeOf(end: Answer, { calls, loop, turns, empty }: Turn): AgentOutcome | undefined {
  if (end.kind === "refused") {
    const { type, message } = end;
    return { kind: "refused", type, message };
  }
  const { generation } = loop.program;
  const outputText = cutAtStop(end.text, generation.stop);
  if (calls.length === 0 && outputText.trim() !== "")
    return { kind: "answered", outputText, incomplete: isCutOff(end, outputText) };
  if (calls.length === 0 && empty >= generation.max_empty_retries)
    return { kind: "failed", type: "empty_answer", message: "the model answered with nothing" };
  if (turns < loop.maxTurns) return undefined;
  const message = `not done after ${loop.maxTurns} turns (max_turns)`;
  return { kind: "failed", type: "max_turns", message };
}

/**
 * True if the provider cut the text short. A text that ends at a stop sequence is complete, wherever the provider
 * stopped.
 */
function isCutOff({ text, cutOff }: SaidAnswer, outputText: string): boolean {
  return cutOff !== undefined && outputText === text;
}

type NotAnswered = Extract<
  Awaited<ReturnType<SendPrompt>>,
  { readonly kind: "not_answered" }
>["generated"];

/**
 * The outcome after a failed request, which has already been retried. A used-up time limit is checked first, because it
 * cancels the requests under way.
 */
function stoppedBy(generated: NotAnswered | undefined, limit: TimeLimit): AgentOutcome {
  if (limit.isOver())
    return { kind: "failed", type: "timeout", message: "not done in time (timeout_seconds)" };
  if (generated !== undefined) {
    const { kind, type, message } = generated;
    return { kind, type, message, isFinal: true };
  }
  const message = "the run was stopped while the agent worked";
  return { kind: "unavailable", type: "cancelled", message };
}

function usageOf(tokens: TokenCount | null, { provider, name }: AgentModel): Usage | null {
  return tokens === null ? null : priced(tokens, priceOf(provider, name));
}
