import { describe, expect, it } from "vitest";
import { fieldsOfHttp } from "../../src/candidate/http.ts";
import { readPointer } from "../../src/base/json-pointer.ts";
import { openCandidate } from "../../src/candidate/open.ts";
import type { GenerateRequest, Generated } from "../../src/model/models/candidate.ts";
import { serve, serveRaw } from "../support/loopback.ts";
import { answers, ask, complaints, tools } from "./tools.ts";

type HttpSpec = Parameters<typeof fieldsOfHttp>[0];

const environment = { ...tools.environment, APP_TOKEN: "t-secret-1" };
const given = { ...tools, environment };
const app = (url: string, more: Partial<HttpSpec> = {}): HttpSpec => ({
  id: "app",
  kind: "http",
  url,
  method: "POST",
  headers: {},
  body: { question: "{{prompt}}" },
  output: "/answer",
  inputs: [],
  env: [],
  pass: [],
  timeout_seconds: 5,
  max_retries: 0,
  ...more,
});
const one = async (
  spec: HttpSpec,
  request: Partial<GenerateRequest> = {},
): Promise<Generated | undefined> => (await answers(spec, [ask("c1", request)], given))[0];
const answered = (outputText: string) => ({
  kind: "answered",
  outputText,
  incomplete: false,
  transcript: null,
  responseId: null,
  usage: null,
});

describe("an app over HTTP", () => {
  it("is asked with the templates of address, headers and body filled in", async () => {
    await using server = await serve((response) => response.end('{"answer":"42"}'));
    const spec = app(`${server.url}/a/{{ meta.lang }}?q={{prompt}}&gone={{gone}}`, {
      headers: { Authorization: "Bearer {{env.APP_TOKEN}}", "X-Id": "{{id}}" },
      body: {
        q: "{{prompt}}",
        "{{id}}": ["{{id}}!", 1, null, { deep: "{{meta}}" }],
        other: "{{env.OTHER}}",
      },
      env: ["APP_TOKEN"],
    });
    const fields = { id: JSON.rawJSON("7.0"), meta: { lang: "d/e&" } };
    expect(await one(spec, { prompt: 'Say "{{id}}" \u00FC', fields })).toEqual(answered("42"));
    expect(server.requests).toMatchObject([
      {
        method: "POST",
        url: "/a/d%2Fe%26?q=Say%20%22%7B%7Bid%7D%7D%22%20%C3%BC&gone=",
        headers: {
          authorization: "Bearer t-secret-1",
          "x-id": "7.0",
          "content-type": "application/json",
        },
        body: '{"q":"Say \\"{{id}}\\" \u00FC","{{id}}":["7.0!",1,null,{"deep":"{\\"lang\\":\\"d/e&\\"}"}],"other":""}',
      },
    ]);
  });

  it("may be asked without a body, or with a text", async () => {
    await using server = await serve((response) => response.end("pong"));
    const get = app(`${server.url}/?q={{prompt}}`, { method: "GET", body: undefined, output: "" });
    const text = app(server.url, { body: "Q: {{prompt}}", output: "" });
    expect([await one(get), await one(text)]).toEqual([answered("pong"), answered("pong")]);
    expect(server.requests).toMatchObject([
      { method: "GET", url: "/?q=P", body: "" },
      { body: "Q: P", headers: { "content-type": "text/plain; charset=utf-8" } },
    ]);
  });

  it.each([
    ['{"a":{"b":[0,"two"]}}', "/a/b/1", "two"],
    ['{"a":51.0}', "/a", "51.0"],
    ['{"a":true}', "/a", "true"],
    ['{"a":{"b":1.50}}', "/a", '{"b":1.50}'],
    ['{"a/b":{"~c":"x"}}', "/a~1b/~0c", "x"],
    ['{"":"empty name"}', "/", "empty name"],
    ['"whole"', "", '"whole"'],
    ["plain\n", "", "plain\n"],
    ['{"a":""}', "/a", ""],
  ])("answers %s, and %j of it is %j", async (body, output, text) => {
    await using server = await serve((response) => response.end(body));
    expect(await one(app(server.url, { output }))).toEqual(answered(text));
  });

  it.each([
    [200, "<html>", "bad_response", /no JSON .*: <html>/],
    [200, '{"other":1}', "output_missing", /nothing at \/answer: \{"other":1\}/],
    [200, '{"answer":null}', "output_missing", /nothing at \/answer/],
    [
      200,
      `{"answer":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
      "bad_response",
      /200 levels deep/,
    ],
    [404, "no such page", "http_404", /^status 404: no such page$/],
    [500, '{"error":"boom"}', "http_500", /^status 500: \{"error":"boom"\}$/],
    [429, "", "http_429", /^status 429$/],
  ])("that answers %i with %j has failed", async (status, body, ...[type, message]) => {
    await using server = await serve((response) => response.writeHead(status).end(body));
    const spec = app(server.url, { max_retries: 0 });
    expect(await one(spec)).toEqual({
      kind: "failed",
      type,
      message: expect.stringMatching(message),
    });
  });

  it("that redirects has failed, and its token stays", async () => {
    await using other = await serve((response) => response.end());
    await using server = await serve((response) =>
      response.writeHead(302, { location: other.url }).end(),
    );
    expect(await one(app(server.url))).toMatchObject({ kind: "failed", type: "redirected" });
    expect(other.requests).toEqual([]);
  });

  it("that is too slow, or answers too much, has failed; that can't be reached, has not", async () => {
    await using silent = await serve(() => undefined);
    await using flooding = await serve((response) => response.end("x".repeat(20_000_000)));
    await using resetting = await serveRaw((socket) => {
      socket.once("data", () => socket.resetAndDestroy());
    });
    const closed = await serve(() => undefined);
    await closed[Symbol.asyncDispose]();
    expect(await one(app(silent.url, { timeout_seconds: 0.3 }))).toEqual({
      kind: "failed",
      type: "timeout",
      message: "no answer within 0.3 s (timeout_seconds)",
    });
    expect(await one(app(flooding.url))).toMatchObject({
      kind: "failed",
      type: "response_too_large",
    });
    expect(await one(app(resetting.url))).toMatchObject({
      kind: "unavailable",
      type: "connection_reset",
    });
    expect(await one(app(closed.url))).toMatchObject({
      kind: "unavailable",
      type: "connection_refused",
    });
  });

  it.each(["..", "."])("is not asked at another path for a value of '%s'", async (prompt) => {
    await using server = await serve((response) => response.end());
    const spec = app(`${server.url}/users/{{prompt}}/x`);
    expect(await one(spec, { prompt })).toMatchObject({ kind: "failed", type: "url_invalid" });
    await one(app(`${server.url}/q?x={{prompt}}`), { prompt });
    expect(server.requests).toMatchObject([{ url: `/q?x=${prompt}` }]);
  });

  it("is not asked with a header that would end early", async () => {
    await using server = await serve((response) => response.end());
    const spec = app(server.url, { headers: { "x-q": "{{prompt}}" } });
    expect(await one(spec, { prompt: "a\r\nx-admin: 1" })).toMatchObject({
      kind: "failed",
      type: "header_invalid",
    });
    expect(server.requests).toEqual([]);
  });

  it("is given the fields that its templates name, whether 'pass' names them or not", () => {
    const spec = app("http://127.0.0.1/{{id}}?x={{ meta.lang }}", {
      headers: { a: "{{env.APP_TOKEN}}{{tenant}}" },
      body: ["{{prompt}}", { deep: "{{text}}" }],
      pass: ["id", "extra"],
    });
    expect(fieldsOfHttp(spec)).toEqual(["id", "extra", "meta.lang", "tenant", "text"]);
  });

  it("is checked before the first sample, all at once", async () => {
    const spec = app("http://127.0.0.1", { env: ["GONE", "GITHUB_TOKEN"], inputs: ["gone/**"] });
    expect(await complaints(spec)).toEqual([
      "env_missing evals/suite.yaml candidates.app.env",
      "env_refused evals/suite.yaml candidates.app.env",
      "inputs_unmatched evals/suite.yaml candidates.app.inputs",
    ]);
  });

  it("is hashed without the values of its variables, and cached only where 'inputs' are declared", async () => {
    const opened = await openCandidate(app("http://127.0.0.1", { env: ["APP_TOKEN"] }), given);
    if ("problems" in opened) throw new Error("can't be opened");
    expect(JSON.stringify(opened.hash)).not.toContain("t-secret-1");
    expect(opened.candidate.cacheKey).toBeUndefined();
    const keyWith = async (more: Partial<HttpSpec>) => {
      const spec = app("http://127.0.0.1", { inputs: ["echo-prompt"], ...more });
      const found = await openCandidate(spec, given);
      return "candidate" in found && found.candidate.cacheKey?.(ask("c1"));
    };
    const key = await keyWith({});
    expect(key).toHaveProperty("program");
    expect(await keyWith({ timeout_seconds: 99, max_retries: 7 })).toEqual(key);
    expect(await keyWith({ url: "http://127.0.0.1/other" })).not.toEqual(key);
  });
});

describe("a JSON pointer", () => {
  // RFC 6901 §5.
  const document = { foo: ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, 'k"l': 6, " ": 7, "m~n": 8 };
  it.each([
    ["", document],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
    ["/foo/00", undefined],
    ["/foo/-", undefined],
    ["/foo/2", undefined],
    ["/foo/length", undefined],
    ["/constructor", undefined],
    ["/foo/0/0", undefined],
  ])("%j", (pointer, value) => {
    expect(readPointer(document, pointer)).toEqual(value);
  });
});
