import { describe, expect, it } from "vitest";
import { sandboxWords } from "../../../src/report/words/sandbox.ts";

describe("how graders were held", () => {
  const cases = [
    [
      { level: "landlock+seccomp", details: { missing: [] } },
      "landlock+seccomp (other files, the network and other processes are closed to graders)",
    ],
    [
      { level: "seccomp", details: { missing: ["files are not held: …", "and more"] } },
      "seccomp; files are not held: …; and more",
    ],
    [
      { level: "off", details: { asked: "off" } },
      "off (as asked: graders can do what this user can)",
    ],
    [{ level: "unused", details: {} }, "unused (no grader was started)"],
    [{ level: "a stranger's", details: { missing: "nothing" } }, "a stranger's"],
    [{ level: "none", details: { missing: [1, null, "said"] } }, "none; said"],
  ] as const;
  it.each(cases)("%j", (sandbox, words) => {
    expect(sandboxWords(sandbox)).toBe(words);
  });

  it("has room for a sentence, not for a page", () => {
    const details = { missing: Array.from({ length: 1000 }, () => "x".repeat(10_000)) };
    expect(sandboxWords({ level: "y".repeat(10_000), details }).length).toBeLessThan(5_000);
  });
});
