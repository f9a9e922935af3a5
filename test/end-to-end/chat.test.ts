import { cp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { parseLines, regrade, repository } from "../support/cli.ts";
import { requestProblems } from "../support/provider/openai.ts";
import { startProvider, type Provider, type Seen } from "../support/provider/server.ts";
// @ts-expect-error -- an example that users copy: plain JavaScript
import { chatCalls, reply } from "../../examples/chat/app/bot.mjs";

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
}

interface Reply {
  readonly text: string | null;
  readonly calls: readonly { readonly name: string; readonly arguments: object | string }[];
}

const example = join(repository, "examples/chat");
const ask = (messages: readonly ChatMessage[]): Reply => reply(messages);
const callsOf = (messages: readonly ChatMessage[], { calls }: Reply): readonly { id: string }[] =>
  chatCalls(messages, calls);

/** The script, behind both APIs. Of the Responses API's items it is shown the messages that they stand for. */
function answerOf({ api, body }: Seen) {
  const messages =
    api === "chat" ? listIn(body, "messages") : itemsAsMessages(listIn(body, "input"));
  const answer = ask(messages);
  const ids = callsOf(messages, answer).map(({ id }) => id);
  const toolCalls = answer.calls.map((call, i) => ({ ...call, id: ids[i] ?? "" }));
  return {
    kind: "answer" as const,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(answer.text !== null && { text: answer.text }),
  };
}

function listIn(body: unknown, key: string): readonly ChatMessage[] {
  return (body as Record<string, readonly ChatMessage[]>)[key] ?? [];
}

/** Calls belong to the message before them, which one API has and the other has not. */
function itemsAsMessages(items: readonly unknown[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const item of items as readonly Record<string, never>[]) {
    const { type, role, content, output } = item;
    const isCallOfSaid = type === "function_call" && messages.at(-1)?.role === "assistant";
    if (isCallOfSaid) continue;
    if (type === "function_call") messages.push({ role: "assistant", content: "" });
    else if (type === "function_call_output") messages.push({ role: "tool", content: output });
    else messages.push({ role: role ?? "", content: contentOf(content) });
  }
  return messages;
}

function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: { type: string; text?: string; image_url?: string }) =>
    part.type === "input_image"
      ? { type: "image_url", image_url: { url: part.image_url } }
      : { type: "text", text: part.text },
  );
}

let provider: Provider;
const app = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  request.on("end", () => {
    const { messages } = JSON.parse(text) as { messages: readonly ChatMessage[] };
    const answer = ask(messages);
    const tool_calls = callsOf(messages, answer);
    response.end(JSON.stringify({ message: { content: answer.text, tool_calls } }));
  });
});

beforeAll(async () => {
  provider = await startProvider({ script: answerOf });
  await new Promise<void>((listening) => app.listen(0, "127.0.0.1", listening));
});

afterAll(async () => {
  await provider.close();
  app.close();
});

const tools =
  "tools: [{ type: function, name: get_order, strict: false, parameters: { type: object, properties: {} } }]";

function candidates(url: string): Readonly<Record<string, string>> {
  const port = (app.address() as AddressInfo).port;
  const providers = `providers:\n  chat: { base_url: "${url}", api: chat }\n  responses: { base_url: "${url}", api: responses }\n`;
  const http = `{ url: "http://127.0.0.1:${port}/", body: { messages: "{{messages}}" }, output: /message/content, tool_calls: /message/tool_calls }`;
  return {
    worker: "candidates: { bot: { worker: [node, app/bot.mjs] } }",
    chat: `${providers}candidates: { bot: { model: "chat:m", ${tools} } }`,
    responses: `${providers}candidates: { bot: { model: "responses:m", ${tools} } }`,
    http: `candidates: { bot: { http: ${http} } }`,
    replay: "candidates: { bot: { replay: runs/worker/samples.jsonl } }",
  };
}

/** What a sample is, whoever was asked: without times, tokens and the ids of a provider. */
function comparable({ run_id, response_id, usage, ...sample }: Sample): object {
  const { latency_ms, created_at, completed_at, cached, ...rest } = sample;
  void [run_id, response_id, usage, latency_ms, created_at, completed_at, cached];
  return rest;
}

describe("the example of a chat", () => {
  it("comes to the same samples through both APIs, a worker, an app and a recording", async () => {
    await using fixture = await createFixture({});
    await cp(example, fixture.path, { recursive: true });
    const suite = await readFile(join(fixture.path, "suite.yaml"), "utf8");
    const found = new Map<string, readonly object[]>();
    for (const [name, yaml] of Object.entries(candidates(provider.url))) {
      const own = suite.replace(/^candidates:\n(?: .*\n)+/m, `${yaml}\n`);
      await writeFile(join(fixture.path, `${name}.yaml`), own);
      const argv = [
        "run",
        `${name}.yaml`,
        "--baseline",
        "none",
        "--no-cache",
        "--out",
        `runs/${name}`,
      ];
      const end = await regrade(argv, { in: fixture.path });
      expect(end.code, `${name}\n${end.stdout}\n${end.stderr}`).toBe(0);
      const text = await readFile(join(fixture.path, `runs/${name}/samples.jsonl`), "utf8");
      const samples = parseLines(text) as readonly Sample[];
      found.set(name, samples.toSorted((a, b) => a.sample_index - b.sample_index).map(comparable));
    }
    const [first, ...others] = [...found];
    expect(first?.[1]).toHaveLength(10);
    for (const [name, samples] of others) expect(samples, name).toEqual(first?.[1]);
    const refund = first?.[1].find((each) => "case_id" in each && each.case_id === "refund");
    expect(refund).toMatchObject({
      output_text: "I see to it.",
      scores: { calls: 1, says: 1 },
      transcript: [{ type: "tool_call", name: "refund", arguments: '{"id":"A-17"}' }],
    });
  });

  it(
    "sends requests that OpenAI's own description of its API takes, and no address of a picture anywhere else",
    { tags: "long" },
    () => {
      const seen = provider.requests;
      expect(new Set(seen.map(({ api }) => api))).toEqual(new Set(["chat", "responses"]));
      expect(seen).toHaveLength(2 * 20);
      for (const { api, body } of seen)
        expect(requestProblems(api === "chat" ? "chat" : "responses", body)).toEqual([]);
      const texts = JSON.stringify(seen.map(({ body }) => body));
      expect(texts).toContain('"https://shop.example/shoe.png"');
      expect(texts).toContain("data:image/png;base64,iVBOR");
      expect(
        requestProblems("chat", { model: "m", messages: [{ role: "bot", content: "" }] }),
      ).not.toEqual([]);
    },
  );

  it("is shown with its turns, its calls and their results", async () => {
    await using fixture = await createFixture({});
    await cp(example, fixture.path, { recursive: true });
    await regrade(["run", "suite.yaml", "--baseline", "none", "--out", "run"], {
      in: fixture.path,
    });
    const shown = await regrade(["show", "run", "long"], { in: fixture.path });
    const said = shown.stdout.replaceAll(/\s+/g, " ");
    for (const words of [
      "[user] call me Zoë [assistant] Hello, Zoë. [user] Where is A-17?",
      '[calls get_order {"id":"A-17"}]',
      "A-17 is shipped. [assistant] A-17 is shipped. [user] who am I?",
    ])
      expect(said).toContain(words);
    const call = await regrade(["show", "run", "refund"], { in: fixture.path });
    expect(call.stdout.replaceAll(/\s+/g, " ")).toContain(
      'I see to it. [calls refund {"id":"A-17"}]',
    );
  });
});
