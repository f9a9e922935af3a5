import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ResultRow } from "../../../src/model/results.ts";
import { looksLikeLmEval, openLmEval } from "../../../src/results/lm-eval/lm-eval.ts";
import type { ResultSource } from "../../../src/results/source.ts";
import { headOf, readAll, recorded, refusalOf, sourceOf } from "../../support/result-source.ts";

/** A recorded file of samples, with its totals beside it. */
function samples(side: "base" | "head" | "dummy", task: string): ResultSource {
  const names = readdirSync(
    fileURLToPath(new URL(`../../fixtures/results/lm-eval/${side}`, import.meta.url)),
  );
  const name = names.find((each) => each.startsWith(`samples_${task}_`)) ?? "";
  return {
    ...sourceOf(recorded(`lm-eval/${side}/${name}`), `out/${name}`),
    beside: async (other) =>
      names.includes(other)
        ? sourceOf(recorded(`lm-eval/${side}/${other}`), `out/${other}`)
        : undefined,
  };
}

function share(rows: readonly ResultRow[], metric: string): number {
  return rows.reduce((sum, { scores }) => sum + (scores[metric] ?? 0), 0) / rows.length;
}

describe("samples of lm-eval 0.4.13", () => {
  test("a document with both filters' scores: what lm-eval itself has made of them", async () => {
    const { rows, metrics, tool } = await readAll(openLmEval, samples("base", "tickets"));
    expect(tool).toBe("lm-eval 0.4.13");
    expect(rows).toHaveLength(40);
    expect(metrics).toEqual([
      { id: "exact_match.flexible-extract", range: [0, 1], direction: "higher_is_better" },
      { id: "exact_match.strict-match", range: [0, 1], direction: "higher_is_better" },
    ]);
    // As its results_*.json has them.
    expect(share(rows, "exact_match.strict-match")).toBeCloseTo(0.85, 10);
    expect(share(rows, "exact_match.flexible-extract")).toBeCloseTo(0.9, 10);
    const { rows: after } = await readAll(openLmEval, samples("head", "tickets"));
    expect(share(after, "exact_match.strict-match")).toBeLessThan(0.8);
  });

  test("a row is named by its document, without the answer", async () => {
    const { rows } = await readAll(openLmEval, samples("base", "tickets"));
    expect(rows[0]).toEqual({
      judgedBy: expect.stringContaining("exact_match") as string,
      at: "line 1",
      task: "tickets",
      candidate: "tickets",
      id: null,
      input: { question: "Where is my invoice from March?", kind: "0" },
      repeat: null,
      prompt: "Ticket: Where is my invoice from March?\nLabel:",
      target: "billing",
      output: "The label is billing.",
      result: { kind: "scored" },
      scores: { "exact_match.strict-match": 1, "exact_match.flexible-extract": 1 },
      explanation: "strict-match: billing",
      fields: {},
      usage: null,
      latencyMs: null,
    });
  });

  test("choices, named by the ids of the documents; what has no score by case is left out", async () => {
    const { rows, metrics } = await readAll(openLmEval, samples("base", "ticket_choices"));
    expect(metrics.map(({ id }) => id)).toEqual(["acc", "acc_norm"]);
    expect(rows[0]).toMatchObject({
      task: "ticket_choices",
      id: "invoice-0",
      target: "0",
      scores: { acc: 1, acc_norm: 1 },
      output: '[["-0.25","True"],["-4.5","False"],["-4.5","False"],["-4.5","False"]]',
    });
    expect(rows[0]?.input).not.toHaveProperty("gold");
    expect(share(rows, "acc")).toBeCloseTo(0.9, 10);
  });

  test("the tool's own dummy model", async () => {
    const { rows, tool } = await readAll(openLmEval, samples("dummy", "ticket_choices"));
    expect(tool).toBe("lm-eval 0.4.13");
    expect(rows.map(({ id, candidate }) => [id, candidate])).toEqual([
      ["invoice-0", "dummy"],
      ["invoice-1", "dummy"],
      ["refund-0", "dummy"],
      ["refund-1", "dummy"],
      ["charge-0", "dummy"],
    ]);
  });

  test.each([["exact_match,flexible-extract"], ["exact_match.flexible-extract"]])(
    "the metric as %s",
    async (metric) => {
      const { rows, metrics } = await readAll(openLmEval, samples("base", "tickets"), [metric]);
      expect(metrics.map(({ id }) => id)).toEqual(["exact_match.flexible-extract"]);
      expect(rows[0]?.scores).toEqual({ "exact_match.flexible-extract": 1 });
    },
  );

  test("a metric of all documents together is refused where it is named", async () => {
    const said = await refusalOf(
      readAll(openLmEval, samples("base", "ticket_choices"), ["brier_score"]),
    );
    expect(said).toContain("line 1: 'brier_score' is an array; a number (lm-eval makes");
  });

  test("an order of the rows of its own does not matter", async () => {
    const source = samples("head", "tickets");
    const lines = (await textOf(source)).trim().split("\n");
    const mixed = lines.toSorted((a, b) => a.localeCompare(b)).join("\n");
    const { rows } = await readAll(openLmEval, { ...source, ...sourceOf(mixed, source.path) });
    expect(rows).toHaveLength(40);
    expect(rows.every(({ scores }) => Object.keys(scores).length === 2)).toBe(true);
  });
});

/** A row as the tool writes it. */
function line(change: Record<string, unknown> = {}): string {
  return JSON.stringify({
    doc_id: 0,
    doc: { question: "q", answer: "a" },
    target: "a",
    arguments: { gen_args_0: { arg_0: "q?" } },
    resps: [["a"]],
    filtered_resps: ["a"],
    filter: "none",
    metrics: ["mine"],
    mine: 1,
    ...change,
  });
}

const alone = "samples_t_2026-11-22T09-58-32.121219.jsonl";

/** Totals that say of `mine` that less is better. */
function withTotals(text: string): ResultSource {
  const totals = { results: {}, higher_is_better: { t: { mine: false } }, config: { model: "hf" } };
  return {
    ...sourceOf(text, alone),
    beside: async (name) => sourceOf(JSON.stringify(totals), name),
  };
}

describe("what stands beside the samples", () => {
  test("says of which metrics less is better, and who answered", async () => {
    const { metrics, rows } = await readAll(openLmEval, withTotals(`${line()}\n`));
    expect(metrics).toEqual([{ id: "mine", range: null, direction: "lower_is_better" }]);
    expect(rows[0]?.candidate).toBe("hf");
  });

  test("is needed for metrics that are not lm-eval's own", async () => {
    const said = await refusalOf(readAll(openLmEval, sourceOf(line(), alone)));
    expect(said).toContain("nothing says whether more is better for the metric 'mine'");
    expect(said).toContain("results_2026-11-22T09-58-32.121219.json");
    const { metrics } = await readAll(
      openLmEval,
      sourceOf(line({ metrics: ["ter", "acc"], ter: 3, acc: 0 }), "renamed.jsonl"),
    );
    expect(metrics).toEqual([
      { id: "acc", range: [0, 1], direction: "higher_is_better" },
      { id: "ter", range: null, direction: "lower_is_better" },
    ]);
  });
});

/** A document with the id x, and another one. */
function two(second: unknown): ResultSource {
  const first = line({ doc: { id: "x", q: "1" } });
  return withTotals(`${first}\n${line({ doc_id: 1, doc: second })}\n`);
}

test("ids of documents name cases only where each has one of its own", async () => {
  const own = await readAll(openLmEval, two({ id: "y", q: "2" }));
  expect(own.rows.map(({ id }) => id)).toEqual(["x", "y"]);
  const shared = await readAll(openLmEval, two({ id: "x", q: "2" }));
  expect(shared.rows.map(({ id }) => id)).toEqual([null, null]);
});

test("a document that is nothing but the answer keeps it", async () => {
  const { rows } = await readAll(
    openLmEval,
    withTotals(line({ doc: { page: "text" }, target: "text" })),
  );
  expect(rows[0]?.input).toEqual({ page: "text" });
});

test("NaN of Python's is no score, and a text with the word stays", async () => {
  const first = line({ doc: { q: 'say "NaN"' } }).replace('"mine":1', '"mine":NaN');
  const { rows } = await readAll(openLmEval, withTotals(`${first}\n${line({ doc_id: 1 })}\n`));
  expect(rows.map(({ scores }) => scores)).toEqual([{}, { mine: 1 }]);
  expect(rows[0]?.input).toEqual({ q: 'say "NaN"' });
});

describe("bad files", () => {
  test.each([
    ["cut off", `${line()}\n${line().slice(0, 50)}`, /ends in the middle of a result, at line 2/],
    ["no JSON in the middle", `${line()}\n{"doc_id":\n${line()}\n`, /can't be read at line 2: /],
    ["another kind of row", `{"question": "q"}\n`, /no lm-eval file: rows with "doc_id"/],
    ["no object", `${line()}\n[1]\n`, /line 2: no object stands there/],
    [
      "the totals",
      `{\n  "results": {}}`,
      /samples_<task>_<date>\.jsonl, which `lm_eval --log_samples`/,
    ],
    [
      "samples of 0.4.5 and before",
      line({ metrics: undefined, filter: undefined }),
      /of lm-eval's format "of samples without/,
    ],
    [
      "a filter's own document",
      `${line()}\n${line({ doc_id: 7, filter: "f" })}\n`,
      /line 2: 'doc_id' is no document of the filter 'none'/,
    ],
  ])("%s", async (_, text, said) => {
    expect(await refusalOf(readAll(openLmEval, withTotals(text)))).toMatch(said);
  });

  test("all that can't be mapped, at once", async () => {
    const bad = line({ doc: "q", filtered_resps: null });
    const said = await refusalOf(readAll(openLmEval, withTotals(`${bad}\n${bad}\n`)));
    expect(said).toContain("line 1: 'doc' is a text; an object was expected");
    expect(said).toContain("line 1: 'filtered_resps' is missing");
    expect(said).toContain("line 2: 'doc' is a text");
  });
});

test("auto knows samples, and totals, to say what is wanted", async () => {
  const source = samples("base", "tickets");
  expect(looksLikeLmEval(headOf(await textOf(source), source.path))).toBe(true);
  expect(looksLikeLmEval(headOf(`{"doc_id": 1, "x": 2}`, "a.jsonl"))).toBe(false);
  expect(looksLikeLmEval(headOf(`{"results": {}}`, "out/results_2026-11-22T09.json"))).toBe(true);
  expect(looksLikeLmEval(headOf(`{"results": {}}`, "out.json"))).toBe(false);
});

async function textOf(source: ResultSource): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.bytes()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
