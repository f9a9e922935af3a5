import { describe, expect, test } from "vitest";
import { readCsv } from "../../src/dataset/csv.ts";
import { readJsonl } from "../../src/dataset/jsonl.ts";
import { looksLikeCsv, openCsv } from "../../src/results/table.ts";
import { looksLikeJsonl, openJsonl } from "../../src/results/jsonl.ts";
import type { ReadTable } from "../../src/results/rows.ts";
import type { OpenResults } from "../../src/results/source.ts";
import { headOf, readAll, refusalOf, sourceOf } from "../support/result-source.ts";
import { expectWithin } from "../support/patience.ts";

/** Rows of one's own: JSON lines and CSV. */

const readLines: ReadTable = (bytes, file) => readJsonl(bytes, { file, needsSource: () => false });
const jsonl: OpenResults = (source, shape) => openJsonl(source, shape, readLines);
const csv: OpenResults = (source, shape) => openCsv(source, shape, readCsv);

const lines = (...rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("");

const ids = async (...rows: readonly object[]): Promise<readonly string[]> =>
  (await readAll(jsonl, sourceOf(lines(...rows)))).metrics.map(({ id }) => id);

describe("JSON lines", () => {
  test("nested as nobody means it are refused by their line, and not taken for a file that was cut off", async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const text = `{"case_id":"a","score":1}\n{"case_id":"b","score":1,"x":${deep}}`;
    const refused = await refusalOf(readAll(jsonl, sourceOf(text)));
    expect(refused).toContain("it is nested more than 200 levels deep");
    expect(refused).not.toContain("cut off");
  });

  test.each(['[{"id":"a","score":1}]', '\ufeff\n[\n  {"id":"a","score":1}\n]\n'])(
    "that are one list are refused once, with a way to make lines of it: %j",
    async (text) => {
      const refused = await refusalOf(readAll(jsonl, sourceOf(text)));
      expect(refused).toContain("the file begins with a list");
      expect(refused).toContain("jq -c '.[]'");
      expect(refused).not.toContain("format: json");
    },
  );

  test("a row's fields by their usual names", async () => {
    const row = {
      case_id: 7,
      question: "?",
      output_text: "!",
      expected: "e",
      score: true,
      scores: { style: 0.5 },
      model: "m",
      task_id: "t",
      epoch: 2,
      reason: "because",
      usage: { input_tokens: 3, output_tokens: 4 },
      cost: 0.5,
      latency_seconds: 2,
      lang: "en",
      nested: { a: 1 },
    };
    const { rows, metrics } = await readAll(jsonl, sourceOf(lines(row)));
    expect(rows).toEqual([
      {
        at: "line 1",
        task: "t",
        candidate: "m",
        id: "7",
        input: "?",
        repeat: 2,
        prompt: null,
        target: "e",
        output: "!",
        result: { kind: "scored" },
        scores: { score: 1, style: 0.5 },
        explanation: "because",
        fields: { lang: "en", nested: '{"a":1}' },
        usage: {
          input_tokens: 3,
          output_tokens: 4,
          cached_tokens: 0,
          reasoning_tokens: 0,
          usd: 0.5,
        },
        latencyMs: 2000,
      },
    ]);
    expect(metrics.map(({ id, range }) => [id, range])).toEqual([
      ["score", [0, 1]],
      ["style", [0, 1]],
    ]);
  });

  test("metrics that are named, within scores or beside them; a range only where all are shares", async () => {
    const text = lines(
      { id: "a", score: 1, wait: 3, scores: { "a.b": 0 } },
      { id: "b", score: 0, wait: 0.5, scores: { "a.b": 1 } },
    );
    const { metrics, rows } = await readAll(jsonl, sourceOf(text), ["a.b", "wait"]);
    expect(metrics.map(({ id, range }) => [id, range])).toEqual([
      ["a.b", [0, 1]],
      ["wait", null],
    ]);
    expect(rows[0]?.scores).toEqual({ "a.b": 0, wait: 3 });
  });

  test("a metric that no row has, with the one that was meant", async () => {
    const text = lines({ id: "a", score: 1, speed: 3, scores: { style: 1 } });
    const asked = readAll(jsonl, sourceOf(text), ["styl"]);
    expect(await refusalOf(asked)).toContain("Did you mean 'style'?");
    expect(await refusalOf(readAll(jsonl, sourceOf(text), ["zzzzzz"]))).toMatch(
      /There are score, speed, style/,
    );
  });

  test.each([
    [{ error: "exit 1" }, { kind: "failed", type: "recorded", message: "exit 1" }],
    [
      { error: "x", fault: "infra" },
      { kind: "ungraded", type: "recorded", message: "x" },
    ],
    [
      { error: { fault: "grader", type: "t", message: "m" } },
      { kind: "invalid", type: "t", message: "m" },
    ],
    [{ error: null, score: 1 }, { kind: "scored" }],
    [{ error: "", score: 1 }, { kind: "scored" }],
    [{ error: false, score: 1 }, { kind: "scored" }],
  ])("what became of it: %j", async (more, result) => {
    const { rows } = await readAll(jsonl, sourceOf(lines({ id: "a", ...more })));
    expect(rows[0]?.result).toEqual(result);
  });

  test.each([
    [{ failure: "exit 1" }, { kind: "failed", type: "recorded", message: "exit 1" }],
    [
      { failure: { fault: "infra", type: "t", message: "m" } },
      { kind: "ungraded", type: "t", message: "m" },
    ],
    [{ failure: null, error: "no error of ours", score: 1 }, { kind: "scored" }],
  ])("what became of it, by a name of one's own: %j", async (more, result) => {
    const shape = { metrics: [], fields: { error: "failure" } };
    const { rows } = await openJsonl(sourceOf(lines({ id: "a", ...more })), shape, readLines);
    const read = [];
    for await (const row of rows) read.push(row.result);
    expect(read).toEqual([result]);
  });

  test("a column of a name that a CSV file does not have is refused: errors in it would not be seen", async () => {
    const shape = { metrics: [], fields: { id: "id", error: "failre", input: ["id", "zz"] } };
    const { rows } = await openCsv(sourceOf("id,score,failure\na,1,\nb,,boom\n"), shape, readCsv);
    const reading = (async () => {
      for await (const _ of rows);
    })();
    const refused = await refusalOf(reading);
    expect(refused).toContain("`from.columns.error` names the column 'failre'");
    expect(refused).toContain("Did you mean 'failure'?");
    expect(refused).toContain("the column 'zz', which the file does not have");
    expect(refused).toContain("Its columns are id, score, failure.");
  });

  test("without id and input, what else there is names the case", async () => {
    const { rows } = await readAll(jsonl, sourceOf(lines({ city: "Rome", score: 1, output: "x" })));
    expect(rows[0]).toMatchObject({ id: null, input: { city: "Rome" } });
  });

  test("all that can't be mapped, each with its line and field", async () => {
    const text = lines(
      { id: "a", score: "1" },
      { id: [1], score: 1 },
      { id: "c", score: 1, latency_ms: -1 },
      { id: "d", scores: [1] },
    );
    const refusal = await refusalOf(readAll(jsonl, sourceOf(text)));
    for (const words of [
      "line 1: 'score'",
      "line 2: 'id'",
      "line 3: 'latency_ms'",
      "line 4: 'scores'",
    ])
      expect(refusal).toContain(words);
  });

  test.each([
    ['{"id":"a","score":1}\n', true],
    ['{"id":"a","error":"x"}\n{"id":"b","score":1}\n', true],
    ['{\n  "score": 1\n}\n', false],
    ['[{"score":1}]\n', false],
    ['{"a":1}\n', false],
    ["", false],
  ])("is told by its rows: %j", (text, expected) => {
    expect(looksLikeJsonl(headOf(text, "r.txt"))).toBe(expected);
  });

  test.each([
    ["no score in it", '{"a":1}\n', "r.jsonl", true],
    ["no JSON in it", '{"score": NaN}\n', "r.JSONL", true],
    ["a long row", `{"a":"${"x".repeat(70_000)}"}\n`, "r.ndjson", true],
    ["a list", '[{"score":1}]\n', "r.jsonl", false],
    ["another name", '{"a":1}\n', "r.json", false],
  ])("is told by its name, where an object begins it: %s", (_, text, ...is) => {
    const [path, expected] = is;
    expect(looksLikeJsonl(headOf(text, path))).toBe(expected);
  });

  test("the first metric is no row's choice: `score`, the others by name", async () => {
    const easy = { id: "a", scores: { z: 1, easy: 1 } };
    expect(await ids(easy, { id: "b", scores: { score: 0 } })).toEqual(["score", "easy", "z"]);
    expect(await ids(easy, { id: "b", score: 0 })).toEqual(["score", "easy", "z"]);
    expect(await ids({ id: "b", scores: { z: 0 } }, easy)).toEqual(["easy", "z"]);
  });

  test("metrics' ids have no other characters than those of ids; two names of one id are refused", async () => {
    const hostile = { id: "a", scores: { "a/b\n::error::| <img>": 1 } };
    const { rows, metrics } = await readAll(jsonl, sourceOf(lines(hostile)));
    expect(rows[0]?.scores).toEqual({ a_b_error_img: 1 });
    expect(metrics.map(({ id }) => id)).toEqual(["a_b_error_img"]);
    const asked = await readAll(jsonl, sourceOf(lines(hostile)), ["a_b_error_img"]);
    expect(asked.rows[0]?.scores).toEqual({ a_b_error_img: 1 });
    const two = lines({ id: "a", scores: { "a b": 1, "a/b": 0 } });
    expect(await refusalOf(readAll(jsonl, sourceOf(two)))).toContain("'a_b', which is taken");
  });

  test.each([-1, 1.5, 10_000, 1e15, 1e20])("a repeat is no %d", async (repeat) => {
    const text = lines({ id: "a", score: 1, repeat: 9999 }, { id: "b", score: 1, repeat });
    expect(await refusalOf(readAll(jsonl, sourceOf(text)))).toContain(
      `line 2: 'repeat' is ${repeat}; a whole number from 0 to 9999 was expected`,
    );
  });

  test("without any score: refused, with the numbers that there are", async () => {
    const text = lines({ id: "a", accuracy: 1, f1: 0.5 }, { id: "b", accuracy: 0, error: "" });
    const said = await refusalOf(readAll(jsonl, sourceOf(text)));
    expect(said).toContain("no row has a score that a rule could judge");
    expect(said).toContain("--metric");
    expect(said).toContain("There are accuracy, f1.");
    const none = await refusalOf(readAll(jsonl, sourceOf(lines({ id: "a", output: "x" }))));
    expect(none).toContain("no row has a score");
    expect(none).not.toContain("There are");
    // Nobody gave an answer: that is a result.
    const { metrics } = await readAll(jsonl, sourceOf(lines({ id: "a", error: "x" })));
    expect(metrics).toEqual([]);
  });

  test("a misspelt metric is looked for among all that there are; ten are named", async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${i + 10}`, 1]));
    const text = lines({ id: "a", score: 1, ...many }, { id: "b", score: 1, relevance: 0.5 });
    const meant = await refusalOf(readAll(jsonl, sourceOf(text), ["relevence"]));
    expect(meant).toContain("Did you mean 'relevance'?");
    const listed = await refusalOf(readAll(jsonl, sourceOf(text), ["zzzzzz"]));
    expect(listed).toContain("m19, and 52 more.");
  });

  test("problems come in the order of their lines; a number that is none is shown", async () => {
    const rows = ['{"id":"a","score":NaN}', '{"id":"b","score":1e999}', '{"id":"c","score":"1"}'];
    const said = await refusalOf(readAll(jsonl, sourceOf(`${rows.join("\n")}\n`)));
    expect(said.split("\n").map((line) => line.slice(0, 40))).toEqual([
      "out.json: line 1: the row can't be read:",
      "out.json: line 2: 'score' is Infinity; a",
      `out.json: line 3: 'score' is "1"; a fini`,
    ]);
  });
});

describe("CSV", () => {
  test("without any score: refused, with the columns of numbers", async () => {
    const said = await refusalOf(readAll(csv, sourceOf("id,accuracy,lang\na,0.5,en\n")));
    expect(said).toContain("There is accuracy.");
  });

  test("texts as numbers, truth values and nothing", async () => {
    const text = "id,input,score,lang\na,q,0.25,en\nb,q,TRUE,\nc,q,false,\nd,q,,\n";
    const { rows } = await readAll(csv, sourceOf(text));
    expect(rows.map(({ scores }) => scores)).toEqual([
      { score: 0.25 },
      { score: 1 },
      { score: 0 },
      {},
    ]);
    expect(rows[0]?.fields).toEqual({ lang: "en" });
  });

  test.each(["good", "1,5e", "0x10", "NaN", "Infinity", "1e999", " "])(
    "no number: %j",
    async (score) => {
      const text = `id,score\n"a","${score}"\n`;
      const refusal = await refusalOf(readAll(csv, sourceOf(text)));
      expect(refusal).toContain("line 2: 'score'");
    },
  );

  test("the digits of a model that repeats itself are refused at once", async () => {
    const text = `id,score\na,${"0".repeat(100_000)}x\n`;
    await expectWithin(4, async () => {
      expect(await refusalOf(readAll(csv, sourceOf(text)))).toContain("line 2: 'score'");
    });
  });

  test("a row that is cut off, and a quote that is never closed", async () => {
    const short = await refusalOf(readAll(csv, sourceOf("id,score,output\na,1,x\nb,1")));
    expect(short).toContain("2 fields");
    const open = await refusalOf(readAll(csv, sourceOf('id,score\na,"1')));
    expect(open).toContain("never closed");
  });

  test("is told by its name", () => {
    expect(looksLikeCsv(headOf("id,score\n", "a.CSV"))).toBe(true);
    expect(looksLikeCsv(headOf("id,score\n", "a.txt"))).toBe(false);
    expect(looksLikeCsv(headOf("{}", "a.csv"))).toBe(false);
  });
});
