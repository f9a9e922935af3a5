import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { readFleetingBatches, readLines, type FileLine } from "../../src/io/files/lines.ts";

async function fleeting(path: string): Promise<readonly FileLine[]> {
  const found: FileLine[] = [];
  for await (const lines of readFleetingBatches(path))
    for (const { text, number, end, complete } of lines)
      found.push({ text, number, end, complete });
  return found;
}

async function whole(path: string): Promise<readonly FileLine[]> {
  const found: FileLine[] = [];
  for await (const { text, number, end, complete } of readLines(path))
    found.push({ text, number, end, complete });
  return found;
}

const long = "x".repeat(200_000);
const many = Array.from({ length: 9_000 }, (_, i) => `{"line":${i}}`).join("\n");

describe("lines that are parsed at once", () => {
  it.each([
    ["an empty file", ""],
    ["one line", "a\n"],
    ["a last line without an end", "a\nb"],
    ["empty lines", "\n\na\n\n"],
    ["lines of Windows", "a\r\nb\r\n\r\nc\r"],
    ["a byte order mark", "\uFEFFa\nb\n"],
    ["lines over many chunks", `${long}\n${many}\n${long}\nb\n`],
    ["a line that is not ASCII after many that are", `${many}\né\nb\n${many}\n`],
    ["one that begins in an earlier chunk", `${many}\n${long}é\nb\n`],
    ["a NUL byte", `${many}\na\u0000b\nc\n`],
    ["a very long line, torn", `${many}\n${long.repeat(8)}`],
    ["U+2028, which ends no line", '{"a":"\u2028"}\nb\n'],
  ])("%s: the same as one by one", async (_, text) => {
    await using fixture = await createFixture({ "a.jsonl": text });
    const path = fixture.getPath("a.jsonl");
    const [some, all] = [await fleeting(path), await whole(path)];
    expect(some.length).toBe(all.length);
    for (const [i, line] of all.entries())
      expect(JSON.stringify(some[i])).toBe(JSON.stringify(line));
  });
});
