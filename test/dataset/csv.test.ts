import { describe, expect, it } from "vitest";
import { cases, complaints, open, problems } from "./read.ts";

const rowsOf = async (content: string | Buffer) =>
  (await cases("d.csv", content, { idField: null })).map(({ row }) => row);

describe("CSV", () => {
  it.each([
    ["a byte order mark", "\uFEFFa,b\n1,2\n3,4\n"],
    ["CRLF", "a,b\r\n1,2\r\n3,4\r\n"],
    ["LF and CRLF mixed", "a,b\n1,2\r\n3,4\n"],
    ["empty lines", "\n\na,b\n\n1,2\n   \n3,4\n\n"],
    ["no newline at the end", "a,b\n1,2\n3,4"],
    ["spaces around the names of columns", "a, b \n1,2\n3,4\n"],
    ["quoted values", '"a","b"\n"1","2"\n3,4\n'],
  ])("reads a file with %s", async (_, content) => {
    expect(await rowsOf(content)).toEqual([
      { a: "1", b: "2" },
      { a: "3", b: "4" },
    ]);
  });

  it("keeps line breaks, commas and quotes inside quoted fields", async () => {
    expect(await rowsOf('a,b\n"x\r\ny, ""z""",\u00E9\n')).toEqual([
      { a: 'x\r\ny, "z"', b: "\u00E9" },
    ]);
  });

  it("keeps every value as the text it is", async () => {
    expect(await rowsOf('a,b,c\n007,51.0,\ntrue,null," x "\n')).toEqual([
      { a: "007", b: "51.0", c: "" },
      { a: "true", b: "null", c: " x " },
    ]);
  });

  it("takes any name for a column", async () => {
    const [row] = await rowsOf("__proto__,constructor,a.b,Frage \u00FC\n1,2,3,4\n");
    expect(Object.entries(row ?? {})).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
      ["a.b", "3"],
      ["Frage \u00FC", "4"],
    ]);
  });

  it("keeps empty lines of a file with one column out, and quoted empty values in", async () => {
    expect(await rowsOf('a\nx\n\n""\ny\n')).toEqual([{ a: "x" }, { a: "" }, { a: "y" }]);
  });

  it("names every ragged row with its line, past line breaks in quotes", async () => {
    const content = 'a,b\r\n"x\r\ny",2\r\n\r\n1\r\n1,2,3\r\n"p\r\nq"\r\n5,6\r\n';
    const found = await problems("d.csv", content, { idField: null });
    expect(found.map(({ place, message }) => [place?.line, message])).toEqual([
      [5, "the row has 1 field, the header has 2"],
      [6, "the row has 3 fields, the header has 2"],
      [7, "the row has 1 field, the header has 2"],
    ]);
  });

  it.each([
    ["a quote that is never closed", 'a,b\n1,2\n3,"4\n5,6\n', "never closed"],
    ["text after a closing quote", 'a,b\n1,2\n"3"x,4\n', "goes on after its closing quote"],
    ["a quote in the middle", 'a,b\n1,2\n3,x"4\n', "quote in its middle"],
  ])("names the line of %s", async (_, content, words) => {
    const [found] = await problems("d.csv", content);
    expect(found?.place).toEqual({ file: "d.csv", line: 3 });
    expect(found?.message).toContain(words);
  });

  it("reports what is wrong before a misplaced quote too", async () => {
    expect(await complaints("d.csv", 'a,b\n1\n3,x"4\n')).toEqual([
      "dataset_ragged d.csv:2",
      "dataset_bad_row d.csv:3",
    ]);
  });

  it.each([
    [
      "10,001 columns",
      `${Array.from({ length: 10_001 }, (_, i) => i).join(",")}\n`,
      "at most 10000",
    ],
    ["a column twice", "a,b,a\n1,2,3\n", "columns 1 and 3 are both called 'a'"],
    ["a column without a name", "a,,c\n1,2,3\n", "column 2 has no name"],
    ["lines ended by CR alone", "a,b\r1,2\r", "carriage return alone"],
  ])("refuses a header with %s", async (_, content, words) => {
    const found = await problems("d.csv", content);
    expect(found.map(({ code }) => code)).toEqual(["dataset_header"]);
    expect(found[0]?.place?.line).toBe(1);
    expect(found[0]?.message).toContain(words);
  });

  it("names the line of bytes that are no UTF-8, and of a NUL", async () => {
    const latin1 = Buffer.from("a,b\n1,2\ncaf\u00E9,4\n", "latin1");
    expect(await complaints("d.csv", latin1)).toEqual(["dataset_bad_row d.csv:3"]);
    expect(await complaints("d.csv", "a,b\n1,\0\n")).toEqual(["dataset_bad_row d.csv:2"]);
  });

  it("names both lines of a duplicate id", async () => {
    const [found] = await problems("d.csv", 'id,b\n1,"x\ny"\n2,b\n1,c\n');
    expect(found?.place).toEqual({ file: "d.csv", line: 5 });
    expect(found?.message).toContain("line 2 has it too");
  });

  it.each([
    ["an empty file", "", ["dataset_empty d.csv:"]],
    ["a header alone", "a,b\n", ["dataset_no_rows d.csv:"]],
  ])("refuses %s", async (_, content, expected) => {
    expect(await complaints("d.csv", content)).toEqual(expected);
  });

  it("hands rows on in small batches", async () => {
    const { fixture, opened } = await open("d.csv", `a\n${"x\n".repeat(1000)}`, { idField: null });
    if ("problems" in opened) throw new Error("can't be read");
    const sizes: number[] = [];
    for await (const batch of opened.dataset.cases()) sizes.push(batch.length);
    await fixture.rm();
    expect(Math.max(...sizes)).toBe(256);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1000);
  });
});
