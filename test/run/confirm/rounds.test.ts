import { describe, expect, it } from "vitest";
import type { ProvenDrop } from "../../../src/gate/confirm.ts";
import { placeRounds, sideHash, type ConfirmAttempt } from "../../../src/run/confirm/attempts.ts";
import { cannot, planRounds, recordRound } from "../../../src/run/confirm/rounds.ts";
import { findProvider } from "../../../src/run/confirm/provider.ts";

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

const hashText = (text: string): string => `#${text}`;

const attempt = (
  folder: string,
  identity: string,
  more: Partial<ConfirmAttempt> = {},
): ConfirmAttempt => ({
  folder,
  hashes: {
    head: sideHash(identity, "head", hashText),
    base: sideHash(identity, "base", hashText),
  },
  taken: [],
  isUsable: true,
  ...more,
});
const folders = (
  identities: readonly (string | undefined)[],
  attempts: readonly ConfirmAttempt[],
) =>
  placeRounds(identities, attempts, hashText).map(
    (place) => place && `${place.folder}${place.isOld ? ", begun" : ""}`,
  );

describe("the place of a round", () => {
  it("is new where nothing was begun, and none where nothing is run", () => {
    expect(folders(["a", undefined, "b"], [])).toEqual(["confirm/1", undefined, "confirm/2"]);
  });

  it("is that of an earlier attempt at the very same, in whatever order they come", () => {
    const attempts = [attempt("confirm/1", "a"), attempt("confirm/2", "b")];
    expect(folders(["b", "a"], attempts)).toEqual(["confirm/2, begun", "confirm/1, begun"]);
  });

  it("is beyond all that is there where it is about others", () => {
    const attempts = [attempt("confirm/1", "a"), attempt("confirm/2", "b")];
    expect(folders(["c", "b", "d"], attempts)).toEqual([
      "confirm/3",
      "confirm/2, begun",
      "confirm/4",
    ]);
  });

  it("is new where the earlier attempt decides nothing, or never got to its first line", () => {
    const unknown = { head: undefined, base: undefined };
    const attempts = [
      attempt("confirm/1", "a", { isUsable: false }),
      attempt("confirm/2", "b", { hashes: unknown }),
    ];
    expect(folders(["a", "b"], attempts)).toEqual(["confirm/3", "confirm/4"]);
  });

  it("is one that was begun on the head's side only", () => {
    const hashes = { head: sideHash("a", "head", hashText), base: undefined };
    expect(folders(["a"], [attempt("confirm/1", "a", { hashes })])).toEqual(["confirm/1, begun"]);
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
