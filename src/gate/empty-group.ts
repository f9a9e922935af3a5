import type { LedgerGroup } from "../model/ledger.ts";

/** A task and candidate without a sample. */
export const emptyGroup: LedgerGroup = {
  task: "",
  candidate: "",
  size: 0,
  caseIds: () => [],
  positions: () => ({ get: () => undefined }),
  caseAt: nothing,
  caseId: nothing,
  content: nothing,
  hasContentOf: nothing,
  contents: nothing,
  repeat: nothing,
  outcome: nothing,
  cluster: nothing,
  hasClusters: () => false,
  score: nothing,
  givenInterval: () => undefined,
  given: () => undefined,
  givenIds: () => [],
  measured: nothing,
  hasAny: () => false,
  scoreIds: () => [],
  slices: nothing,
  sliceCombinations: () => [],
  row: nothing,
};

function nothing(): never {
  throw new RangeError("an empty group has no samples");
}
