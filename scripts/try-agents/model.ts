import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Next answer of the stand-in for a model. */
export type Step =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly tool: string; readonly arguments: object }
  | { readonly kind: "status"; readonly status: number };

/** Content of a request, independent of its API. */
export interface Asked {
  /** The whole body as text. */
  readonly text: string;
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
  /** Number of tool results in the request. */
  readonly results: number;
}

/** A model on this machine that speaks the APIs of Anthropic, OpenAI (both) and Google, and follows a scenario. */
export async function startModel(
  decide: (asked: Asked) => Step,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    void readBody(request).then((text) => answer(text, { request, response, decide }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly decide: (asked: Asked) => Step;
}

type Body = Record<string, unknown>;

function answer(text: string, { request, response, decide }: Exchange): void {
  const path = (request.url ?? "").split("?")[0] ?? "";
  if (process.env["TRY_AGENTS_DEBUG"])
    process.stderr.write(`${request.method} ${request.url} ${text.slice(0, 300)}\n`);
  const api = apis.find(({ serves }) => serves(path));
  if (api === undefined || request.method !== "POST") {
    const body = path.endsWith("/models") ? { object: "list", data: [], models: [] } : {};
    response.writeHead(path.endsWith("/models") ? 200 : 404, {
      "content-type": "application/json",
    });
    response.end(JSON.stringify(body));
    return;
  }
  const body = JSON.parse(text) as Body;
  const step = decide({ text, tools: api.tools(body), results: api.results(text) });
  if (step.kind === "status") {
    response.writeHead(step.status, { "content-type": "application/json", "retry-after": "0" });
    response.end(JSON.stringify(api.error(step.status)));
    return;
  }
  const isStream = body["stream"] === true || path.includes("streamGenerateContent");
  const events = api.events(step, body);
  if (!isStream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(api.whole(step, body)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const { event, data } of events)
    response.write(
      `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
    );
  response.end();
}

interface Sent {
  readonly event?: string;
  readonly data: unknown;
}

type Said = Exclude<Step, { readonly kind: "status" }>;

interface Api {
  readonly serves: (path: string) => boolean;
  readonly tools: (body: Body) => readonly string[];
  readonly results: (text: string) => number;
  readonly error: (status: number) => object;
  readonly events: (step: Said, body: Body) => readonly Sent[];
  readonly whole: (step: Said, body: Body) => object;
}

const id = (): string => Math.random().toString(36).slice(2, 12);
const count = (text: string, words: string): number => text.split(words).length - 1;
const named = (list: unknown): readonly string[] =>
  (Array.isArray(list) ? (list as Body[]) : []).flatMap((each) => {
    const inner = each["function"] as Body | undefined;
    const name = each["name"] ?? inner?.["name"];
    return typeof name === "string" ? [name] : [];
  });

const anthropic: Api = {
  serves: (path) => path.endsWith("/v1/messages"),
  tools: (body) => named(body["tools"]),
  results: (text) => count(text, '"type":"tool_result"'),
  error: (status) => ({
    type: "error",
    error: {
      type: status === 401 ? "authentication_error" : "api_error",
      message: `status ${status}`,
    },
  }),
  whole: (step, body) => ({
    id: `msg_${id()}`,
    type: "message",
    role: "assistant",
    model: body["model"],
    content: [contentOf(step)],
    stop_reason: step.kind === "call" ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  events: (step, body) => {
    const isCall = step.kind === "call";
    const block = isCall ? { ...contentOf(step), input: {} } : { type: "text", text: "" };
    const delta = isCall
      ? { type: "input_json_delta", partial_json: JSON.stringify(step.arguments) }
      : { type: "text_delta", text: step.text };
    const message = { ...anthropic.whole(step, body), content: [], stop_reason: null };
    const all = [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: "message_stop" },
    ];
    return all.map((data) => ({ event: data.type, data }));
  },
};

function contentOf(step: Said): object {
  return step.kind === "text"
    ? { type: "text", text: step.text }
    : { type: "tool_use", id: `toolu_${id()}`, name: step.tool, input: step.arguments };
}

const responses: Api = {
  serves: (path) => path.endsWith("/responses"),
  tools: (body) => named(body["tools"]).concat(namespaced(body["tools"])),
  results: (text) =>
    count(text, '"type":"function_call_output"') + count(text, '"type":"custom_tool_call_output"'),
  error: (status) => ({ error: { message: `status ${status}`, type: "error", code: null } }),
  whole: (step) => ({
    id: `resp_${id()}`,
    object: "response",
    status: "completed",
    output: [itemOf(step)],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    },
  }),
  events: (step) => {
    const response = responses.whole(step, {}) as Body;
    const [item] = response["output"] as object[];
    const all = [
      { type: "response.created", response: { id: response["id"] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ];
    return all.map((data) => ({ event: data.type, data }));
  },
};

/** Codex groups the tools of a server under its name. */
function namespaced(list: unknown): readonly string[] {
  return (Array.isArray(list) ? (list as Body[]) : []).flatMap((each) =>
    each["type"] === "namespace"
      ? named(each["tools"]).map((name) => `${String(each["name"])}::${name}`)
      : [],
  );
}

function itemOf(step: Said): object {
  if (step.kind === "text")
    return {
      id: `msg_${id()}`,
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: step.text, annotations: [] }],
    };
  const [namespace, name] = step.tool.includes("::")
    ? step.tool.split("::")
    : [undefined, step.tool];
  return {
    id: `fc_${id()}`,
    type: "function_call",
    call_id: `call_${id()}`,
    name,
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(step.arguments),
    status: "completed",
  };
}

const chat: Api = {
  serves: (path) => path.endsWith("/chat/completions"),
  tools: (body) => named(body["tools"]),
  results: (text) => count(text, '"role":"tool"'),
  error: (status) => ({ error: { message: `status ${status}`, type: "error", code: null } }),
  whole: (step, body) => ({
    id: `chatcmpl-${id()}`,
    object: "chat.completion",
    created: 1,
    model: body["model"],
    choices: [
      {
        index: 0,
        message: { role: "assistant", ...deltaOf(step) },
        finish_reason: step.kind === "call" ? "tool_calls" : "stop",
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  events: (step, body) => {
    const chunk = (choices: object[], more: object = {}): Sent => ({
      data: {
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: body["model"],
        choices,
        ...more,
      },
    });
    const finish = step.kind === "call" ? "tool_calls" : "stop";
    return [
      chunk([{ index: 0, delta: { role: "assistant", ...deltaOf(step) }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: finish }]),
      chunk([], { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
      { data: "[DONE]" },
    ];
  },
};

function deltaOf(step: Said): object {
  if (step.kind === "text") return { content: step.text };
  const call = { name: step.tool, arguments: JSON.stringify(step.arguments) };
  return {
    content: null,
    tool_calls: [{ index: 0, id: `call_${id()}`, type: "function", function: call }],
  };
}

const google: Api = {
  serves: (path) => /:(stream)?generateContent$/i.test(path),
  tools: (body) =>
    (Array.isArray(body["tools"]) ? (body["tools"] as Body[]) : []).flatMap((each) =>
      named(each["functionDeclarations"]),
    ),
  results: (text) => count(text, '"functionResponse"'),
  error: (status) => ({ error: { code: status, message: `status ${status}`, status: "ERROR" } }),
  whole: (step) => ({
    candidates: [
      {
        content: {
          role: "model",
          parts: [
            step.kind === "text"
              ? { text: step.text }
              : { functionCall: { name: step.tool, args: step.arguments } },
          ],
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: "gemini-test",
  }),
  events: (step, body) => [{ data: google.whole(step, body) }],
};

const apis: readonly Api[] = [anthropic, responses, chat, google];
