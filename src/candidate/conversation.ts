import { ownValue } from "../model/own-value.ts";
import { canonicalJson, type Json, type JsonObject } from "../model/json.ts";
import {
  storedMessages,
  textOfContent,
  textOfMessages,
  type Message,
} from "../model/models/message.ts";
import type {
  Candidate,
  Generated,
  GenerateRequest,
  Pay,
  RecordedResult,
  ToolResults,
} from "../model/models/candidate.ts";
import { type Usage, plus } from "../model/outcomes/sample.ts";
import {
  messageCall,
  openCalls,
  parseArguments,
  type Transcript,
} from "../model/models/transcript.ts";

/** Maximum number of rounds of tool results in a row before a candidate has to answer. */
const mostRounds = 20;

type Answered = Extract<Generated, { readonly kind: "answered" }>;

/** The parts of a request, except its prompt, that the answer depends on, for the cache key. */
export function conversationKey({
  messages,
  turns = [],
  toolResults,
}: Partial<GenerateRequest>): JsonObject {
  return {
    ...(messages && { messages: storedMessages(messages), turns: storedMessages(turns) }),
    ...(toolResults && { toolResults }),
  };
}

/**
 * Asks a candidate turn by turn: it receives its own earlier answers and the recorded results of the tools that it
 * calls. The events in between become the sample's transcript; the last answer is its output.
 */
export function conversing(generate: Candidate["generate"]): Candidate["generate"] {
  return async (request, signal, pay) => {
    const { turns = [], toolResults } = request;
    if (turns.length === 0 && toolResults === undefined)
      return withoutThoughts(await generate(request, signal, pay));
    return converse({ generate, request, signal, pay });
  };
}

interface Asking {
  readonly generate: Candidate["generate"];
  readonly request: GenerateRequest;
  readonly signal: AbortSignal;
  readonly pay: Pay | undefined;
}

/** The conversation so far. */
interface ConversationState extends ConversationSoFar {
  readonly usage: Usage | undefined;
}

interface ConversationSoFar {
  readonly messages: readonly Message[];
  readonly turns: readonly Message[];
  readonly transcript: Transcript;
  /** Rounds of the current turn. */
  readonly rounds: number;
}

async function converse(asking: Asking): Promise<Generated> {
  const { request, signal } = asking;
  const { turns = [], toolResults = {}, prompt } = request;
  const messages = request.messages ?? [{ role: "user" as const, content: prompt }];
  let conversation: ConversationState = {
    messages,
    turns,
    transcript: [],
    usage: undefined,
    rounds: 0,
  };
  for (;;) {
    const bill = holdBack(asking.pay);
    const { turns: _turns, toolResults: _results, ...first } = request;
    const asked = { ...first, ...askedNow(request, conversation) };
    const generated = await asking.generate(asked, signal, bill.pay);
    const said = { ...conversation, usage: sum(conversation.usage, generated.usage) };
    const next = generated.kind === "answered" ? goOn(generated, said, toolResults) : "over";
    const mayGoOn = await bill.settle(next !== "over" && next !== "too_many_rounds");
    if (next === "over") return ended(generated, said);
    if (next === "too_many_rounds") return ended(tooManyRounds(generated), said);
    if (!mayGoOn || signal.aborted) return ended(stopped, { ...said, ...next });
    conversation = { ...said, ...next };
  }
}

/**
 * The next request. The first one has the prompt as text, so that it is byte for byte the same as without tools. Later
 * turns are not revealed.
 */
function askedNow(
  { messages: own, prompt }: GenerateRequest,
  { messages, transcript }: ConversationState,
): Pick<GenerateRequest, "prompt" | "messages"> {
  if (own === undefined && transcript.length === 0) return { prompt };
  return { prompt: textOfMessages(messages), messages };
}

/** Delays reporting an answer's cost until it is known whether another request follows. */
function holdBack(pay: Pay | undefined): {
  readonly pay: Pay;
  readonly settle: (asksAgain: boolean) => Promise<boolean>;
} {
  let held: { readonly usage: Usage | null } | undefined;
  return {
    pay: async (usage, asksAgain) => {
      if (asksAgain) return pay === undefined || pay(usage, true);
      held = { usage };
      return true;
    },
    settle: async (asksAgain) =>
      held === undefined || pay === undefined || pay(held.usage, asksAgain),
  };
}

function goOn(
  answer: Answered,
  conversation: ConversationState,
  toolResults: ToolResults,
): ConversationSoFar | "over" | "too_many_rounds" {
  const calls = openCalls(answer.transcript);
  if (calls.length > 0) {
    const results = resultsFor(calls, toolResults);
    if (results === undefined) return "over";
    if (conversation.rounds >= mostRounds) return "too_many_rounds";
    return withResults(answer, conversation, { calls, results });
  }
  const [turn, ...turns] = conversation.turns;
  return turn === undefined ? "over" : withTurn(answer, { ...conversation, turns }, turn);
}

/** The recorded results of all calls; undefined if one of them has no result. */
function resultsFor(
  calls: Transcript,
  toolResults: ToolResults,
): readonly RecordedResult[] | undefined {
  const found = calls.map((call) => {
    const { name, arguments: given } = messageCall(call, 0);
    return resultFor(ownValue(toolResults, name) ?? [], given);
  });
  const results = found.filter((each) => each !== undefined);
  return results.length === calls.length ? results : undefined;
}

function resultFor(results: readonly RecordedResult[], given: string): RecordedResult | undefined {
  const parsed = given.trim() === "" ? {} : parseArguments(given);
  const asked = parsed === undefined ? undefined : canonicalJson(parsed);
  const isFor = (each: RecordedResult): boolean =>
    each.arguments !== undefined && canonical(each.arguments) === asked;
  return results.find(isFor) ?? results.find((each) => each.arguments === undefined);
}

/** A value's canonical JSON, in which numbers are compared by value; numbers of a row otherwise keep their spelling. */
function canonical(value: Json): string | undefined {
  const plain = parseArguments(JSON.stringify(value));
  return plain === undefined ? undefined : canonicalJson(plain);
}

function withResults(
  answer: Answered,
  conversation: ConversationState,
  given: { readonly calls: Transcript; readonly results: readonly RecordedResult[] },
): ConversationSoFar {
  const start = conversation.transcript.length;
  // A call without an id gets one, so that its result can name it.
  const tool_calls = given.calls.map((call, i) => messageCall(call, start + i));
  const outputs = given.results.map(({ output, is_error }, i) => ({
    type: "tool_result",
    id: tool_calls[i]?.id ?? null,
    output,
    ...(is_error && { is_error }),
  }));
  const named = namedCalls(
    answer.transcript ?? [],
    given.calls,
    tool_calls.map(({ id }) => id),
  );
  const thoughts = answer.thoughts && { thoughts: answer.thoughts };
  const said = { role: "assistant", content: answer.outputText, tool_calls, ...thoughts } as const;
  const tools = outputs.map(({ id, output }): Message => ({
    role: "tool",
    content: output,
    tool_call_id: id ?? "",
  }));
  return {
    messages: [...conversation.messages, said, ...tools],
    turns: conversation.turns,
    transcript: [...conversation.transcript, ...withText(named, answer.outputText), ...outputs],
    rounds: conversation.rounds + 1,
  };
}

/** Entries with the text that a model gave beside its calls, which is sent back before them. */
function withText(entries: Transcript, text: string): Transcript {
  if (text === "") return entries;
  const first = entries.findIndex(({ type }) => type === "tool_call");
  const said = { type: "message", role: "assistant", text };
  return [...entries.slice(0, first), said, ...entries.slice(first)];
}

function namedCalls(transcript: Transcript, calls: Transcript, ids: readonly string[]): Transcript {
  return transcript.map((entry) => {
    const i = calls.indexOf(entry);
    return i === -1 ? entry : { ...entry, id: ids[i] ?? null };
  });
}

function withTurn(
  answer: Answered,
  conversation: ConversationState,
  turn: Message,
): ConversationSoFar {
  const { outputText: text } = answer;
  return {
    messages: [...conversation.messages, { role: "assistant", content: text }, turn],
    turns: conversation.turns,
    transcript: [
      ...conversation.transcript,
      ...(answer.transcript ?? []),
      { type: "message", role: "assistant", text },
      { type: "message", role: "user", text: textOfContent(turn.content) },
    ],
    rounds: 0,
  };
}

const stopped: Generated = {
  kind: "unavailable",
  type: "cancelled",
  message: "the run was stopped in the middle of the conversation",
};

function tooManyRounds({ transcript = null }: Generated): Generated {
  const message = `it called tools ${mostRounds + 1} times in a row without an answer; their results were given ${mostRounds} times`;
  return { kind: "failed", type: "too_many_tool_rounds", message, transcript };
}

/** The end of a conversation, with the transcript and usage of all its turns. */
function ended(generated: Generated, { transcript: before, usage }: ConversationState): Generated {
  const all = [...before, ...(generated.transcript ?? [])];
  const transcript = all.length === 0 ? null : all;
  if (generated.kind === "answered")
    return withoutThoughts({ ...generated, transcript, usage: usage ?? null });
  return { ...generated, transcript, ...(usage && { usage }) };
}

/** Removes encrypted thoughts from a result: they serve only this conversation and are not stored. */
function withoutThoughts(generated: Generated): Generated {
  if (generated.kind !== "answered") return generated;
  const { thoughts: _thoughts, ...answer } = generated;
  return answer;
}

function sum(one: Usage | undefined, other: Usage | null | undefined): Usage | undefined {
  if (one === undefined || !other) return one ?? other ?? undefined;
  return plus(one, other);
}
