import { describe, expect, it } from "vitest";

import {
  cut,
  formatComment,
  isNewer,
  parseComment,
  type CommentSection,
} from "../../src/model/comment.ts";

const workflow = ".github/workflows/evals.yml";
const section: CommentSection = {
  suite: "support-bot",
  runId: "98123",
  attempt: 2,
  sha: "4f2c9e1ab03d",
  verdict: "fail",
  body: "### ❌ b: failed",
};

describe("a comment's form", () => {
  it("comes back as it went", () => {
    const other = { ...section, suite: "routing--2", verdict: "pass", body: "fine" } as const;
    const text = formatComment({ workflow, sections: [section, other] }, 10_000);
    expect(parseComment(text)).toEqual({ workflow, sections: [section, other] });
  });

  it("comes back though GitHub's editor changed the line ends", () => {
    const text = formatComment({ workflow, sections: [section] }, 10_000);
    expect(parseComment(text.replaceAll("\n", "\r\n"))).toEqual({ workflow, sections: [section] });
  });

  it("is not read out of a comment that quotes it", () => {
    const text = formatComment({ workflow, sections: [section] }, 10_000);
    for (const quoting of [`\n${text}`, `Look:\n${text}`, `> ${text}`, "", "LGTM"])
      expect(parseComment(quoting)).toBeUndefined();
  });

  it("has the worst suite first, and counts them where there are several", () => {
    const sections = [
      { ...section, suite: "a", verdict: "pass" },
      { ...section, suite: "b", verdict: "fail" },
      { ...section, suite: "c", verdict: "pass" },
    ] as const;
    const text = formatComment({ workflow, sections }, 10_000);
    expect(text).toContain("**3 suites** — ❌ failed: `b` · ✅ passed: `a`, `c`");
    expect(parseComment(text)?.sections.map(({ suite }) => suite)).toEqual(["b", "a", "c"]);
  });

  it("gives up the middle of the longest section first, by whole blocks", () => {
    const blocks = Array.from({ length: 50 }, (_, i) => `block ${i} ${"x".repeat(90)}`);
    const long = { ...section, suite: "long", body: blocks.join(cut) };
    const text = formatComment({ workflow, sections: [long, section] }, 3000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3000);
    const [kept = "", short] = parseComment(text)?.sections.map(({ body }) => body) ?? [];
    expect(short).toBe(section.body);
    expect(kept).toMatch(/^block 0 /);
    expect(kept).toMatch(/block 49 x+$/);
    expect(kept).toContain("the rest is in the job summary");
    for (const part of kept.split(cut))
      expect(part).toMatch(/^(?:block \d+ x{90}|<sub>.*<\/sub>)$/);
  });

  it.each([
    ["99", 1, "98", 3, true],
    ["98", 2, "98", 1, true],
    ["98", 1, "98", 1, false],
    ["98", 1, "99", 1, false],
    ["9007199254740993", 1, "9007199254740992", 1, true],
  ])("run %s.%i is newer than %s.%i: %s", (...[runId, attempt, otherId, otherAttempt, newer]) => {
    const other = { runId: otherId, attempt: otherAttempt };
    expect(isNewer({ runId, attempt }, other)).toBe(newer);
  });

  it.each(["-->", "a b", "=", "]", "\ud83d"])(
    "keeps its marker whole with a suite named %j",
    (suite) => {
      const text = formatComment(
        { workflow: "x --> y", sections: [{ ...section, suite }] },
        10_000,
      );
      expect(parseComment(text)?.sections).toHaveLength(1);
      expect(text.match(/-->/g)).toHaveLength(3);
    },
  );
});
