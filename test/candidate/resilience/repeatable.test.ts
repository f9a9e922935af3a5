import { describe, expect, it } from "vitest";
import { isWorthRepeating } from "../../../src/candidate/resilience/repeatable.ts";
import type { HttpEnd, HttpFault } from "../../../src/model/ports/http.ts";

function response(
  status: number,
  more: Partial<Extract<HttpEnd, { kind: "response" }>> = {},
): HttpEnd {
  return { kind: "response", status, headers: {}, body: "", ...more };
}

function failed(type: HttpFault, sent: boolean): HttpEnd {
  return { kind: "failed", type, message: "…", sent };
}

function saying(said: string) {
  return { headers: { "x-should-retry": said } };
}

describe("a model call", () => {
  it.each([408, 409, 429, 500, 502, 503, 504, 529])("is sent again after %i", (status) => {
    expect(isWorthRepeating(response(status), "harmless")).toBe(true);
  });

  it.each([200, 302, 400, 401, 402, 403, 404, 413, 422])("is not after %i", (status) => {
    expect(isWorthRepeating(response(status), "harmless")).toBe(false);
  });

  it.each<[HttpFault, boolean]>([
    ["timeout", true],
    ["connection_reset", true],
    ["connection_refused", true],
    ["name_not_resolved", true],
    ["network", true],
    ["tls", false],
    ["response_too_large", false],
  ])("after %s: %s, though it may have been worked on", (type, expected) => {
    expect(isWorthRepeating(failed(type, true), "harmless")).toBe(expected);
  });

  it.each([
    ["OpenAI's code", '{"error": {"code": "insufficient_quota"}}'],
    ["Google's quota by the day", '{"quotaId": "GenerateRequestsPerDayPerProject-FreeTier"}'],
  ])("is not sent again without a quota: %s", (_, body) => {
    expect(isWorthRepeating(response(429, { body }), "harmless")).toBe(false);
  });

  it.each([
    [false, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 42305."],
    [
      false,
      "Request too large for model `m` on tokens per minute (TPM), please reduce your message",
    ],
    [false, "Rate limit reached on tokens per min (TPM): Limit 30000, Used 0, Requested 42305."],
    [true, "Rate limit reached on tokens per min (TPM): Limit 30000, Used 14567, Requested 24754."],
  ])("is sent again (%s) where a quota says: %s", (expected, message) => {
    const end = response(429, { body: JSON.stringify({ error: { message } }) });
    expect(isWorthRepeating(end, "harmless")).toBe(expected);
  });

  it("follows what the provider says of retries", () => {
    expect(isWorthRepeating(response(500, saying("false")), "harmless")).toBe(false);
    expect(isWorthRepeating(response(400, saying("true")), "harmless")).toBe(true);
    expect(isWorthRepeating(response(200, saying("true")), "harmless")).toBe(false);
  });

  it("is not sent again when the run was stopped", () => {
    expect(isWorthRepeating({ kind: "cancelled" }, "harmless")).toBe(false);
  });
});

describe("a request that may have done something", () => {
  it.each([
    ["a time-out after it was sent", failed("timeout", true), false],
    ["a reset after it was sent", failed("connection_reset", true), false],
    ["a reset before it was sent", failed("connection_reset", false), true],
    ["a refused connection", failed("connection_refused", false), true],
    ["500", response(500), false],
    ["409", response(409), false],
    ["429", response(429), true],
    ["503", response(503), true],
  ])("after %s", (_, end, expected) => {
    expect(isWorthRepeating(end, "may_act")).toBe(expected);
  });
});
