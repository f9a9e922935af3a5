import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Candidate, GenerateRequest, Generated } from "../../src/model/models/candidate.ts";
import type { Answer, AnswerCache } from "../../src/model/ports/store.ts";
import { createResponseCache } from "../../src/run/response-cache.ts";

const hashText = (text: string): string =>
  `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** A cache that is a map, and gives back at once what it was given. */
function createMapCache(): AnswerCache & { readonly kept: Map<string, Answer> } {
  const kept = new Map<string, Answer>();
  return {
    kept,
    find: async (key) => kept.get(key),
    keep: async (key, answer) => void kept.set(key, answer),
    close: async () => undefined,
  };
}

const request = (more: Partial<GenerateRequest> = {}): GenerateRequest => ({
  taskId: "qa",
  caseId: "c1",
  repeat: 0,
  prompt: "2+2?",
  fields: { a: 1, b: 2 },
  ...more,
});

const candidate = (depends: string | undefined): Candidate => ({
  id: "app",
  generate: async () => {
    throw new Error("nobody asked for that");
  },
  concurrency: 1,
  costly: true,
  cacheKey:
    depends === undefined
      ? undefined
      : ({ prompt, fields, repeat }) => ({ depends, prompt, fields, repeat }),
  close: async () => undefined,
});

const answered = (outputText: string): Generated => ({
  kind: "answered",
  outputText,
  incomplete: false,
  transcript: null,
  responseId: null,
  usage: null,
});
const costing = (usd: number): Generated => ({
  kind: "answered",
  outputText: "4",
  incomplete: false,
  transcript: null,
  responseId: null,
  usage: { input_tokens: 3, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0, usd },
});
const answer = (generated: Generated): Answer => ({ generated, latencyMs: 1, createdAt: "now" });

describe("the memory of earlier runs", () => {
  it.each([
    ["the same request", request(), "v1", true],
    ["the same prompt of another case", request({ caseId: "c2", taskId: "other" }), "v1", true],
    ["fields in another order", request({ fields: { b: 2, a: 1 } }), "v1", true],
    ["another prompt", request({ prompt: "2+3?" }), "v1", false],
    ["another field", request({ fields: { a: 1 } }), "v1", false],
    ["another repeat", request({ repeat: 1 }), "v1", false],
    ["another version of the candidate", request(), "v2", false],
    ["a candidate that is never remembered", request(), undefined, false],
  ])("for %s", async (...[, asked, depends, isFound]) => {
    const memory = createResponseCache(createMapCache(), hashText);
    await memory.put(candidate("v1"), request(), answer(answered("4")));
    expect((await memory.get(candidate(depends), asked)) !== undefined).toBe(isFound);
  });

  it.each<[string, Generated, number]>([
    ["an answer", answered("4"), 1],
    ["an empty answer", answered(""), 0],
    ["an answer of blanks", answered(" \n"), 0],
    ["a refusal", { kind: "refused", type: "refusal", message: "no" }, 0],
    ["a failure", { kind: "failed", type: "exit_code", message: "3" }, 0],
    ["a provider's bad day", { kind: "unavailable", type: "http_500", message: "…" }, 0],
    ["a wrong key", { kind: "halted", type: "http_401", message: "…" }, 0],
  ])("keeps of %s what may stand for a new one", async (_, generated, count) => {
    const cache = createMapCache();
    await createResponseCache(cache, hashText).put(candidate("v1"), request(), answer(generated));
    expect(cache.kept.size).toBe(count);
  });

  it("gives an answer with what its tokens cost today", async () => {
    const memory = createResponseCache(createMapCache(), hashText);
    await memory.put(candidate("v1"), request(), answer(costing(7)));
    const model: Candidate = {
      ...candidate("v1"),
      price: (tokens) => ({ ...tokens, usd: tokens.input_tokens * 2 }),
    };
    expect(await memory.get(model, request())).toEqual(answer(costing(6)));
    // What a program says of its own cost stands.
    expect(await memory.get(candidate("v1"), request())).toEqual(answer(costing(7)));
  });

  it("does not ask a cache about a candidate that is never remembered", async () => {
    const cache = createMapCache();
    await createResponseCache(cache, hashText).put(
      candidate(undefined),
      request(),
      answer(answered("4")),
    );
    expect(cache.kept.size).toBe(0);
  });
});
