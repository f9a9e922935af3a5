import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { renderTerminal } from "../../src/report/terminal/terminal.ts";
import { verdictWords } from "../../src/report/words/verdict.ts";
import { grey } from "./examples.ts";

/** A drop that was proven at first, and did not show when its cases were run again. */
function unconfirmed(): Run {
  const [rule, ...others] = grey.gate.rules;
  if (rule === undefined) throw new Error("the example has a rule");
  const confirmation = {
    outcome: "not_confirmed",
    cases: 24,
    n: 24,
    broke: 5,
    fixed: 6,
    p: 0.6,
    p_adjusted: 0.6,
  } as const;
  const again = { ...rule, code: "drop_not_confirmed", confirmation } as const;
  return { ...grey, gate: { ...grey.gate, rules: [again, ...others] } };
}

describe("a drop that was not confirmed", () => {
  it("is a pass with a grey line that tells both looks", () => {
    const words = verdictWords(unconfirmed());
    expect(words.tone).toBe("grey");
    expect(words.sentence.map(({ text }) => text).join("")).toContain(
      "seen, proven, not confirmed: of the 24 cases that changed, run again on both sides, 5 broke and 6 were fixed",
    );
  });

  it("is told in the terminal's table", () => {
    const shown = renderTerminal({
      run: unconfirmed(),
      directory: "out",
      colour: false,
      width: 200,
    });
    expect(shown).toContain("not confirmed when run again");
  });
});
