import { describe, expect, it } from "vitest";
import { responsesInput } from "../../src/candidate/provider/input-responses.ts";
import { conversing } from "../../src/candidate/conversation.ts";
import type { Message } from "../../src/model/models/message.ts";
import type { Generated, GenerateRequest, ToolResults } from "../../src/model/models/candidate.ts";
import type { Usage } from "../../src/model/outcomes/sample.ts";
import { conversationOf, openCalls, toolCallsOf } from "../../src/model/models/transcript.ts";
import { ask } from "./tools.ts";

const { signal } = new AbortController();
const usage: Usage = {
  input_tokens: 3,
  output_tokens: 2,
  cached_tokens: 0,
  reasoning_tokens: 0,
  usd: 0.25,
};

function said(
  outputText: string,
  calls: readonly (readonly [name: string, given: string])[] = [],
): Generated {
  const transcript = calls.map(([name, given], i) => ({
    type: "tool_call",
    id: `c${i}`,
    name,
    arguments: given,
  }));
  const common = { incomplete: false, responseId: null, usage };
  return {
    kind: "answered",
    outputText,
    transcript: calls.length === 0 ? null : transcript,
    ...common,
  };
}

const user = (content: string): Message => ({ role: "user", content });

/** Answers in turn, the last answer from then on; what it was asked each time. */
async function talk(answers: readonly Generated[], more: Partial<GenerateRequest>) {
  const asked: GenerateRequest[] = [];
  const paid: boolean[] = [];
  const generate = conversing(async (request, _, pay) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? said("?");
    asked.push(request);
    await pay?.(usage, false);
    return answer;
  });
  const end = await generate(ask("c", more), signal, async (_, asksAgain) => {
    paid.push(asksAgain);
    return true;
  });
  return { end, asked, paid };
}

describe("turns of the user", () => {
  const turns = { messages: [user("a")], turns: [user("b"), user("c")] };

  it("are asked one by one, each with the answers before it and nothing of those to come", async () => {
    const { end, asked, paid } = await talk([said("A"), said("B"), said("C")], turns);
    expect(asked.map(({ messages }) => messages)).toEqual([
      [user("a")],
      [user("a"), { role: "assistant", content: "A" }, user("b")],
      [
        user("a"),
        { role: "assistant", content: "A" },
        user("b"),
        { role: "assistant", content: "B" },
        user("c"),
      ],
    ]);
    expect(asked.map(({ prompt }) => prompt)[1]).toBe("[user]\na\n\n[assistant]\nA\n\n[user]\nb");
    expect(asked.some((request) => "turns" in request)).toBe(false);
    expect(end).toMatchObject({
      kind: "answered",
      outputText: "C",
      usage: { input_tokens: 9, usd: 0.75 },
    });
    expect(paid).toEqual([true, true, false]);
    const transcript = end.transcript ?? null;
    expect(conversationOf(turns, transcript)).toEqual(asked[2]?.messages);
  });

  it("end where the model refuses in the middle, with what was said until then", async () => {
    const refused: Generated = { kind: "refused", type: "refusal", message: "no", usage };
    const { end, asked } = await talk([said("A"), refused], turns);
    expect(asked).toHaveLength(2);
    expect(end).toMatchObject({
      kind: "refused",
      usage: { input_tokens: 6 },
      transcript: [
        { type: "message", role: "assistant", text: "A" },
        { type: "message", role: "user", text: "b" },
      ],
    });
  });

  it("end, as nobody's fault, where the budget has no room for the next one", async () => {
    const generate = conversing(async (_request, _signal, pay) => {
      await pay?.(usage, false);
      return said("A");
    });
    const end = await generate(ask("c", turns), signal, async (_, asksAgain) => !asksAgain);
    expect(end).toMatchObject({
      kind: "unavailable",
      type: "cancelled",
      usage: { input_tokens: 3 },
    });
  });
});

describe("recorded results of tools", () => {
  const toolResults: ToolResults = {
    get: [
      { arguments: { id: 1, deep: ["x"] }, output: "one", is_error: false },
      { output: "any", is_error: true },
    ],
    only: [{ arguments: {}, output: "none", is_error: false }],
  };

  it.each<[string, readonly (readonly [string, string])[], readonly string[]]>([
    ["the call's own", [["get", '{"deep": ["x"], "id": 1.0}']], ["one"]],
    ["that for any other arguments", [["get", '{"id": 2}']], ["any"]],
    ["that for any where the arguments are no JSON", [["get", '{"id":']], ["any"]],
    [
      "one each where several are called at once",
      [
        ["get", '{"id": 2}'],
        ["only", ""],
      ],
      ["any", "none"],
    ],
  ])("are %s", async (_, calls, outputs) => {
    const { end, asked } = await talk([said("", calls), said("done")], { toolResults });
    expect(asked[0]?.messages).toBeUndefined();
    const tools = asked[1]?.messages?.filter(({ role }) => role === "tool");
    expect(tools?.map(({ content }) => content)).toEqual(outputs);
    expect(end).toMatchObject({ kind: "answered", outputText: "done" });
    expect(openCalls(end.transcript ?? null)).toEqual([]);
    expect(toolCallsOf(end.transcript ?? null).map(({ result }) => result)).toEqual(outputs);
  });

  it("go back with the model's encrypted thoughts, which the sample does not keep", async () => {
    const thoughts = [{ type: "reasoning", summary: [], encrypted_content: "gAAAA" }];
    const first = Object.assign(said("", [["get", "{}"]]), { thoughts });
    const { end, asked } = await talk([first, Object.assign(said("done"), { thoughts })], {
      toolResults,
    });
    const input = responsesInput(asked[1]?.messages ?? []);
    expect(input.map(({ type = "message" }) => type)).toEqual([
      "message",
      "reasoning",
      "function_call",
      "function_call_output",
    ]);
    expect(JSON.stringify(end)).not.toContain("gAAAA");
    const [answered] = (await talk([Object.assign(said("hi"), { thoughts })], {})).asked;
    expect(JSON.stringify(answered)).not.toContain("gAAAA");
  });

  it.each([
    ["a tool without any", [["find", "{}"] as const]],
    ["a tool that is called otherwise", [["only", '{"x": 1}'] as const]],
    ["a name of every object", [["constructor", "{}"] as const]],
    ["one of two calls", [["get", "{}"] as const, ["find", "{}"] as const]],
  ])("end the sample where there are none for %s: the calls are its answer", async (_, calls) => {
    const { end, asked } = await talk([said("I look", calls)], {
      toolResults,
      messages: [user("q")],
      turns: [user("r")],
    });
    expect(asked).toHaveLength(1);
    expect(end).toMatchObject({ kind: "answered", outputText: "I look" });
    expect(openCalls(end.transcript ?? null)).toHaveLength(calls.length);
  });

  it("are given at most 20 times in a turn: a model that only calls has failed", async () => {
    const { end, asked } = await talk([said("", [["get", "{}"]])], { toolResults });
    expect(asked).toHaveLength(21);
    expect(end).toMatchObject({ kind: "failed", type: "too_many_tool_rounds" });
    expect(end.transcript).toHaveLength(41);
  });
});

describe("calls of tools, as graders see them", () => {
  it("are read where they are JSON, and keep their text where they are not", () => {
    const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
    const calls = ['{"a": [1, null]}', "", "[1]", '"x"', "{a: 1}", deep].map((given) => ({
      type: "tool_call",
      id: null,
      name: "f",
      arguments: given,
    }));
    expect(toolCallsOf(calls).map(({ id: _id, name: _name, ...rest }) => rest)).toEqual([
      { arguments: { a: [1, null] } },
      { arguments: {} },
      { arguments: [1] },
      { arguments: "x" },
      { arguments: null, arguments_text: "{a: 1}" },
      { arguments: null, arguments_text: deep },
    ]);
  });

  it("have their own results where a model counts its calls anew in each answer", () => {
    const call = { type: "tool_call", id: "0", name: "f", arguments: "{}" };
    const transcript = [
      call,
      { type: "tool_result", id: "0", output: "a" },
      call,
      { type: "tool_result", id: "0", output: { b: 1 }, is_error: true },
    ];
    expect(toolCallsOf(transcript).map(({ result, is_error }) => [result, is_error])).toEqual([
      ["a", undefined],
      ['{"b":1}', true],
    ]);
  });
});
