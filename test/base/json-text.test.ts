import { describe, expect, it } from "vitest";
import { readField, topLevelField, valueText } from "../../src/base/fields.ts";
import { parseJsonText } from "../../src/base/json-text.ts";
import { createDigestTable, shortDigest } from "../../src/ledger/digest-table.ts";
import { createLineSplitter } from "../../src/base/lines.ts";
import { nearest } from "../../src/base/nearest.ts";

describe("JSON with the source of its numbers", () => {
  it.each([
    '{"a":1.0}',
    "[1e5]",
    "[-0]",
    '{"a": -0.10}',
    "[12345678901234567]",
    "1.0",
    '{"a":[0, 7, 0.5, 100]}',
  ])("writes %s as it was read", (text) => {
    const parsed = parseJsonText(text);
    const written = parsed.kind === "json" ? JSON.stringify(parsed.value) : "";
    expect(written).toBe(text === "1.0" ? "1" : text.replaceAll(/[\s](?=[-\d])/g, ""));
  });

  it("leaves ordinary numbers numbers", () => {
    expect(parseJsonText('{"a":[0.5,1.0]}')).toMatchObject({ value: { a: [0.5, {}] } });
  });

  it("asks whether anyone looks at the source", () => {
    const parsed = parseJsonText('{"a":1.0}', () => false);
    expect(parsed).toEqual({ kind: "json", value: { a: 1 } });
  });
});

describe("fields", () => {
  const row = { "a.b": 1, a: { b: 2, c: { d: 3 } }, list: [{ x: "y" }], n: null };
  it.each([
    ["a.b", 1],
    ["a.c.d", 3],
    ["list.0.x", "y"],
    ["list.length", undefined],
    ["a.gone", undefined],
    ["n", null],
    ["n.x", undefined],
    ["toString", undefined],
    ["a.constructor", undefined],
    ["__proto__", undefined],
  ])("%s reads %j", (name, expected) => {
    expect(readField(row, name)).toBe(expected);
  });

  it("says which top-level field a name reads", () => {
    expect(["a.b", "a.c", "list.0", "gone.x"].map((name) => topLevelField(row, name))).toEqual([
      "a.b",
      "a",
      "list",
      undefined,
    ]);
  });

  it.each([
    [undefined, ""],
    [null, ""],
    ["x", "x"],
    [5, "5"],
    [JSON.rawJSON("51.0"), "51.0"],
    [false, "false"],
    [[1, "a"], '[1,"a"]'],
    [{ a: JSON.rawJSON("1.0") }, '{"a":1.0}'],
  ])("%j shows as %s", (value, text) => {
    expect(valueText(value)).toBe(text);
  });
});

describe("nearest", () => {
  const fields = ["question", "answer", "context", "id"];
  it.each([
    ["qestion", "question"],
    ["quesiton", "question"],
    ["Answer", "answer"],
    ["contexts", "context"],
    ["ide", "id"],
    ["banana", undefined],
    ["", undefined],
  ])("%s means %s", (word, expected) => {
    expect(nearest(word, fields)).toBe(expected);
  });
});

describe("a digest table", () => {
  it("gives back what was put in, at any size", () => {
    const table = createDigestTable();
    const before = Array.from({ length: 10_000 }, (_, i) => table.set(digest(i), i));
    expect(before.every((value) => value === undefined)).toBe(true);
    expect(table.size()).toBe(10_000);
    const after = Array.from({ length: 10_000 }, (_, i) => table.get(digest(i)));
    expect(after.every((value, i) => value === i)).toBe(true);
    expect(table.set(digest(5), 50)).toBe(5);
    expect(table.get("ffffffffffffffff")).toBeUndefined();
  });

  it("takes the digest of a hash with and without its name", () => {
    const hex = "0123456789abcdef".repeat(4);
    expect(shortDigest(`sha256:${hex}`)).toBe("0123456789abcdef");
    expect(shortDigest(hex)).toBe("0123456789abcdef");
  });
});

describe("lines", () => {
  it("are the same however the bytes arrive", () => {
    const text = "\uFEFFone\r\n\r\ntwo \u00E9\n\nthree";
    const bytes = new TextEncoder().encode(text);
    const read = (size: number) => {
      const splitter = createLineSplitter();
      const lines = [];
      for (let at = 0; at < bytes.length; at += size) {
        lines.push(...splitter.push(bytes.subarray(at, at + size)));
      }
      lines.push(...splitter.end());
      const decoder = new TextDecoder();
      return lines.map((line) => [
        line.number,
        line.offset,
        line.complete,
        decoder.decode(line.bytes),
      ]);
    };
    expect(read(1000)).toEqual([
      [1, 0, true, "one"],
      [2, 8, true, ""],
      [3, 10, true, "two \u00E9"],
      [4, 17, true, ""],
      [5, 18, false, "three"],
    ]);
    for (const size of [1, 2, 3, 7]) expect(read(size)).toEqual(read(1000));
  });
});

function digest(i: number): string {
  return `${i.toString(16).padStart(8, "0")}${(i * 7).toString(16).padStart(8, "0")}`;
}
