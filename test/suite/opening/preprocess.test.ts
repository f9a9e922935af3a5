import { createFixture } from "fs-fixture";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import type { Preprocessed } from "../../../src/model/ports/programs.ts";
import { Refusal } from "../../../src/model/refusal.ts";
import {
  gave,
  leftBy,
  runFixture,
  validateFixture,
  type FakePython,
} from "../../support/run-fixture.ts";

function files(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    "suite.yaml": [
      "name: rows",
      `dataset: ${"data.csv" in more ? "data.csv" : "data.jsonl"}`,
      `preprocess: { type: python, file: rows.py, contract: ${more["contract"] ?? "row"} }`,
      'prompt_template: "{{asked}}"',
      "grader: { type: python, contract: batch, file: grader.py }",
      "candidates: { app: { replay: outputs.jsonl } }",
      "gate: none",
    ].join("\n"),
    "data.jsonl": '{"id":"a","n":51.0}\n\n{"id":"b","n":12345678901234567890}\n{"id":"c","n":3}\n',
    "outputs.jsonl": ["a", "a-1", "a-2", "c0"]
      .map((id) => `{"case_id":"${id}","output_text":"x"}\n`)
      .join(""),
    "rows.py": "",
    "grader.py": "",
    ...more,
  };
}

type Row = Readonly<Record<string, unknown>>;

/** A preprocessor as a function of a row: none, one or many. */
function rowwise(change: (row: Row) => Row | readonly Row[] | undefined): FakePython {
  return {
    gradeBatch: () => gave({}),
    row: (text) => made([change(JSON.parse(text) as Row) ?? []].flat()),
  };
}

function made(rows: readonly Row[]): Preprocessed {
  return { kind: "rows", rows: rows.map((row) => JSON.stringify(row)) };
}

async function runRows(python: FakePython, more: Readonly<Record<string, string>> = {}) {
  await using fixture = await createFixture(files(more));
  await runFixture(fixture, { python: { gradeBatch: () => gave({}), ...python } });
  return await leftBy(fixture);
}

/** `code file:line` of what is wrong. */
async function refusalOf(work: Promise<unknown>) {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof Refusal)) throw new Error("not refused", { cause: error });
  return error.problems.map(({ code, message, place }) => ({
    brief: `${code} ${basename(place?.file ?? "")}:${place?.line}`,
    message,
  }));
}

async function refused(python: FakePython, more: Readonly<Record<string, string>> = {}) {
  await using fixture = await createFixture(files(more));
  return await refusalOf(runFixture(fixture, { python }));
}

describe("rows through a preprocessor", () => {
  it("are what templates, ids and samples see; None drops one, a list multiplies it", async () => {
    const { samples } = await runRows(
      rowwise((row) => {
        if (row["id"] === "b") return undefined;
        const asked = { ...row, asked: `q-${String(row["id"])}` };
        return row["id"] === "c" ? [asked, { ...asked, id: "c2" }] : asked;
      }),
    );
    const found = samples.map(({ case_id, prompt }) => [case_id, prompt]);
    expect(Object.fromEntries(found)).toEqual({ a: "q-a", c: "q-c", c2: "q-c" });
  });

  it("share an id where they were made of one row, and are numbered", async () => {
    const { samples } = await runRows(
      rowwise((row) => (row["id"] === "b" ? [{ ...row, v: "x" }, { ...row, v: "y" }, row] : row)),
    );
    const ids = samples.map(({ case_id }) => case_id).toSorted();
    expect(ids).toEqual(["a", "b", "b-2", "b-3", "c"]);
    const doubled = {
      batch: (rows: readonly string[]) => ({ kind: "rows", rows: [...rows, ...rows] }) as const,
    };
    const twice = await runRows(doubled, { contract: "batch" });
    expect(twice.samples.map(({ case_id }) => case_id).toSorted()).toEqual([
      "a",
      "a-2",
      "b",
      "b-2",
      "c",
      "c-2",
    ]);
  });

  it("are what tells a case that changed from one that did not, but for its id", async () => {
    const kept = await runRows(rowwise((row) => ({ id: `${String(row["id"])}-1`, asked: "x" })));
    const again = await runRows(rowwise((row) => ({ id: `${String(row["id"])}-2`, asked: "x" })));
    const other = await runRows(rowwise((row) => ({ id: `${String(row["id"])}-1`, asked: "y" })));
    const contents = ({ scores }: typeof kept) => [
      ...new Set(scores.map(({ content }) => content)),
    ];
    expect(contents(kept)).toHaveLength(1);
    expect(contents(again)).toEqual(contents(kept));
    expect(contents(other)).not.toEqual(contents(kept));
  });

  it("are handed over with their numbers as they were written", async () => {
    const seen: string[] = [];
    await runRows({
      row: (text) => {
        seen.push(text);
        return { kind: "rows", rows: [text] };
      },
    });
    expect(seen).toEqual([
      '{"id":"a","n":51.0}',
      '{"id":"b","n":12345678901234567890}',
      '{"id":"c","n":3}',
    ]);
  });

  it("come together where the contract is batch", async () => {
    const { samples } = await runRows(
      {
        batch: (rows) =>
          made(
            rows.toReversed().map((text) => Object.assign(JSON.parse(text) as Row, { asked: "x" })),
          ),
      },
      { contract: "batch" },
    );
    const inOrder = samples.toSorted((a, b) => a.sample_index - b.sample_index);
    expect(inOrder.map(({ case_id }) => case_id)).toEqual(["c", "b", "a"]);
  });

  it("may be those of a CSV file", async () => {
    const { samples } = await runRows(
      rowwise((row) => ({ ...row, asked: String(row["q"]).trim() })),
      { "data.csv": 'id,q\na," hello "\n' },
    );
    expect(samples.map(({ prompt }) => prompt)).toEqual(["hello"]);
  });

  it("keep their order, however many there are", async () => {
    const data = Array.from({ length: 1000 }, (_, i) => `{"id":"c${i}"}\n`).join("");
    const { samples } = await runRows(
      { row: (text) => ({ kind: "rows", rows: [text] }) },
      { "data.jsonl": data },
    );
    const byIndex = samples.toSorted((a, b) => a.sample_index - b.sample_index);
    expect(byIndex.map(({ case_id }) => case_id)).toEqual(
      Array.from({ length: 1000 }, (_, i) => `c${i}`),
    );
  });
});

describe("a preprocessor that is wrong refuses the suite before its first sample", () => {
  it("and says which row it failed on", async () => {
    const found = await refused({
      row: (text) =>
        text.includes('"b"')
          ? { kind: "failed", type: "KeyError", message: "'question' (rows.py, line 2)" }
          : { kind: "rows", rows: [text] },
    });
    expect(found.map(({ brief }) => brief)).toEqual(["preprocess_failed data.jsonl:3"]);
    expect(found[0]?.message).toContain("row 2 (KeyError): 'question'");
  });

  it("as a whole, where it takes all rows", async () => {
    const found = await refused(
      { batch: () => ({ kind: "failed", type: "timeout", message: "took more than 120 s" }) },
      { contract: "batch" },
    );
    expect(found.map(({ brief }) => brief)).toEqual(["preprocess_failed data.jsonl:undefined"]);
  });

  interface Wrong {
    readonly python: FakePython;
    readonly more?: Readonly<Record<string, string>>;
    readonly told: readonly string[];
  }
  const wrongs: [string, Wrong][] = [
    [
      "leaves nothing",
      { python: rowwise(() => undefined), told: ["preprocess_no_rows data.jsonl:undefined"] },
    ],
    [
      "gives two rows one id",
      {
        python: rowwise((row) => ({ ...row, id: row["id"] === "c" ? "a" : row["id"] })),
        told: ["dataset_id_duplicate data.jsonl:4"],
      },
    ],
    [
      "gives a copy the name that another row has",
      {
        python: rowwise((row) =>
          row["id"] === "b" ? [row, row] : { ...row, id: row["id"] === "c" ? "b-2" : row["id"] },
        ),
        told: ["dataset_id_duplicate data.jsonl:4"],
      },
    ],
    [
      "returns no object",
      {
        python: { row: () => ({ kind: "rows", rows: ["1"] }) },
        told: [
          "dataset_row_not_object data.jsonl:1",
          "dataset_row_not_object data.jsonl:3",
          "dataset_row_not_object data.jsonl:4",
        ],
      },
    ],
    [
      "leaves the ids of a batch twice that were there twice",
      {
        python: { batch: (rows) => ({ kind: "rows", rows }) },
        more: { contract: "batch", "data.jsonl": '{"id":"a"}\n{"id":"a"}\n' },
        told: ["dataset_id_duplicate data.jsonl (preprocessed):2"],
      },
    ],
    [
      "is not even asked, where a row can't be read",
      {
        python: rowwise(() => {
          throw new Error("asked");
        }),
        more: { "data.jsonl": '{"id":"a"}\n{oops\n' },
        told: ["dataset_bad_row data.jsonl:2"],
      },
    ],
    [
      "has nothing to do",
      {
        python: rowwise((row) => row),
        more: { "data.jsonl": "\n" },
        told: ["dataset_no_rows data.jsonl:undefined"],
      },
    ],
  ];
  it.each(wrongs)("that %s", async (_, { python, more, told }) => {
    expect((await refused(python, more)).map(({ brief }) => brief)).toEqual(told);
  });

  it("in validate too", async () => {
    await using fixture = await createFixture(files());
    const python: FakePython = { row: () => ({ kind: "failed", type: "E", message: "m" }) };
    const [found] = await refusalOf(validateFixture(fixture, { python }));
    expect(found?.brief).toBe("preprocess_failed data.jsonl:1");
  });

  it.each([
    ["no_function", "preprocess_no_function"],
    ["syntax", "preprocess_syntax"],
    ["import_failed", "preprocess_not_loaded"],
    ["sandbox", "preprocess_no_sandbox"],
    ["file_unreadable", "preprocess_file_unreadable"],
  ] as const)("where it can't be loaded: %s", async (reason, code) => {
    await using fixture = await createFixture(files());
    const refusal = {
      reason,
      message: "m",
      line: 3,
      column: undefined,
      text: undefined,
      traceback: undefined,
    };
    const found = await refusalOf(
      runFixture(fixture, {
        python: {},
        tools: (tools) => ({
          ...tools,
          startPython: async () => ({
            ...(await tools.startPython()),
            openPreprocessor: async () => ({ refused: refusal }),
          }),
        }),
      }),
    );
    expect(found.map(({ brief }) => brief)).toEqual([`${code} rows.py:3`]);
  });
});

describe("what a preprocessor leaves", () => {
  it("is a fingerprint of its code, and of the data as they were", async () => {
    const one = await runRows({ code: "sha256:1" });
    const same = await runRows({ code: "sha256:1" });
    const other = await runRows({ code: "sha256:2" });
    const print = ({ run }: typeof one) => run.suite.tasks["rows"]?.fingerprint;
    expect(print(same)).toEqual(print(one));
    expect(print(other)?.preprocess).not.toBe(print(one)?.preprocess);
    expect(print(other)?.dataset).toBe(print(one)?.dataset);
  });

  it("is no file, whatever came of it", async () => {
    const before = await temporary();
    await runRows({});
    await refused(rowwise(() => undefined));
    await refused({ row: () => ({ kind: "failed", type: "E", message: "m" }) });
    expect((await temporary()).filter((name) => !before.includes(name))).toEqual([]);
  });
});

async function temporary(): Promise<readonly string[]> {
  const names = await readdir(tmpdir());
  const found = await Promise.all(
    names.filter((name) => name.startsWith("regrade-")).map((name) => hasRows(name)),
  );
  return found.filter((name) => name !== undefined);
}

async function hasRows(name: string): Promise<string | undefined> {
  const inside = await readdir(`${tmpdir()}/${name}`).catch((): string[] => []);
  return inside.includes("rows.jsonl") ? name : undefined;
}
