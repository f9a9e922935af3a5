import { describe, expect, it } from "vitest";
import { readAdvice } from "../../../src/candidate/resilience/advice.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");
const asked = (milliseconds: number) => ({ kind: "asked", milliseconds });
const reset = (milliseconds: number, usedUp = false) => ({ kind: "reset", milliseconds, usedUp });
const none = { kind: "none" };

function read(headers: Record<string, string>, body = ""): unknown {
  return readAdvice({ kind: "response", status: 429, headers, body }, nowMs);
}

describe("what a server says about when to come back is understood:", () => {
  it.each([
    ["seconds", { "retry-after": "12" }, asked(12_000)],
    ["a fraction of a second", { "retry-after": "0.25" }, asked(250)],
    ["at once", { "retry-after": "0" }, asked(0)],
    ["a date", { "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }, asked(30_000)],
    ["a date that is past", { "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, asked(0)],
    ["milliseconds", { "retry-after-ms": "1500" }, asked(1500)],
    ["milliseconds before seconds", { "retry-after-ms": "700", "retry-after": "1" }, asked(700)],
    ["a reset in seconds", { "x-ratelimit-reset-requests": "1s" }, reset(1000)],
    ["a reset in minutes", { "x-ratelimit-reset-tokens": "6m0s" }, reset(360_000)],
    ["a reset in milliseconds", { "x-ratelimit-reset-tokens": "12ms" }, reset(12)],
    ["a reset of Groq's", { "x-ratelimit-reset-requests": "2m59.56s" }, reset(179_560)],
    ["a reset of an hour", { "x-ratelimit-reset-requests": "1h2m3s" }, reset(3_723_000)],
    ["a bare reset", { "x-ratelimit-reset-tokens": "8" }, reset(8000)],
    ["a moment in seconds", { "x-ratelimit-reset": String(nowMs / 1000 + 5) }, reset(5000)],
    ["a moment in milliseconds", { "x-ratelimit-reset": String(nowMs + 5000) }, reset(5000)],
    [
      "Anthropic's date",
      { "anthropic-ratelimit-tokens-reset": "2026-11-21T12:00:09Z" },
      reset(9000),
    ],
    [
      "what is asked before what is reset",
      { "retry-after": "2", "x-ratelimit-reset-tokens": "6m0s" },
      asked(2000),
    ],
    ["nothing", {}, none],
    ["a word", { "retry-after": "soon" }, none],
    ["a number that is none", { "retry-after": "1e99" }, none],
    ["an empty header", { "retry-after": " " }, none],
  ])("%s", (_, headers, expected) => {
    expect(read(headers)).toEqual(expected);
  });

  it("Google's delay in the body", () => {
    expect(read({}, '[{"error": {"details": [{"retryDelay": "37s"}]}}]')).toEqual(asked(37_000));
  });
});

const words = (time: string): string =>
  `{"error": {"message": "Rate limit reached. Please ${time}. Visit …"}}`;

describe("a 429's own words, where nothing else names a time:", () => {
  it.each([
    ["try again in 18.642s", asked(18_642)],
    ["try again in 120ms", asked(120)],
    ["try again in 6m0s", asked(360_000)],
    ["retry in 37.5s", asked(37_500)],
    ["retry after 6 seconds", asked(6000)],
    ["try again in a moment", none],
    ["try again in 3 days", none],
  ])("%s", (time, expected) => {
    expect(read({}, words(time))).toEqual(expected);
  });

  it("a header that names a time goes first, one that says when a quota is full does not", () => {
    expect(read({ "retry-after": "2" }, words("try again in 1.2s"))).toEqual(asked(2000));
    const headers = { "x-ratelimit-reset-tokens": "40s" };
    expect(read(headers, words("try again in 1.2s"))).toEqual(asked(1200));
  });

  it("an answer that is no 429 is not searched for words", () => {
    const body = words("try again in 20s");
    expect(readAdvice({ kind: "response", status: 500, headers: {}, body }, nowMs)).toEqual(none);
  });
});

describe("a clock that is wrong here", () => {
  it.each([
    ["a date", { "retry-after": "Mon, 01 Jan 2035 00:00:20 GMT" }, asked(20_000)],
    ["a moment", { "x-ratelimit-reset": String(Date.UTC(2035, 0, 1) + 4000) }, reset(4000)],
  ])("does not matter for %s: the server's own date counts", (_, headers, expected) => {
    expect(read({ ...headers, date: "Mon, 01 Jan 2035 00:00:00 GMT" })).toEqual(expected);
  });
});

describe("of several quotas", () => {
  it.each([
    ["the one that is used up counts", ["0", "120"], reset(1000, true)],
    ["the longest of those used up counts", ["0", "0"], reset(60_000, true)],
    ["the longest counts where each has something left", ["499", "120"], reset(60_000)],
    [
      "one that does not say what is left counts before those that have some",
      ["", "3"],
      reset(1000),
    ],
    ["one that does not count (Azure's -1) is not used up", ["-1", "3"], reset(1000)],
  ])("%s", (_, [requests = "", tokens = ""], expected) => {
    const headers = {
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-remaining-requests": requests,
      "x-ratelimit-reset-tokens": "60s",
      "x-ratelimit-remaining-tokens": tokens,
    };
    expect(read(headers)).toEqual(expected);
  });
});

it("a quota with something left that is full only after more than a run waits is no advice", () => {
  const left = { "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "150" };
  expect(read(left)).toEqual(none);
  const tokens = { "x-ratelimit-reset-tokens": "4s", "x-ratelimit-remaining-tokens": "120" };
  expect(read({ ...left, ...tokens })).toEqual(reset(4000));
});
