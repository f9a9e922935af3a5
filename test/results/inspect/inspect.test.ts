import { deflateRawSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ResultRow } from "../../../src/model/results.ts";
import { looksLikeInspect, openInspect } from "../../../src/results/inspect/inspect.ts";
import { openZip } from "../../../src/results/zip.ts";
import { headOf, readAll, recorded, refusalOf, sourceOf } from "../../support/result-source.ts";

const read = async (name: string, metrics: readonly string[] = []) =>
  readAll(openInspect, sourceOf(recorded(`inspect/${name}`), name), metrics);

function sample(rows: readonly ResultRow[], id: string, repeat = 0): ResultRow {
  const row = rows.find((each) => each.id === id && each.repeat === repeat);
  if (row === undefined) throw new Error(`no sample ${id}`);
  return row;
}

describe("a recorded log", () => {
  test.each([
    ["base.eval", 22, 18, 16],
    ["head.eval", 22, 18, 4],
    ["few.json", 8, 6, 2],
  ])("%s has its samples, epochs, errors and scores", async (name, ...counts) => {
    const [samples, scored, correct] = counts;
    const { tool, rows, metrics } = await read(name);
    expect(tool).toBe("inspect 0.3.285");
    expect(rows).toHaveLength(samples);
    expect(rows.filter(({ repeat }) => repeat === 1)).toHaveLength(samples / 2);
    expect(new Set(rows.map(({ task, candidate }) => `${task} ${candidate}`))).toStrictEqual(
      new Set(["capitals mockllm/model"]),
    );
    const good = rows.filter(({ result }) => result.kind === "scored");
    expect(good).toHaveLength(scored);
    expect(good.filter(({ scores }) => scores["match"] === 1)).toHaveLength(correct);
    expect(metrics).toStrictEqual([
      { id: "match", range: [0, 1], direction: "higher_is_better" },
      { id: "graded", range: [0, 1], direction: "higher_is_better" },
      { id: "sometimes", range: [0, 1], direction: "higher_is_better" },
      { id: "style.length", range: null, direction: "higher_is_better" },
      { id: "style.words", range: null, direction: "higher_is_better" },
    ]);
  });

  test("tells whose fault an error was", async () => {
    const { rows } = await read("base.eval");
    expect(sample(rows, "atlantis").result).toStrictEqual({
      kind: "ungraded",
      type: "ConnectionError",
      message: "ConnectionError('no route to host')",
    });
    expect(sample(rows, "lemuria", 1).result).toStrictEqual({
      kind: "failed",
      type: "ValueError",
      message: "ValueError('Lemuria sank')",
    });
    for (const { result, scores } of rows)
      if (result.kind !== "scored") expect(scores).toStrictEqual({});
  });

  test("reads letter grades, several scores of one scorer, truth values, and no score as none", async () => {
    const { rows } = await read("head.eval");
    const scores = (id: string): unknown => sample(rows, id).scores;
    const rest = { "style.words": 1, "style.length": expect.any(Number) as number };
    expect(scores("peru")).toStrictEqual({ match: 1, graded: 1, sometimes: 1, ...rest });
    expect(scores("mu")).toStrictEqual({ match: 0, graded: 0, sometimes: 0, ...rest });
    expect(scores("qatar")).toStrictEqual({ match: 1, graded: 1, ...rest });
    const partial = rows.filter((row) => row.scores["graded"] === 0.5);
    expect(partial.map(({ output }) => output)).toStrictEqual(["Holguin", "Holguin"]);
  });

  test("maps a sample, of a zip and of a document", async () => {
    const [zipped, document] = [await read("head.eval"), await read("few.json")];
    const row = sample(zipped.rows, "france", 1);
    const context = "Answer with the name of one city and nothing else. ".repeat(4);
    expect(row).toStrictEqual({
      at: "samples/france_epoch_2.json",
      task: "capitals",
      candidate: "mockllm/model",
      id: "france",
      input: `${context}What is the capital of France?`,
      repeat: 1,
      prompt: `${context}What is the capital of France?`,
      target: "Paris",
      output: "Marseille",
      result: { kind: "scored" },
      scores: { match: 0, graded: 0, "style.length": 0.45, "style.words": 1, sometimes: 0 },
      explanation: "match: Marseille\ngraded: Another city.",
      fields: { "metadata.region": "elsewhere" },
      usage: {
        input_tokens: 52,
        output_tokens: 2,
        cached_tokens: 0,
        reasoning_tokens: 0,
        usd: 0.00012,
      },
      judgedBy: row.judgedBy,
      judges: ["inspect_task.py"],
      latencyMs: expect.any(Number) as number,
    });
    const same = sample(document.rows, "france", 1);
    expect({ ...same, at: "", latencyMs: 0 }).toStrictEqual({ ...row, at: "", latencyMs: 0 });
    expect(same.at).toMatch(/^samples\[\d\]$/);
  });

  test("numbers are positions where the data set has no ids: the input names the case", async () => {
    const { rows } = await read("numbered.eval");
    expect(rows.map(({ id }) => id)).toStrictEqual([null, null, null]);
    expect(rows.map(({ input }) => input)).toStrictEqual(rows.map(({ prompt }) => prompt));
    expect(rows.map(({ prompt }) => prompt?.slice(-8))).toStrictEqual([
      " France?",
      "of Peru?",
      "f Japan?",
    ]);
  });

  test("gives the metrics that were asked for: one without a score alone is no score at all", async () => {
    const { rows, metrics } = await read("base.eval", ["sometimes"]);
    expect(metrics.map(({ id }) => id)).toStrictEqual(["sometimes"]);
    expect(sample(rows, "peru").scores).toStrictEqual({ sometimes: 1 });
    expect(sample(rows, "qatar").result).toMatchObject({ kind: "invalid", type: "unscored" });
    expect(await refusalOf(read("base.eval", ["matches"]))).toContain(
      "no row has the metric 'matches'",
    );
  });

  test("one that was stopped by an error is refused", async () => {
    expect(await refusalOf(read("aborted.eval"))).toMatch(
      /aborted\.eval: the eval is not whole: its status is 'error', as of ConnectionError\('no route to host'\)/,
    );
  });
});

interface Parts {
  [key: string]: unknown;
}

const header = (changes: Parts = {}): Parts => ({
  version: 2,
  status: "success",
  eval: { task: "t", model: "m", dataset: { sample_ids: ["a"] }, packages: {} },
  ...changes,
});

const asked = { id: "a", epoch: 1, input: "Q?", target: "A", scores: { s: { value: "C" } } };
const log = (samples: readonly Parts[], changes?: Parts): string =>
  JSON.stringify({ ...header(changes), samples });

async function rowOf(changes: Parts, metrics: readonly string[] = []): Promise<ResultRow> {
  const source = sourceOf(log([{ ...asked, ...changes }]));
  const [row] = (await readAll(openInspect, source, metrics)).rows;
  if (row === undefined) throw new Error("no row");
  return row;
}

const error = (message: string, traceback: string, more: Parts = {}): Parts => ({
  scores: {},
  error: { message, traceback, traceback_ansi: "" },
  ...more,
});

describe("what became of a sample", () => {
  const model = 'File "/x/site-packages/inspect_ai/model/_openai.py", line 3, in generate';
  const solver = 'File "/x/site-packages/inspect_ai/solver/_plan.py", line 3, in solve';

  test.each([
    ["ungraded", "RateLimitError", error("RateLimitError('429')", model)],
    ["ungraded", "APITimeoutError", error("openai.APITimeoutError('x')", model)],
    ["ungraded", "InternalServerError", error("InternalServerError('x')", model)],
    ["failed", "BadRequestError", error("BadRequestError('too long')", model)],
    ["failed", "ConnectionError", error("ConnectionError('in my tool')", solver)],
    ["failed", "error", error("no name", solver)],
    ["invalid", "KeyError", error("KeyError('x')", 'File "/home/me/scorer.py"')],
    ["invalid", "ConnectionError", error("ConnectionError('judge')", "")],
    ["scored", undefined, error("ValueError('x')", solver, { scores: { s: { value: "I" } } })],
    ["failed", "limit_message", { scores: {}, limit: { type: "message", limit: 10 } }],
    ["scored", undefined, { limit: { type: "token", limit: 10 } }],
    ["ungraded", "stopped", { scores: {}, limit: { type: "operator", limit: 1 } }],
    ["ungraded", "invalidated", { invalidation: { reason: "leaked" } }],
    ["invalid", "unscored", { scores: {} }],
    ["invalid", "unscored", { scores: undefined }],
    ["invalid", "unscored", { scores: { s: { value: null } } }],
  ])("%s %s", async (kind, type, changes) => {
    expect((await rowOf(changes)).result).toMatchObject({
      kind,
      ...(type !== undefined && { type }),
    });
  });
});

describe("scores", () => {
  test.each([
    ["C", 1],
    ["P", 0.5],
    ["I", 0],
    ["N", 0],
    ["Yes", 1],
    ["false", 0],
    [true, 1],
    [7.5, 7.5],
    ["-2.5", -2.5],
    [[1, "I"], { "s.0": 1, "s.1": 0 }],
    [{ a: "P", b: null }, { "s.a": 0.5 }],
    [{ "a b/c": 1 }, { "s.a_b_c": 1 }],
  ])("%j is %j", async (value, scores) => {
    const expected = typeof scores === "number" ? { s: scores } : scores;
    expect((await rowOf({ scores: { s: { value } } })).scores).toStrictEqual(expected);
  });

  test("one that is no number is refused, unless others were asked for", async () => {
    const scores = { kind: { value: "constructor" }, s: { value: 1 } };
    const said = await refusalOf(rowOf({ scores }));
    expect(said).toContain(`samples[0]: 'scores.kind.value' is "constructor"; a number`);
    expect((await rowOf({ scores }, ["s"])).scores).toStrictEqual({ s: 1 });
  });

  test("the metric that Inspect shows first comes first", async () => {
    const results = { headline: { scorer: "z", score: "b", metric: "mean" } };
    const scores = { a: { value: 1 }, z: { value: { a: 1, b: 1 } } };
    const source = sourceOf(log([{ ...asked, scores }], { results }));
    const { metrics } = await readAll(openInspect, source);
    expect(metrics.map(({ id }) => id)).toStrictEqual(["z.b", "a", "z.a"]);
  });
});

test("without a headline, the order of metrics is their names', whatever the first sample has", async () => {
  const scores = { z: { value: 1 }, b: { value: 1 } };
  const source = sourceOf(
    log([
      { ...asked, scores: { z: { value: 1 } } },
      { ...asked, scores },
    ]),
  );
  const { metrics } = await readAll(openInspect, source);
  expect(metrics.map(({ id }) => id)).toStrictEqual(["b", "z"]);
});

test.each([0, -1, 1.5, 10_000, 1e15])("an epoch is no %d", async (epoch) => {
  expect(await refusalOf(rowOf({ epoch }))).toContain(
    `samples[0]: 'epoch' is ${epoch}; a whole number from 1 to 9999 was expected`,
  );
});

test("a misspelt metric: the one that was meant, else ten of those that there are", async () => {
  const names = Array.from({ length: 14 }, (_, i) => `s${i + 10}`);
  const scores = Object.fromEntries(names.toReversed().map((name) => [name, { value: 1 }]));
  const meant = await refusalOf(rowOf({ scores: { accuracy: { value: 1 } } }, ["acuracy"]));
  expect(meant).toContain("Did you mean 'accuracy'?");
  const listed = await refusalOf(rowOf({ scores }, ["relevance"]));
  expect(listed).toContain(
    "There are s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, and 4 more.",
  );
});

const userMessage = (id: string): object => ({ id, role: "user", content: "Q?" });

describe("what was asked", () => {
  test("messages are the same whatever ids they were given; choices belong to it", async () => {
    const [first, second] = [
      await rowOf({ input: [userMessage("x1")], choices: ["a", "b"] }),
      await rowOf({ input: [userMessage("x2")], choices: ["a", "b"] }),
    ];
    expect(first.input).toStrictEqual(second.input);
    expect(first.input).toStrictEqual({
      input: [{ role: "user", content: "Q?" }],
      choices: ["a", "b"],
    });
    expect(first.prompt).toBe("user: Q?");
  });

  test("a target may be a list, an id a number", async () => {
    const row = await rowOf({ target: ["A", "B"], id: 17 });
    expect([row.target, row.id]).toStrictEqual(["A, B", "17"]);
  });
});

interface Packed {
  readonly name: string;
  readonly content: string;
  readonly method?: number;
}

/** A zip as Python's zipfile writes one, by the format's own description (APPNOTE.TXT). */
function zip(files: readonly Packed[]): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 93 } of files) {
    const raw = Buffer.from(content);
    const packed = method === 93 ? zstdCompressSync(raw) : method === 8 ? deflateRawSync(raw) : raw;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(raw.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    const version = Buffer.from([20, 0]);
    list.push(
      Buffer.concat([Buffer.from("PK\u0001\u0002"), version, fields, tail, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, directory, Buffer.from("PK\u0005\u0006"), end]);
}

const file = (name: string, content: object, method?: number): Packed => ({
  name,
  content: JSON.stringify(content),
  ...(method !== undefined && { method }),
});

describe("a zip", () => {
  const start = file("_journal/start.json", { version: 2 });

  test("may be stored, deflated or packed with Zstandard; what was written again counts last", async () => {
    const files = [
      start,
      file("samples/a_epoch_1.json", { ...asked, scores: { s: { value: "I" } } }, 8),
      file("samples/b/c_epoch_1.json", { ...asked, id: "b/c" }, 0),
      file("samples/a_epoch_1.json", { ...asked, target: "later" }),
      file("header.json", header({ status: "started" })),
      file("header.json", header(), 8),
    ];
    const { rows } = await readAll(openInspect, sourceOf(zip(files)));
    expect(rows.map(({ id, target }) => [id, target])).toStrictEqual([
      ["a", "later"],
      ["b/c", "A"],
    ]);
  });

  test("is read in one order, whatever was finished first", async () => {
    const names = ["10_epoch_1", "2_epoch_2", "2_epoch_1", "a_epoch_1"];
    const files = names.map((name) => file(`samples/${name}.json`, asked));
    const { rows } = await readAll(
      openInspect,
      sourceOf(zip([...files, file("header.json", header())])),
    );
    expect(rows.map(({ at }) => at)).toStrictEqual([
      "samples/2_epoch_1.json",
      "samples/2_epoch_2.json",
      "samples/10_epoch_1.json",
      "samples/a_epoch_1.json",
    ]);
  });

  test("that no header was written to yet is refused, and one of another tool", async () => {
    const unfinished = sourceOf(zip([start, file("samples/a_epoch_1.json", asked)]));
    expect(await refusalOf(readAll(openInspect, unfinished))).toContain(
      "the eval is not whole: it has no header.json yet",
    );
    const other = sourceOf(zip([file("hello.txt", {})]));
    expect(await refusalOf(readAll(openInspect, other))).toContain("it is no inspect file");
  });

  test("is refused where a file of it is broken, or packed in a way that is not known", async () => {
    const broken = zip([
      start,
      file("samples/a_epoch_1.json", asked),
      file("header.json", header()),
    ]);
    const at = broken.indexOf("samples/a_epoch_1.json") + 30;
    broken.fill(0x55, at, at + 10);
    expect(await refusalOf(readAll(openInspect, sourceOf(broken)))).toMatch(
      /out\.json: the file can't be read at samples\/a_epoch_1\.json: /,
    );
    const odd = zip([{ ...file("header.json", header()), method: 12 }]);
    expect(await refusalOf(readAll(openInspect, sourceOf(odd)))).toContain(
      "at header.json: it is packed by method 12, which is not known here",
    );
    const text = zip([
      start,
      { name: "samples/a.json", content: '{"id": ' },
      file("header.json", header()),
    ]);
    expect(await refusalOf(readAll(openInspect, sourceOf(text)))).toContain(
      "out.json:samples/a.json: the file ends in the middle",
    );
  });

  test(
    "is refused where a file unpacks to far more than its size, however it is packed",
    { tags: "long" },
    async () => {
      for (const method of [8, 93]) {
        const filler = { ...asked, events: ["a".repeat(40 * 1024 * 1024)] };
        const bomb = [
          file("samples/a_epoch_1.json", filler, method),
          file("header.json", header()),
        ];
        expect(await refusalOf(readAll(openInspect, sourceOf(zip([start, ...bomb]))))).toContain(
          "at samples/a_epoch_1.json: it unpacks to more than 250 times its size",
        );
      }
    },
  );

  test.each([
    ["larger than it says", 10, "it holds "],
    ["larger than a file may be", 513 * 1024 * 1024, "it unpacks to more than 512 MiB"],
  ])("is refused where a file is %s", async (_, size, message) => {
    const packed = zip([file("header.json", header()), file("samples/a.json", asked)]);
    packed.writeUInt32LE(size, packed.lastIndexOf("samples/a.json") - 46 + 24);
    expect(await refusalOf(readAll(openInspect, sourceOf(packed)))).toContain(
      `at samples/a.json: ${message}`,
    );
  });

  test("is refused where its files together unpack to more than they may", async () => {
    const files = ["a", "b", "c"].map((name) => ({ name, content: "x".repeat(500) }));
    const limits = { file: 1000, total: 1200, ratio: 1000, ratioFrom: 0 };
    const opened = await openZip(sourceOf(zip(files)), limits);
    const unpackAll = async (): Promise<void> => {
      for (const { bytes } of opened.entries) for await (const chunk of bytes()) void chunk;
    };
    expect(await refusalOf(unpackAll())).toContain("at c: the zip unpacks to more than 0 MiB");
  });

  test("that was cut off is refused, at any place", async () => {
    const whole = recorded("inspect/base.eval");
    for (const part of [0.01, 0.5, 0.99, 0.9999]) {
      const size = Math.floor(whole.length * part);
      const said = await refusalOf(readAll(openInspect, sourceOf(whole.subarray(0, size))));
      expect(said).toContain(`the file ends in the middle of the zip, at byte ${size}`);
    }
  });
});

const refused = async (content: string): Promise<string> =>
  refusalOf(readAll(openInspect, sourceOf(content)));

describe("bad input", () => {
  test.each([
    ["another version", log([], { version: 1 }), 'format "version 1", which is not known here'],
    ["one that runs", log([], { status: "started" }), "its status is 'started'"],
    ["one that was cancelled", log([], { status: "cancelled" }), "its status is 'cancelled'"],
    ["another tool's", '{"results": {}}', 'it is no inspect file: a log with "version"'],
    ["no JSON", "nothing", "can't be read at byte 1"],
    ["without a model", log([], { eval: { task: "t" } }), "the log: 'eval.model' is missing"],
  ])("%s is refused", async (_, content, message) => {
    expect(await refused(content)).toContain(message);
  });

  test("a document that was cut off", async () => {
    const whole = recorded("inspect/few.json").toString();
    for (const part of [0.2, 0.6, 0.99])
      expect(await refused(whole.slice(0, whole.length * part))).toMatch(
        /the file ends in the middle of what comes after '.*', at byte \d+/,
      );
  });

  test("fewer samples than there were", async () => {
    expect(await refused(log([asked], { results: { total_samples: 3 } }))).toContain(
      "the eval is not whole: it holds 1 of its 3 samples",
    );
  });

  test("all that can't be mapped is told at once", async () => {
    const said = await refused(
      log([
        { ...asked, id: undefined, epoch: "1" },
        { ...asked, id: ["x"], scores: { s: { value: "A+" } } },
      ]),
    );
    for (const message of [
      "samples[0]: 'id' is missing",
      "samples[0]: 'epoch' is a text; a number was expected",
      "samples[1]: 'id' is no name",
      `samples[1]: 'scores.s.value' is "A+"`,
    ])
      expect(said).toContain(message);
  });
});

describe("looksLikeInspect", () => {
  test.each(["base.eval", "few.json", "numbered.eval"])("%s", (name) => {
    expect(looksLikeInspect(headOf(recorded(`inspect/${name}`), name))).toBe(true);
  });

  test("a log of another name, by its first file", () => {
    const recording = recorded("inspect/base.eval");
    expect(looksLikeInspect(headOf(recording, "results"))).toBe(true);
    // A checksum whose bytes are a letter as UTF-8.
    recording.set([0xc3, 0xa9, 0xc3, 0xa9], 14);
    expect(looksLikeInspect(headOf(recording, "results"))).toBe(true);
  });

  test.each(["", "{}", '{"version": 2}', "PK\u0003\u0004", '{"evalId": 1}'])("not %j", (text) => {
    expect(looksLikeInspect(headOf(text))).toBe(false);
  });
});
