import { describe, expect, it } from "vitest";
import type { ProvenDrop } from "../../../src/gate/confirm.ts";
import { cannot, planRounds, recordRound } from "../../../src/pipeline/confirm/rounds.ts";
import { findProvider } from "../../../src/pipeline/confirm/provider.ts";

const pair = (caseId: string): { caseId: string; baseCaseId: string } => ({
  caseId,
  baseCaseId: `was ${caseId}`,
});
const drop = (parts: Partial<ProvenDrop>): ProvenDrop => ({
  task: "qa",
  candidate: "main",
  baseCandidate: "old",
  repeats: 2,
  alpha: 0.05,
  cases: [pair("a"), pair("b")],
  ...parts,
});

describe("what is run again", () => {
  it("is each case once, whichever rules it changed for, and each candidate apart", () => {
    const rounds = planRounds([
      drop({}),
      drop({ cases: [pair("b"), pair("c")] }),
      drop({ candidate: "other" }),
    ]);
    expect(rounds.map(({ candidate, cases }) => [candidate, cases.map((c) => c.caseId)])).toEqual([
      ["main", ["a", "b", "c"]],
      ["other", ["a", "b"]],
    ]);
  });

  it("is declared for both sides and all repeats, or not at all", () => {
    const [round] = planRounds([drop({})]);
    if (round === undefined) throw new Error("a drop is a round");
    const run = { kind: "run", directory: "confirm/1", baseSha: "abc" } as const;
    expect(recordRound(round, run)).toMatchObject({ cases: 2, samples: 8, obstacle: null });
    const why = cannot("no_setup", "nothing prepares it");
    expect(recordRound(round, why)).toMatchObject({
      samples: 0,
      outcome: "not_possible",
      obstacle: "no_setup",
      directory: null,
    });
  });
});

describe("where the base's model is reached", () => {
  it("is the built-in provider's own host where no suite declares another", () => {
    expect(findProvider("openai", [undefined])).toMatchObject({
      base_url: "https://api.openai.com/v1",
      builtin: true,
    });
  });

  it("is nowhere where nobody knows the provider, or its address is each customer's own", () => {
    expect(findProvider("nowhere", [])).toBeUndefined();
    expect(findProvider("azure", [])).toBeUndefined();
  });
});
