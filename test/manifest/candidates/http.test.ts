import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { brief, problemsOf, shortForm, suiteOf } from "../resolve-text.ts";

const url = "https://app.example.com/answer";
const body = { prompt: "{{prompt}}" };

function app(http: JsonObject, keys: Readonly<Record<string, Json>> = {}): string {
  return shortForm({ candidates: { a: { http, ...keys } } });
}

describe("http candidates", () => {
  it("get their defaults: POST, the whole answer, no retries", async () => {
    const { suite, warnings } = await suiteOf(app({ url, body }));
    expect(warnings).toEqual([]);
    expect(suite.candidates).toEqual([
      {
        id: "a",
        kind: "http",
        url,
        method: "POST",
        headers: {},
        body,
        output: "",
        inputs: [],
        env: [],
        pass: [],
        timeout_seconds: 120,
        max_retries: 0,
      },
    ]);
  });

  it.each([
    ["the prompt in the address", { url: `${url}?q={{prompt}}`, method: "GET" }, {}],
    ["a field in the path", { url: "http://127.0.0.1:8000/{{id}}", method: "GET" }, {}],
    ["a body that is a text", { url, body: "{{prompt}}" }, {}],
    ["a template deep in the body", { url, body: { a: [{ b: "x {{prompt}}" }] } }, {}],
    ["a template in a header", { url, headers: { "x-id": "{{id}}" } }, {}],
    ["a pointer with escapes", { url, body, output: "/a~1b/~0/0" }, {}],
    ["a secret", { url, body, headers: { authorization: "{{ env.TOKEN }}" } }, { env: ["TOKEN"] }],
    ["retries", { url, body }, { max_retries: 10 }],
  ])("may have %s", async (_, http, keys) => {
    expect((await suiteOf(app(http, keys))).warnings).toEqual([]);
  });

  it.each([
    ["no address", { body }, {}, ["key_missing candidates.a.http"]],
    ["no url at all", { url: "app", body }, {}, ["url_malformed candidates.a.http.url"]],
    ["another scheme", { url: "ftp://x/y", body }, {}, ["url_scheme candidates.a.http.url"]],
    [
      "a password",
      { url: "https://a:b@x.com", body },
      {},
      ["url_credentials candidates.a.http.url"],
    ],
    [
      "a template as host",
      { url: "https://{{host}}/x", body },
      {},
      ["url_template_host candidates.a.http.url"],
    ],
    [
      "a template behind the host",
      { url: "https://x.com{{rest}}", body },
      {},
      ["url_template_host candidates.a.http.url"],
    ],
    [
      "a template as address",
      { url: "{{url}}/x", body },
      {},
      ["url_template_host candidates.a.http.url"],
    ],
    [
      "an unknown method",
      { url, body, method: "SEND" },
      {},
      ["value_unknown candidates.a.http.method"],
    ],
    [
      "a GET with a body",
      { url, body, method: "GET" },
      {},
      ["http_body_of_get candidates.a.http.body"],
    ],
    [
      "no prompt and no field",
      { url, body: { a: 1 } },
      {},
      ["http_same_request candidates.a.http"],
    ],
    [
      "a pointer without its slash",
      { url, body, output: "text" },
      {},
      ["pointer_malformed candidates.a.http.output"],
    ],
    [
      "a pointer with a stray tilde",
      { url, body, output: "/a~2" },
      {},
      ["pointer_malformed candidates.a.http.output"],
    ],
    ["a misspelt key", { url, body, metod: "PUT" }, {}, ["key_unknown candidates.a.http.metod"]],
    ["11 retries", { url, body }, { max_retries: 11 }, ["value_range candidates.a.max_retries"]],
    [
      "a header of the connection",
      { url, body, headers: { "Content-Length": "3" } },
      {},
      ["header_reserved candidates.a.http.headers.Content-Length"],
    ],
    [
      "a secret that `env` does not name",
      { url, body, headers: { authorization: "{{env.TOKEN}}" } },
      {},
      ["http_env_undeclared candidates.a.http.headers.authorization"],
    ],
    [
      "a secret in the address",
      { url: `${url}?key={{env.TOKEN}}`, body },
      { env: ["TOKEN"] },
      ["http_env_in_url candidates.a.http.url"],
    ],
    [
      "a built-in provider's key",
      { url, body, headers: { authorization: "{{env.OPENAI_API_KEY}}" } },
      { env: ["OPENAI_API_KEY"] },
      ["key_of_builtin candidates.a.env[0]"],
    ],
  ])("with %s are refused", async (...[, http, keys, expected]) => {
    expect(brief(await problemsOf(app(http, keys)))).toEqual(expected);
  });

  it.each([
    [
      "a variable that nothing uses",
      { url, body },
      { env: ["TOKEN"] },
      ["setting_idle candidates.a.env[0]"],
    ],
    [
      "an address that is not encrypted",
      { url: "http://app.example.com/x", body },
      {},
      ["url_not_encrypted candidates.a.http.url"],
    ],
  ])("with %s are warned of", async (...[, http, keys, expected]) => {
    expect(brief((await suiteOf(app(http, keys))).warnings)).toEqual(expected);
  });
});
