import { expect, it } from "vitest";
import { gateResult } from "../../../src/report/words/remarks.ts";

function missing(...caseIds: readonly string[]): string | undefined {
  const problem = { kind: "cases_missing", task: "qa", candidate: "app", caseIds } as const;
  const remarks = [{ kind: "problem", problem }] as const;
  return gateResult({ verdict: "fail", remarks, rules: [] }, true).reasons[0];
}

it("missing cases whose ids are hashes are explained: an edited case is another one", () => {
  expect(missing("0055715cb917eeee", "01e78292fb0d1a50-2")).toMatch(/edited case.*`id_field`/);
  expect(missing("0055715cb917eeee", "q7")).not.toContain("id_field");
});
