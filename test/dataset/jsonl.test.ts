import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/model/json.ts";
import { renderProblems } from "../../src/report/terminal/problems.ts";
import { cases, collect, complaints, openFileOf, problems, shared } from "./read.ts";

const rowsOf = async (content: string | Buffer) =>
  (await cases("d.jsonl", content, { idField: null })).map(({ row }) => row);

const rowOf = (megabytes: number) => `{"id":${megabytes},"a":"${"x".repeat(megabytes << 20)}"}\n`;

describe("JSON lines", () => {
  it.each([
    ["a byte order mark", '\uFEFF{"a":1}\n{"a":2}\n'],
    ["CRLF", '{"a":1}\r\n{"a":2}\r\n'],
    ["empty lines", '\n{"a":1}\n\n  \n{"a":2}\n\n'],
    ["no newline at the end", '{"a":1}\n{"a":2}'],
  ])("reads a file with %s", async (_, content) => {
    expect(await rowsOf(content)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("keeps a line separator of Unicode inside a text", async () => {
    expect(await rowsOf('{"a":"x\u2028y"}\n')).toEqual([{ a: "x\u2028y" }]);
  });

  it.each(["51.0", "1e5", "1E+2", "-0", "12345678901234567890", "1.50", "0.1", "7", "1e400"])(
    "keeps the number %s as its author wrote it",
    async (number) => {
      const [row] = await rowsOf(`{"a": ${number}, "b": {"c": [${number}]}, "d": "costs 5.50"}\n`);
      expect(canonicalJson(row ?? {})).toBe(
        `{"a":${number},"b":{"c":[${number}]},"d":"costs 5.50"}`,
      );
    },
  );

  it("treats fields called __proto__ and constructor as fields", async () => {
    const [row] = await rowsOf('{"__proto__": {"x": 1.0}, "constructor": "c", "toString": null}\n');
    expect(Object.keys(row ?? {})).toEqual(["__proto__", "constructor", "toString"]);
    expect(canonicalJson(row ?? {})).toBe(
      '{"__proto__":{"x":1.0},"constructor":"c","toString":null}',
    );
  });

  it("names every bad row with its line and reason, all at once", async () => {
    const bad = Buffer.concat([
      Buffer.from('{"a":1}\n{"a":\n[1]\n7\n'),
      Buffer.from([0x7b, 0xff, 0x7d, 0x0a]),
      Buffer.from('{"a":"x\0y"}\nnull\n'),
    ]);
    const found = await problems("d.jsonl", bad, { idField: null });
    expect(found.map(({ code, place, message }) => [place?.line, code, message])).toEqual([
      [2, "dataset_bad_row", "the row can't be read: Unexpected end of JSON input"],
      [3, "dataset_row_not_object", "the row is an array; each line must be an object"],
      [4, "dataset_row_not_object", "the row is a number; each line must be an object"],
      [
        5,
        "dataset_bad_row",
        "the row can't be read: the line is not valid UTF-8; save the file as UTF-8",
      ],
      [
        6,
        "dataset_bad_row",
        "the row can't be read: the line has a NUL byte; is the file UTF-16, or no text?",
      ],
      [7, "dataset_row_not_object", "the row is null; each line must be an object"],
    ]);
  });

  it("names the column of a mistake", async () => {
    const [found] = await problems("d.jsonl", '{"a":1}\n{"a":1 "b":2}\n');
    expect(found?.place).toEqual({ file: "d.jsonl", line: 2, column: 8 });
    expect(found?.message).not.toContain("position");
  });

  it("knows a JSON file that was laid out for reading, and UTF-16", async () => {
    const [spread] = await problems("d.jsonl", '[\n  {"a": 1}\n]\n');
    expect(spread?.message).toContain("spread over many");
    const [utf16] = await problems("d.jsonl", Buffer.from('\uFEFF{"a":1}\n', "utf16le"));
    expect(utf16?.message).toContain("UTF-16");
  });

  it("lists 20 problems and counts the rest", async () => {
    const found = await problems("d.jsonl", `{"a":1}\n${"oops\n".repeat(1000)}`);
    expect(found).toHaveLength(21);
    expect(found.at(-1)?.message).toBe("and 980 more problems in this file");
    const text = renderProblems(found, { colour: false }).trimEnd().split("\n");
    expect(text.at(-3)).toBe("d.jsonl: and 980 more problems in this file");
    expect(text.at(-1)).toBe("1,000 problems");
  });

  it("says once that a file of another format has no row", async () => {
    const [csv, ...others] = await problems("d.jsonl", "id,a\n1,x\n2,y\n");
    expect(others).toEqual([]);
    expect(csv?.place).toMatchObject({ file: "d.jsonl", line: 1 });
    expect(csv?.message).toContain("3 rows, and not one of them can be used");
    expect(csv?.hint).toContain("format: jsonl, json or csv");
  });

  it("refuses a row that is nested too deeply for anyone to read back", async () => {
    const deep = `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}\n`;
    expect(await complaints("d.jsonl", deep)).toEqual(["dataset_bad_row d.jsonl:1"]);
    const endless = `{"a":${"[".repeat(500_000)}1.0${"]".repeat(500_000)}}\n`;
    expect(await complaints("d.jsonl", endless)).toEqual(["dataset_bad_row d.jsonl:1"]);
  });

  it("refuses a row that no sample has room for, and no smaller one", async () => {
    expect(await complaints("d.jsonl", rowOf(1) + rowOf(17))).toEqual([
      "dataset_bad_row d.jsonl:2",
    ]);
    // Control bytes come with CSV; JSON makes six of each.
    const csv = `id,a\n1,${"\u001b".repeat(3 << 20)}\n`;
    expect(await complaints("d.csv", csv)).toEqual(["dataset_bad_row d.csv:2"]);
  });

  it.each([
    ["an empty file", "", ["dataset_empty d.jsonl:"]],
    ["a file of empty lines", "\n\n", ["dataset_no_rows d.jsonl:"]],
    ["a byte order mark alone", "\uFEFF", ["dataset_no_rows d.jsonl:"]],
  ])("refuses %s", async (_, content, expected) => {
    expect(await complaints("d.jsonl", content)).toEqual(expected);
  });

  it("refuses a missing file", async () => {
    const opened = await openFileOf("/nowhere/d.jsonl");
    expect("problems" in opened && opened.problems[0]?.code).toBe("file_missing");
  });
});

describe.skipIf(!existsSync(shared))("published data (../shared is absent: skipped)", () => {
  it("reads SVAMP with its answers as they are written", async () => {
    const opened = await openFileOf(`${shared}svamp/svamp.jsonl`);
    if ("problems" in opened) throw new Error("SVAMP can't be read");
    expect(opened.dataset.size).toBe(1000);
    expect(opened.dataset.hash).toBe(
      "sha256:f91cf1cef16610f59b74369f6ce8a6aa34cadda00efe9af5cab11d9430e27e45",
    );
    const [first] = await collect(opened.dataset.cases());
    expect(first?.caseId).toBe("chal-1");
    expect(JSON.stringify(first?.row["answer"])).toBe("51.0");
  });

  it("reads GSM8K, as lines and as CSV, under the same ids", async () => {
    const lines = await openFileOf(`${shared}gsm8k/model_solutions_300.jsonl`);
    const csv = await openFileOf(`${shared}gsm8k/is_correct_1319.csv`);
    const plain = await openFileOf(`${shared}gsm8k/test.jsonl`);
    if ("problems" in lines || "problems" in csv || "problems" in plain) {
      throw new Error("GSM8K can't be read");
    }
    expect([lines.dataset.size, csv.dataset.size, plain.dataset.size]).toEqual([300, 1319, 1319]);
    const ids = (await collect(csv.dataset.cases())).map(({ caseId }) => caseId);
    const some = (await collect(lines.dataset.cases())).map(({ caseId }) => caseId);
    expect(ids.slice(0, 300)).toEqual(some);
    const hashes = (await collect(plain.dataset.cases())).map(({ caseId }) => caseId);
    expect(new Set(hashes).size).toBe(1319);
  });
});
