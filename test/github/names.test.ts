import { describe, expect, it } from "vitest";
import { createNames } from "../../src/github/runner/suite-names.ts";

describe("a suite's name, by which its check, its section and its artifacts go", () => {
  it.each([
    ["the same", "support-bot", "support-bot"],
    ["the same but for case and punctuation", "Support Bot", "support-bot"],
    ["what the other's scores are called", "support-bot", "support-bot-scores"],
    ["that, in the other order", "support-bot-scores", "support-bot"],
  ])("is refused a second time: %s", (_, one, other) => {
    const claim = createNames();
    claim(one, "evals/a.yaml");
    expect(() => claim(other, "evals/b.yaml")).toThrow(/two suites are called/);
  });

  it("is its own when it is told again, and leaves others theirs", () => {
    const claim = createNames();
    claim("a", "evals/a.yaml");
    claim("a", "evals/a.yaml");
    expect(() => claim("b", "evals/b.yaml")).not.toThrow();
  });
});
