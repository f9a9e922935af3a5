import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ExtractionSpec } from "../../src/model/definition/extraction.ts";
import { openExtract } from "../../src/extraction/extract.ts";
import { openLastNumber } from "../../src/extraction/number.ts";
import { pythonSearch } from "./python-regex.ts";
import { patience } from "../support/patience.ts";
import { itSome } from "../support/rows.ts";

const file = "../shared/vectors/extract.json";
const models = ["6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"];

interface Vectors {
  readonly vectors: readonly {
    readonly id: string;
    readonly harness: string;
    readonly extraction: Readonly<Record<string, unknown>>;
    readonly output: string | null;
    readonly expected: string | null;
    readonly note?: string;
  }[];
  readonly redos_cases: readonly {
    readonly pattern: string;
    readonly text: string;
    readonly kind: string;
  }[];
}

// Skipped where ../shared, which is not part of the repository, is absent.
describe.skipIf(!existsSync(file))("the shared extraction vectors", () => {
  const { vectors, redos_cases } = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as Vectors)
    : { vectors: [], redos_cases: [] };

  it.each(vectors.filter((vector) => vector.harness === "proposed"))(
    "$id: $extraction.type of $output",
    async ({ extraction, output, expected }) => {
      const spec = { flags: "", case_sensitive: false, ...extraction } as unknown as ExtractionSpec;
      const extract = openExtract(spec, { searchRegex: pythonSearch(20) });
      expect(await extract(output ?? "")).toEqual({ kind: "extracted", text: expected });
    },
  );

  itSome(redos_cases)("a search for $pattern ends in time: $kind", async ({ pattern, text }) => {
    const spec = { type: "regex", pattern, group: undefined, flags: "" } as const;
    const extract = openExtract(spec, { searchRegex: pythonSearch(0.5) });
    const started = performance.now();
    const extracted = await extract(written(text));
    expect((performance.now() - started) / 1000).toBeLessThan(await patience(30));
    if (extracted.kind === "ungraded") expect(extracted.type).toBe("regex_timeout");
  });
});

describe.skipIf(!existsSync("../shared/data/gsm8k"))("recorded answers to GSM8K", () => {
  it.each(models)("%s: the last number is right where the publisher says so", (model) => {
    const rows = readFileSync("../shared/data/gsm8k/model_solutions_300.jsonl", "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const other = rows.filter((row) => {
      const found = openLastNumber()(String(row[model]));
      const right =
        found !== null && Number(found) === Number(String(row["target"]).replace(",", ""));
      return right !== row[`${model}__is_correct`];
    });
    expect(rows).toHaveLength(300);
    expect(other.map((row) => row["id"])).toEqual([]);
  });
});

/** The cases write their texts as `a*40+"!"`. */
function written(recipe: string): string {
  return recipe
    .split("+")
    .map((part) => {
      const [unit = "", count = "1"] = part.split("*");
      const text = unit.startsWith('"') ? unit.slice(1, -1).replace(String.raw`\v`, "\v") : unit;
      return text.repeat(Number(count));
    })
    .join("");
}
