import { describe, expect, it } from "vitest";
import type { BrokenCase } from "../../../src/model/outcomes/broken.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { groupBroken } from "../../../src/report/words/broken-groups.ts";
import { graderWords } from "../../../src/report/words/grader-words.ts";
import * as examples from "../examples.ts";

const place = { task: "qa", candidate: "main", metric: "exact_match" };

type Calls = readonly string[] | undefined;

function lost(caseId: string, [before, now]: readonly [Calls, Calls], output?: string): BrokenCase {
  return {
    ...place,
    caseId,
    slices: {},
    before: { score: 1, output: "right", ...(before && { calls: before }) },
    after: { score: 0, output: output ?? `${caseId}: long\nlines`, ...(now && { calls: now }) },
  };
}

function reasons(texts: readonly BrokenCase[]): readonly (readonly [number, string | undefined])[] {
  const changes = [{ metric: place.metric, before: 1, after: 0 }];
  const cases = texts.map(({ caseId }) => ({ ...place, caseId, changes, mustPass: false }));
  return groupBroken(examples.failed, cases, texts).map((group) => [
    group.cases.length,
    group.reason,
  ]);
}

describe("cases that lost calls of tools", () => {
  it("are a group for each set of lost calls", () => {
    const search = ["a", "b", "c"].map((id) => lost(id, [["search", "read"], ["read"]]));
    const none = ["d", "e"].map((id) => lost(id, [["search"], []]));
    expect(reasons([...search, ...none])).toEqual([
      [3, "search is not called any more"],
      [2, "no tool is called any more (before: search)"],
    ]);
  });

  it("are told by it rather than by their answers", () => {
    const cases = ["a", "b"].map((id) => lost(id, [["search"], ["read"]], "none"));
    expect(reasons(cases)).toEqual([[2, "search is not called any more"]]);
  });

  it.each([
    ["alone among others", [lost("a", [["search"], []]), lost("b", [[], []]), lost("c", [[], []])]],
    ["with the same calls", ["a", "b"].map((id) => lost(id, [["search"], ["search", "read"]]))],
    ["without known calls", ["a", "b"].map((id) => lost(id, [undefined, ["read"]]))],
    ["of which nothing is known now", ["a", "b"].map((id) => lost(id, [["read"], undefined]))],
  ])("%s have no such reason", (_, cases) => {
    for (const [, reason] of reasons(cases)) expect(reason).toBeUndefined();
  });
});

function said(judge: JsonObject): string {
  return graderWords({ score: 0, judge });
}

describe("what the grader tool_calls found is said in words", () => {
  it.each([
    [{ missing: ["search"] }, "the required call of search is missing"],
    [
      { missing: [{ name: "get_order", arguments: { id: "A-17" } }, "search"] },
      "the required calls of get_order, search are missing",
    ],
    [{ forbidden: ["delete", "delete"] }, "delete is called and forbidden"],
    [{ unexpected: [{ name: "lookup", arguments: {} }] }, "unexpected calls of lookup"],
    [
      { arguments: [{ name: "get_order", problem: "/id: no match" }] },
      "the arguments of get_order don't fit: /id: no match",
    ],
    [
      { missing: ["search"], order: "the required calls were not made in their order" },
      "the required call of search is missing; the required calls were not made in their order",
    ],
  ])("%j", (judge, words) => {
    expect(said(judge)).toBe(words);
  });

  it.each([{ missing: "search" }, { missing: [] }, { missing: ["a"], note: 1 }, { missing: [7] }])(
    "and %j of another grader is left as it is",
    (judge) => {
      expect(said(judge)).not.toContain("required call");
    },
  );
});
