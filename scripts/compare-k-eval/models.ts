import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/**
 * The models for both tools, on the loopback: an agent's (Anthropic's Messages API) and a judge's (OpenAI's Chat API).
 * The agent's answer contains the scores that the judge will give, so that both tools are judged in the same way.
 */
export async function startModels(): Promise<{
  readonly url: string;
  readonly stop: () => void;
}> {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      if (request.url?.startsWith("/v1/messages/count_tokens"))
        return json(response, { input_tokens: 1 });
      if (request.url?.startsWith("/v1/messages")) return streamed(response, answerOf(body, asked));
      if (request.url?.startsWith("/v1/chat/completions")) return json(response, judged(body));
      response.statusCode = 404;
      return json(response, {});
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}

function json(response: ServerResponse, value: unknown): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, string>>;
    };

/**
 * If a server offers a tool, it is called first. Answers differ from one call to the next, so that repetitions have a
 * deviation.
 */
function answerOf(body: string, asked: Map<string, number>): readonly Block[] {
  const { tools = [] } = JSON.parse(body) as { readonly tools?: readonly { name: string }[] };
  const tool = tools.find(({ name }) => name.startsWith("mcp__graph"));
  const question = /Question (\d+)\?/.exec(body)?.[0] ?? "";
  if (tool !== undefined && !body.includes('"tool_result"'))
    return [
      { type: "text", text: "Let me look it up." },
      { type: "tool_use", id: "toolu_1", name: tool.name, input: { question } },
    ];
  const key = `${question} ${tool?.name ?? ""}`;
  const time = asked.get(key) ?? 0;
  asked.set(key, time + 1);
  const seed = question.length + Number(/\d+/.exec(question)?.[0] ?? 0) + time;
  const low = tool === undefined ? 1 : 3;
  const scores = [0, 1, 2].map((each) => low + ((seed + each) % 3));
  return [{ type: "text", text: `An answer. [scores ${scores.join(" ")}, claims ${seed % 3}]` }];
}

function streamed(response: ServerResponse, content: readonly Block[]): void {
  response.setHeader("content-type", "text/event-stream");
  const send = (type: string, data: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const stop_reason = content.at(-1)?.type === "tool_use" ? "tool_use" : "end_turn";
  const usage = { input_tokens: 20, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [] };
  send("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  for (const [index, block] of content.entries()) {
    const start = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
    const delta =
      block.type === "text"
        ? { type: "text_delta", text: block.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    send("content_block_start", { index, content_block: start });
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  const delta = { stop_reason, stop_sequence: null };
  send("message_delta", { delta, usage: { output_tokens: 7 } });
  send("message_stop", {});
  response.end();
}

function judged(body: string): object {
  const [, facts, whole, clear, claims] =
    /\[scores (\d) (\d) (\d), claims (\d)\]/.exec(body)?.map(Number) ?? [];
  const scores = {
    factual_adherence_reasoning: "first",
    factual_adherence: facts,
    completeness_reasoning: "second",
    completeness: whole,
    helpfulness_and_clarity_reasoning: "third",
    helpfulness_and_clarity: clear,
    unverified_claims: ["It rains.", "It snows."].slice(0, claims ?? 0),
  };
  const message = { role: "assistant", content: JSON.stringify(scores) };
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "judge",
    choices: [{ index: 0, finish_reason: "stop", message }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
