import { describe, expect, test } from "vitest";
import type { ResultRow } from "../../../src/model/results.ts";
import { looksLikePromptfoo, openPromptfoo } from "../../../src/results/promptfoo/promptfoo.ts";
import { expectWithin } from "../../support/patience.ts";
import { headOf, readAll, recorded, refusalOf, sourceOf } from "../../support/result-source.ts";

const read = async (name: string, metrics: readonly string[] = []) =>
  readAll(openPromptfoo, sourceOf(recorded(`promptfoo/${name}`), name), metrics);

/** `what` of the row about this country, first repeat. */
function about(rows: readonly ResultRow[], country: string, repeat = 0): ResultRow {
  const row = rows.find(
    (each) => each.fields["vars.country"] === country && each.repeat === repeat,
  );
  if (row === undefined) throw new Error(`no row about ${country}`);
  return row;
}

const withoutPlace = (rows: readonly ResultRow[]): unknown =>
  rows.map((row) => ({ ...row, at: "" }));

/** The same with its keys in another order. */
function reordered(value: unknown, order: (a: string, b: string) => number): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => reordered(each, order));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => order(a, b));
  return Object.fromEntries(entries.map(([key, each]) => [key, reordered(each, order)]));
}

const rising = (a: string, b: string): number => (a < b ? -1 : 1);

describe("keys in another order", () => {
  const document: unknown = JSON.parse(recorded("promptfoo/head.json").toString());
  const rows = recorded("promptfoo/head.jsonl").toString().trim().split("\n");

  test.each([
    ["sorted", rising],
    ["sorted backwards", (a: string, b: string) => rising(b, a)],
  ])("%s: a document and lines are told, and read the same", async (_, order) => {
    const { rows: expected } = await read("head.json");
    for (const indent of [0, 2]) {
      const text = JSON.stringify(reordered(document, order), undefined, indent);
      expect(looksLikePromptfoo(headOf(text))).toBe(true);
      const found = await readAll(openPromptfoo, sourceOf(text));
      expect(found.rows).toStrictEqual(expected);
    }
    const lines = rows.map((row) => `${JSON.stringify(reordered(JSON.parse(row), order))}\n`);
    expect(looksLikePromptfoo(headOf(lines.join("")))).toBe(true);
    const found = await readAll(openPromptfoo, sourceOf(lines.join("")));
    expect(withoutPlace(found.rows)).toStrictEqual(withoutPlace(expected));
  });

  test("a first line that begins as a document does is one all the same, however long it is", async () => {
    const long = rows.map((row) => `{"results":"${"x".repeat(70_000)}",${row.slice(1)}\n`);
    const found = await readAll(openPromptfoo, sourceOf(long.join("")));
    expect(found.rows).toHaveLength(28);
  });
});

test("`pass` is the first metric, whatever a test has named", async () => {
  const [first = ""] = recorded("promptfoo/base.jsonl").toString().split("\n");
  const row = { ...(JSON.parse(first) as object), namedScores: { a: 1 } };
  const { metrics } = await readAll(openPromptfoo, sourceOf(`${JSON.stringify(row)}\n`));
  expect(metrics.map(({ id }) => id)).toStrictEqual(["pass", "score", "a"]);
});

describe("a recorded eval", () => {
  test.each([
    ["base.json", 20, 20, "promptfoo 0.121.20"],
    ["head.json", 20, 6, "promptfoo 0.121.20"],
    ["base.jsonl", 20, 20, "promptfoo"],
    ["head.jsonl", 20, 6, "promptfoo"],
  ])("%s has its rows, repeats, errors and scores", async (name, scored, ...rest) => {
    const [passed, tool] = rest;
    const found = await read(name);
    expect(found.tool).toBe(tool);
    expect(found.rows).toHaveLength(28);
    expect(found.rows.filter(({ repeat }) => repeat === 1)).toHaveLength(14);
    expect(new Set(found.rows.map(({ candidate }) => candidate))).toStrictEqual(new Set(["model"]));
    const good = found.rows.filter(({ result }) => result.kind === "scored");
    expect(good).toHaveLength(scored);
    expect(good.filter(({ scores }) => scores["pass"] === 1)).toHaveLength(passed);
    expect(found.metrics).toStrictEqual([
      { id: "pass", range: [0, 1], direction: "higher_is_better" },
      { id: "score", range: null, direction: "higher_is_better" },
      { id: "brevity", range: null, direction: "higher_is_better" },
      { id: "exact", range: null, direction: "higher_is_better" },
      { id: "polite", range: null, direction: "higher_is_better" },
    ]);
  });

  test("tells whose fault an error was", async () => {
    const { rows } = await read("base.json");
    const became = (country: string): unknown => about(rows, country).result;
    expect(became("Atlantis")).toMatchObject({ kind: "ungraded", type: "http_500" });
    expect(became("Lemuria")).toMatchObject({ kind: "failed", type: "http_400" });
    expect(became("Mu")).toStrictEqual({
      kind: "ungraded",
      type: "judge",
      message: "Could not extract JSON from llm-rubric response",
    });
    expect(became("Ruritania")).toStrictEqual({
      kind: "invalid",
      type: "assertion_error",
      message:
        "Custom function threw error: Unexpected token 'R', \"Ruritania.\" is not valid JSON",
    });
    for (const { result, scores } of rows)
      if (result.kind !== "scored") expect(scores).toStrictEqual({});
  });

  test("maps a row", async () => {
    const { rows } = await read("head.json");
    const row = about(rows, "France", 1);
    expect(row).toStrictEqual({
      at: "results.results[1]",
      task: null,
      candidate: "model",
      id: null,
      input: { vars: { country: "France", capital: "Paris" } },
      repeat: 1,
      prompt: "What is the largest city of France?",
      target: null,
      output: "Marseille",
      result: { kind: "scored" },
      scores: { pass: 0, score: row.scores["score"], exact: 0, brevity: 0.91, polite: 0.9 },
      explanation:
        'icontains: Expected output to contain "Paris"\nequals: Expected output "Marseille" to equal "Paris"',
      fields: { "vars.country": "France", "vars.capital": "Paris", "metadata.region": "europe" },
      usage: {
        input_tokens: 7,
        output_tokens: 1,
        cached_tokens: 0,
        reasoning_tokens: 0,
        usd: null,
      },
      latencyMs: row.latencyMs,
      judgedBy: row.judgedBy,
    });
    expect(row.scores["score"]).toBeCloseTo((0.91 + 0.9) / 6);
    expect(row.latencyMs).toBeGreaterThan(0);
  });

  test("reads the same of a document as of lines, but where they stand", async () => {
    for (const name of ["base", "head", "echo", "app"]) {
      const [document, lines] = [await read(`${name}.json`), await read(`${name}.jsonl`)];
      expect(withoutPlace(lines.rows)).toStrictEqual(withoutPlace(document.rows));
      expect(lines.rows.at(-1)?.at).toBe(`line ${lines.rows.length}`);
    }
  });

  test("names cases by their id, else by description and variables, and columns by provider and prompt", async () => {
    const { rows } = await read("echo.json");
    expect(new Set(rows.map(({ candidate }) => candidate))).toStrictEqual(
      new Set(["echo · prompt 1", "echo · Short", "second echo · prompt 1", "second echo · Short"]),
    );
    const named = new Set(rows.map(({ id, input }) => JSON.stringify([id, input])));
    expect([...named].map((text) => JSON.parse(text) as unknown)).toStrictEqual([
      ["fr", { vars: { country: "France" } }],
      [null, { description: "names the country", vars: { country: "Peru" } }],
      [null, { description: "is no JSON", vars: { country: "Peru" } }],
    ]);
    expect(new Set(rows.map(({ repeat }) => repeat))).toStrictEqual(new Set([0]));
    expect(rows[0]?.fields).toStrictEqual({
      "vars.country": "France",
      "metadata.testCaseId": "fr",
      "metadata.tags": '["a","b"]',
    });
  });

  test("a program's and an app's errors are the candidate's", async () => {
    const { rows } = await read("app.json");
    const told = rows.map(({ candidate, result }) => [
      candidate,
      result.kind,
      "type" in result && result.type,
    ]);
    expect(told).toHaveLength(4);
    expect(told).toContainEqual(["program", "failed", "candidate_error"]);
    expect(told).toContainEqual(["app", "failed", "candidate_error"]);
    expect(told.filter(([, kind]) => kind === "scored")).toHaveLength(2);
  });

  test("gives the metrics that were asked for, and says which there are", async () => {
    const found = await read("base.json", ["exact", "pass"]);
    expect(found.metrics.map(({ id }) => id)).toStrictEqual(["exact", "pass"]);
    expect(about(found.rows, "Peru").scores).toStrictEqual({ pass: 1 });
    expect(await refusalOf(read("base.json", ["exakt"]))).toMatch(
      /no row has the metric 'exakt'\n {2}Did you mean 'exact'\?/,
    );
  });
});

interface Row {
  [key: string]: unknown;
}

/** A row as promptfoo writes it, changed. */
function changed(changes: Row): Row {
  const line = recorded("promptfoo/base.jsonl").toString().split("\n")[2] ?? "";
  return { ...(JSON.parse(line) as Row), ...changes };
}

const lines = (...rows: readonly object[]): string =>
  rows.map((each) => `${JSON.stringify(each)}\n`).join("");
const document = (results: object, more: object = {}): string =>
  JSON.stringify({ evalId: "eval-1", results: { version: 3, prompts: [], ...results }, ...more });

async function outcome(changes: Row): Promise<unknown> {
  const { rows } = await readAll(openPromptfoo, sourceOf(lines(changed(changes))));
  const [found] = rows;
  return found?.result;
}

const error = (text: string, more: Row = {}): Row => ({
  success: false,
  failureReason: 2,
  error: text,
  response: { error: text },
  ...more,
});

const component = (reason: string, type = "llm-rubric"): Row => ({
  success: false,
  failureReason: 1,
  gradingResult: { reason, componentResults: [{ pass: false, reason, assertion: { type } }] },
});

const by = (id: string): Row => ({ provider: { id, label: "x" } });

describe("the fault of an error", () => {
  test.each([
    ["ungraded", "http_429", error("API error: 429 Too Many Requests\n{}")],
    ["ungraded", "http_503", error("API call error: 503 Service Unavailable")],
    ["ungraded", "http_401", error("API error: 401 Unauthorized")],
    ["failed", "http_400", error("API error: 400 Bad Request")],
    [
      "ungraded",
      "provider_unreachable",
      error("API call error: TypeError: fetch failed (ECONNREFUSED)"),
    ],
    [
      "ungraded",
      "provider_unreachable",
      error("API call error: Error: Request timed out after 300000 ms"),
    ],
    [
      "ungraded",
      "provider_unreachable",
      error("API key is not set. Set the OPENAI_API_KEY environment variable"),
    ],
    ["ungraded", "provider_unreachable", error("Evaluation timed out after 10ms: Error")],
    ["ungraded", "stopped", error("Evaluation exceeded max duration of 10ms")],
    ["invalid", "error", error("TypeError: x is not a function\n    at y")],
    [
      "failed",
      "candidate_error",
      error(
        "TypeError: x\n\nTypeError: x\n    at MyApp.callApi (/app/p.js:3:9)\n    at runEval (/pf.js)",
      ),
    ],
    [
      "invalid",
      "error",
      error(
        "Error: x\n\nError: x\n    at f (/a.js:1:1)\n    at runAssertion (/pf.js)\n    at callApi",
      ),
    ],
    ["invalid", "error", error("the answer says: request timed out")],
    ["failed", "candidate_error", error("API error: 503", by("https://app.example/chat"))],
    [
      "failed",
      "candidate_error",
      error("Evaluation timed out after 10ms: Error", by("python:app.py")),
    ],
    ["failed", "candidate_error", error("Error: boom", by("file://provider.mjs"))],
    ["failed", "candidate_error", error("Error: boom", by("./provider.py"))],
    ["invalid", "assertion_error", error("boom", { response: { output: "x" } })],
    ["failed", "no_output", { success: false, failureReason: 0, error: "No output", response: {} }],
    ["ungraded", "judge", component("API error: 500 Internal Server Error")],
    ["ungraded", "judge", component("No output", "not-model-graded-closedqa")],
    ["scored", undefined, component("No output", "javascript")],
    ["scored", undefined, component("API error: is in the answer", "contains")],
    ["invalid", "assertion_error", component("Python code execution failed: x", "python")],
    ["invalid", "assertion_error", { gradingResult: { reason: "Scoring function error: x" } }],
    ["invalid", "no_score", { score: null }],
    ["scored", undefined, {}],
  ])("%s %s", async (kind, type, changes) => {
    expect(await outcome(changes)).toMatchObject({ kind, ...(type !== undefined && { type }) });
  });

  test("an assertion that broke makes a row invalid though another's judge failed, or the test passed", async () => {
    const componentResults = [
      { pass: false, reason: "No output", metadata: { graderError: true } },
      { pass: false, reason: "Custom function threw error: x\nStack Trace: at /home/me" },
    ];
    expect(await outcome({ success: true, gradingResult: { componentResults } })).toStrictEqual({
      kind: "invalid",
      type: "assertion_error",
      message: "Custom function threw error: x",
    });
  });
});

test("an error of a hundred thousand blank lines is read at once, and shown without its stack", async () => {
  const blank = "\n".repeat(100_000);
  const thrown = `Error: it broke${blank}x\n    at callApi (/app/provider.js:1:1)`;
  await expectWithin(4, async () => {
    const found = await outcome({ error: thrown, success: false, response: undefined });
    expect(found).toMatchObject({
      kind: "failed",
      message: expect.not.stringContaining("callApi"),
    });
  });
});

const named = async (...rows: readonly Row[]): Promise<readonly ResultRow[]> =>
  (await readAll(openPromptfoo, sourceOf(lines(...rows)))).rows;

const askWith = (q: number, assert: readonly object[]): Row =>
  changed({ testCase: { vars: { q }, assert } });

const askPrompt = (promptIdx: number, label: string, provider: string): Row =>
  changed({ promptIdx, prompt: { label, raw: "Say x" }, provider: { id: provider, label: "" } });

describe("names", () => {
  test("a position is no name: `Row #1` is left out, other descriptions are not", async () => {
    const vars = { q: 1 };
    const [first, second] = await named(
      changed({ testCase: { description: "Row #1", vars } }),
      changed({ testCase: { description: "Row 1 of the table", vars } }),
    );
    expect(first?.input).toStrictEqual({ vars });
    expect(second?.input).toStrictEqual({ description: "Row 1 of the table", vars });
  });

  test("counts as repeats what was asked and asserted alike, in any order, and nothing else", async () => {
    const [is, has] = [[{ type: "equals", value: "a" }], [{ type: "contains", value: "a" }]];
    const rows = await named(askWith(1, is), askWith(2, is), askWith(1, is), askWith(1, has));
    expect(rows.map(({ repeat }) => repeat)).toStrictEqual([0, 0, 1, 0]);
    // The same input, judged in two ways: two cases, told apart by how they are judged, in whatever order they come.
    const inputs = rows.map(({ input }) => input);
    const vars = { q: 1 };
    expect(inputs).toStrictEqual([
      { vars, assert: is },
      { vars: { q: 2 } },
      { vars, assert: is },
      { vars, assert: has },
    ]);
  });

  test("several prompts of a provider are told by label, file or number, and one by the provider alone", async () => {
    const rows = await named(
      askPrompt(3, "prompts/b.txt: Say {{x}}", "openai:a"),
      askPrompt(0, "Say {{x}}", "openai:a"),
      askPrompt(1, "Terse", "openai:a"),
      askPrompt(2, "Say x", "openai:a"),
      askPrompt(4, "prompts/b.txt: Say it {{x}}", "openai:a"),
      askPrompt(5, "Say {{x}}", "openai:b"),
    );
    expect(rows.map(({ candidate }) => candidate)).toStrictEqual([
      "openai:a · prompts/b.txt 4",
      "openai:a · prompt 1",
      "openai:a · Terse",
      "openai:a · prompt 3",
      "openai:a · prompts/b.txt 5",
      "openai:b",
    ]);
  });

  test("texts that promptfoo left out are none, and an output of JSON is its text", async () => {
    const [bare, json] = await named(
      changed({
        response: { output: "[output stripped]" },
        prompt: { raw: "[prompt stripped]", label: "" },
      }),
      changed({ response: { output: { a: [1] } } }),
    );
    expect([bare?.output, bare?.prompt, json?.output]).toStrictEqual([null, null, '{"a":[1]}']);
  });

  test("usage: a cost that is told counts, one of 0 says nothing; a cached answer has no time", async () => {
    const tokenUsage = { total: 9, prompt: 5, completion: 4, cached: 3 };
    const [priced, none] = await named(
      changed({ cost: 0.25, tokenUsage, response: { output: "x", cached: true } }),
      changed({ cost: 0, tokenUsage: { total: 0 } }),
    );
    expect(priced?.usage).toStrictEqual({
      input_tokens: 5,
      output_tokens: 4,
      cached_tokens: 3,
      reasoning_tokens: 0,
      usd: 0.25,
    });
    expect(priced?.latencyMs).toBeNull();
    expect(none?.usage).toBeNull();
  });

  test("a metric's name becomes an id, and one that is taken is refused", async () => {
    const [found] = await named(changed({ namedScores: { "Factual accuracy": 0.5 } }));
    expect(found?.scores).toMatchObject({ Factual_accuracy: 0.5 });
    const clash = sourceOf(lines(changed({ namedScores: { pass: 1, "a b": 1, a_b: 0 } })));
    const said = await refusalOf(readAll(openPromptfoo, clash));
    expect(said).toContain(
      "line 1: 'namedScores.pass' is a metric with the id 'pass', which is taken",
    );
    expect(said).toContain("'namedScores.a_b' is a metric with the id 'a_b', which is taken");
  });
});

const refused = async (content: string | Uint8Array): Promise<string> =>
  refusalOf(readAll(openPromptfoo, sourceOf(content)));

describe("bad input", () => {
  test("a file that was cut off, at any place", async () => {
    const whole = recorded("promptfoo/base.json");
    for (const part of [0.1, 0.5, 0.9, 0.999]) {
      const size = Math.floor(whole.length * part);
      expect(await refused(whole.subarray(0, size))).toContain(`at byte ${size}: it was cut off`);
    }
    const cut = recorded("promptfoo/base.jsonl").subarray(0, 30_000);
    expect(await refused(cut)).toMatch(
      /out\.json: the file ends in the middle of a result, at line \d+: it was cut off/,
    );
  });

  test.each([
    [
      "another version",
      document({ version: 2, results: [] }),
      'format "results.version 2", which is not known here',
    ],
    ["another version", document({ version: 4 }), "Known are results.version 3"],
    [
      "another tool's",
      '{"testsuites": []}',
      'it is no promptfoo file: an object with "results.version"',
    ],
    ["a list", "[]", "it is no promptfoo file"],
    ["no JSON", "<html>", 'can\'t be read at byte 0: "<" is not expected there'],
    [
      "a broken line",
      `${lines(changed({}))}{"a": \n${lines(changed({}))}`,
      "can't be read at line 2",
    ],
    ["a row that is none", document({ results: [1] }), "results.results[0]: '' is no object"],
  ])("%s is refused", async (_, content, message) => {
    expect(await refused(content)).toContain(message);
  });

  test("all that can't be mapped is told at once, with its place", async () => {
    const bad = [
      changed({ success: "yes", score: "1" }),
      changed({ provider: null, promptIdx: undefined }),
      changed({ failureReason: undefined, testCase: [] }),
    ];
    const said = await refused(document({ results: bad }));
    for (const message of [
      "results.results[0]: 'success' is a text; true or false was expected",
      "results.results[0]: 'score' is a text; a number was expected",
      "results.results[1]: 'promptIdx' is missing",
      "results.results[1]: 'provider.id' is missing",
      "results.results[2]: 'failureReason' is missing",
      "results.results[2]: 'testCase' is an array; an object was expected",
    ])
      expect(said).toContain(message);
    const many = Array.from({ length: 50 }, () => changed({ success: "yes" }));
    expect(await refused(lines(...many))).toContain("and 30 more problems in this file");
  });

  test("no rows are no error of this reader: whoever reads all files refuses", async () => {
    const found = await readAll(openPromptfoo, sourceOf(document({ results: [] })));
    expect(found).toStrictEqual({ tool: "promptfoo", rows: [], metrics: [] });
  });
});

describe("looksLikePromptfoo", () => {
  test.each(["base.json", "head.jsonl", "echo.json", "app.jsonl"])("%s", (name) => {
    expect(looksLikePromptfoo(headOf(recorded(`promptfoo/${name}`)))).toBe(true);
  });

  test.each(["", "[]", "{", '{"score": 1}\n', '{"evalId": 1}', "a,b\n1,2", "PK\u0003\u0004"])(
    "not %j",
    (text) => {
      expect(looksLikePromptfoo(headOf(text))).toBe(false);
    },
  );

  test("a long first line is told by how it begins", async () => {
    const long = { ...changed({}), response: { output: "x".repeat(100_000) } };
    expect(looksLikePromptfoo(headOf(lines(long)))).toBe(true);
    expect((await readAll(openPromptfoo, sourceOf(lines(long)))).rows).toHaveLength(1);
    const whole = document({ results: [long] });
    expect(looksLikePromptfoo(headOf(whole))).toBe(true);
    expect((await readAll(openPromptfoo, sourceOf(whole))).rows).toHaveLength(1);
  });
});
