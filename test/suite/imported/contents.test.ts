import { describe, expect, it } from "vitest";
import { isPart, knownContent } from "../../../src/model/models/content.ts";
import type { ResultRow, RowResult } from "../../../src/model/results.ts";
import { createContents } from "../../../src/suite/imported/contents.ts";

const error: RowResult = { kind: "failed", type: "recorded", message: "KeyError" };

function row(more: Partial<ResultRow>): ResultRow {
  return {
    at: "line 1",
    task: null,
    candidate: null,
    id: "q1",
    input: "What is 1+1?",
    repeat: null,
    prompt: null,
    target: "2",
    output: null,
    result: { kind: "scored" },
    scores: {},
    explanation: null,
    fields: {},
    usage: null,
    latencyMs: null,
    ...more,
  };
}

const digest = (text: string): string => `<${text}>`;
const contentOf = (more: Partial<ResultRow>): string => createContents(digest).of(row(more), "q1");

describe("the content of a case", () => {
  it.each<Partial<ResultRow>>([
    { result: error, target: null },
    { result: error, target: "" },
    { result: error, input: null },
    { result: error, input: "" },
    { result: error, input: { question: null, language: "en" } },
    { result: { ...error, kind: "ungraded" }, target: null },
    { result: { ...error, kind: "invalid" }, input: null, target: null },
  ])("is marked in the row of an error that lacks its question: %j", (more) => {
    expect(isPart(contentOf(more))).toBe(true);
    expect(knownContent(contentOf(more))).toBe(contentOf({ ...more, result: { kind: "scored" } }));
  });

  it.each<Partial<ResultRow>>([{ target: null }, { input: null }, { result: error }])(
    "is whole where the row has a score, or its question: %j",
    (more) => expect(isPart(contentOf(more))).toBe(false),
  );

  it("is that of another repeat which has the question", async () => {
    const contents = createContents(digest);
    const rows = [
      row({ result: error, target: null, repeat: 0 }),
      row({ repeat: 1 }),
      row({ id: "q2", result: error, target: null }),
    ].map((one) => {
      const id = one.id ?? "";
      return Object.assign(one, { case_id: id, content: contents.of(one, id) });
    });
    const found = await Array.fromAsync(contents.completed(stream(rows)));
    expect(found.map(({ content }) => content)).toEqual([
      contentOf({}),
      contentOf({}),
      contentOf({ result: error, target: null }),
    ]);
  });
});

async function* stream<T>(items: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* items;
}
