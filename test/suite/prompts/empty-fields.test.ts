import { describe, expect, it } from "vitest";
import type { Dataset } from "../../../src/model/definition/dataset.ts";
import type { Row } from "../../../src/model/outcomes/sample.ts";
import { parseTemplate } from "../../../src/prompt/template.ts";
import { emptyFieldWarnings } from "../../../src/suite/prompts/empty-fields.ts";

async function warned(
  template: string,
  rows: readonly Row[],
  isTarget = true,
): Promise<readonly string[]> {
  const cases = rows.map((row, index) => ({ caseId: `c${index}`, content: "", row, index }));
  const dataset = {
    fields: new Set(rows.flatMap((row) => Object.keys(row))),
    cases: async function* () {
      await Promise.resolve();
      yield cases;
    },
  } as unknown as Dataset;
  const placed = [{ template: parseTemplate(template), place: { file: "s.yaml" }, isTarget }];
  return (await emptyFieldWarnings(placed, dataset)).map(({ message }) => message);
}

describe("a field that some rows lack", () => {
  it.each<[string, Row]>([
    ["missing", {}],
    ["null", { label: null }],
    ["empty", { label: "" }],
    ["blank", { label: " \n" }],
  ])("is a warning where it is %s", async (_, row) => {
    expect(await warned("{{label}}", [{ label: "a" }, row, { label: "b" }, row])).toEqual([
      "'label' is missing or empty in 2 of 4 rows: the template renders it as nothing there; the first is row 2 (case c1)",
    ]);
  });

  it("is a warning where all have it without a value", async () => {
    expect(await warned("{{label}}", [{ label: "" }, { label: null }])).toHaveLength(1);
  });

  it("of a prompt is a warning where it is missing or null, and none where it is empty or most lack it", async () => {
    const [a, empty] = [{ hint: "a" }, { hint: "" }];
    expect(await warned("{{hint}}", [a, {}, a], false)).toHaveLength(1);
    expect(await warned("{{hint}}", [a, { hint: null }, a], false)).toHaveLength(1);
    expect(await warned("{{hint}}", [a, empty, empty], false)).toEqual([]);
    expect(await warned("{{hint}}", [a, {}, {}], false)).toEqual([]);
  });

  it("is looked for within fields", async () => {
    const rows = [{ meta: { lang: "en" } }, { meta: {} }];
    expect(await warned("{{meta.lang}}", rows)).toHaveLength(1);
  });

  it("is none where each has a value, no row has the field, or the template does not read it", async () => {
    expect(await warned("{{label}}", [{ label: 0 }, { label: false }, { label: [] }])).toEqual([]);
    expect(await warned("{{lable}}", [{ label: "a" }, {}])).toEqual([]);
    expect(await warned("{{row}} {{choices}}", [{ label: "a" }, {}])).toEqual([]);
  });
});
