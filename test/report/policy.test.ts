import { describe, expect, it } from "vitest";
import type { RunPolicy } from "../../src/model/outcomes/policy.ts";
import { failed } from "./examples.ts";
import { policyBlock, policyLines } from "../../src/report/policy.ts";
import { verdictWords } from "../../src/report/words/verdict.ts";
import { judgeVanished } from "../../src/verdict/decide.ts";

const policy: RunPolicy = {
  source: "main",
  sha: "0123456789abcdef",
  suite: "same",
  base_path: "evals/qa.yaml",
  changed: [],
  slots: { new: [], missing: [] },
  recorded: [],
  base: null,
  head: null,
  decided_by: "both",
};
const gate = { part: "gate", task: null, effect: "changed", note: null } as const;
const fail = { verdict: "fail", reasons: ["too | low"], rules: [] } as const;
const pass = { verdict: "pass", reasons: ["fine"], rules: [] } as const;

function lines(changes: Partial<RunPolicy>): readonly string[] {
  const said = policyLines({ policy: { ...policy, ...changes } });
  return said.map((words) => words.map((each) => each.text).join(""));
}

describe("the policy in words", () => {
  it.each<[string, Partial<RunPolicy>, string]>([
    [
      "unchanged",
      {},
      "Policy of main, commit 0123456789ab: this change does not alter how it is judged.",
    ],
    [
      "a new suite",
      { suite: "new", decided_by: "head" },
      "A new suite is judged by its own rules.",
    ],
    [
      "a changed gate",
      { changed: [gate], base: fail, head: pass, decided_by: "base" },
      "By the base's policy: fail; by its own: pass. The stricter one decides: the base's.",
    ],
    [
      "the stricter own",
      { changed: [gate], base: pass, head: fail, decided_by: "head" },
      "The stricter one decides: its own.",
    ],
    [
      "a stopped run",
      { changed: [gate], base: fail, decided_by: "base" },
      "Judged by the base's policy alone: fail.",
    ],
    ["a recording", { recorded: ["app"] }, "app is recorded here, not run"],
  ])("of %s", (_, changes, words) => {
    expect(lines(changes).join("\n")).toContain(words);
  });

  it("says nothing of a run without one", () => {
    expect(policyLines({})).toEqual([]);
    expect(policyBlock(failed).render(0)).toBe("");
  });

  it("has both verdicts side by side in the summary, escaped", () => {
    const both = { changed: [gate], base: fail, head: pass, decided_by: "base" } as const;
    const block = policyBlock({ ...failed, policy: { ...policy, ...both } });
    const text = block.render(block.rows);
    expect(text).toMatch(
      /\| the base's rules \(main\)<br><sub>decides<\/sub> \| ❌ \*\*fail\*\* \| too (?!\|)\S+ low\. \|/,
    );
    expect(text).toContain("| the change's own rules | ✅ **pass** | fine. |");
  });
});

function told(reasons: readonly string[]): readonly string[] {
  const { lines: shown } = verdictWords({ ...failed, gate: { ...failed.gate, reasons } });
  return shown.map((words) => words.map(({ text }) => text).join(""));
}

describe("reasons of the other policy", () => {
  const { reason } = failed.gate.rules[0] ?? { reason: "" };
  it("are not told twice where a rule's own row tells them", () => {
    const own = `qa/exact_match, main: ${reason}`;
    const vanished = judgeVanished(
      { ...failed.gate, reasons: [own] },
      { approved: null, basePath: "evals/qa.yaml", label: "ok" },
    );
    const [, ofVanished = ""] = vanished.reasons;
    expect(
      told([own, `accepted: ${own}`, `By the base's policy: ${own}`, ofVanished, "more"]),
    ).toEqual(["more."]);
  });

  it("are told where they are about a candidate that no shown rule is about, in the same words", () => {
    const line = `By the change's own policy: qa/exact_match, other: ${reason}`;
    expect(told([line])).toEqual([`${line}.`]);
  });
});
