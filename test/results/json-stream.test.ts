import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/model/refusal.ts";
import { readJsonFile, type JsonPart } from "../../src/results/json-stream.ts";

interface Read {
  readonly text: string | Uint8Array;
  readonly wanted?: readonly string[];
  /** Bytes of a chunk. */
  readonly size?: number;
}

async function read({ text, wanted = ["$.rows.*"], size = 1 << 16 }: Read): Promise<JsonPart[]> {
  const all = Buffer.from(text);
  const file = {
    path: "out.json",
    async *bytes() {
      for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
    },
  };
  const parts: JsonPart[] = [];
  for await (const part of readJsonFile(file, wanted)) parts.push(part);
  return parts;
}

async function values(what: Read): Promise<unknown[]> {
  return (await read(what)).map(({ value }) => value);
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The bytes that are in use, without what nobody refers to any more. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

async function refusal(what: Read): Promise<string> {
  const thrown: unknown = await read(what).catch((error: unknown) => error);
  if (!(thrown instanceof Refusal)) throw new Error(`not refused: ${String(thrown)}`);
  return thrown.message;
}

describe("readJsonFile", () => {
  test("gives the parts that are wanted, with where they stand, in any cut", async () => {
    const text =
      '{"version": 3, "rows": [{"a": "é\\u00e9 \\"q\\""}, [1, -2.5e3]], "end": {"n": null}}';
    for (let size = 1; size <= text.length; size += 3) {
      const parts = await read({ text, size, wanted: ["$.version", "$.rows.*", "$.end"] });
      expect(parts.map(({ path, value }) => [path, value])).toStrictEqual([
        [["version"], 3],
        [["rows", 0], { a: 'éé "q"' }],
        [
          ["rows", 1],
          [1, -2500],
        ],
        [["end"], { n: null }],
      ]);
    }
  });

  test("reads a list at the top, and a file with a byte order mark", async () => {
    expect(await values({ text: "\uFEFF[1, 2]", wanted: ["$.*"] })).toStrictEqual([1, 2]);
  });

  test("reads Python's constants as null, in any cut, and not within texts", async () => {
    const text = '{"rows": [NaN, -Infinity, {"a": Infinity, "b": "NaN, Infinity"}, 1e999]}';
    for (let size = 1; size <= text.length; size += 1)
      expect(await values({ text, size })).toStrictEqual([
        null,
        null,
        { a: null, b: "NaN, Infinity" },
        null,
      ]);
  });

  test("keeps a key that objects have of their own", async () => {
    const [value] = await values({ text: '{"rows": [{"__proto__": {"polluted": true}, "a": 1}]}' });
    expect(Object.keys(value as object)).toStrictEqual(["__proto__", "a"]);
    expect((value as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    [
      '{"rows": [{"a": 1}, {"a": "cut',
      "out.json: the file ends in the middle of what comes after 'rows[0]', at byte 30",
    ],
    ['{"rows": [1, 2', "of what comes after 'rows[0]', at byte 14"],
    ['{"rows": [1', "the file ends in the middle, at byte 11"],
    ['{"rows": [Na', "the file ends in the middle, at byte 12"],
    ["", "the file ends in the middle, at byte 0"],
    ["  \n", "the file ends in the middle, at byte 3"],
    ['{"rows": [1,, 2]}', 'can\'t be read at byte 12: "," is not expected there'],
    ['{"rows": [1]} {"rows"', 'can\'t be read at byte 14: "{" is not expected there'],
    ['{"rows": [1, Nope]}', 'can\'t be read at byte 13: "N" is not expected there'],
    ['{"rows": [NaN, tNaN]}', 'can\'t be read at byte 16: "N" is not expected there'],
    ['{"rows": [NaNNaN]}', "can't be read at byte 13: null is not expected there"],
    ["evaluation complete", 'can\'t be read at byte 0: "e" is not expected there'],
    [
      `{"rows": ${"[".repeat(300)}`,
      "can't be read at byte 208: it is nested deeper than 200 levels",
    ],
    [Buffer.from('{"rows": []}', "utf16le"), 'can\'t be read at byte 1: "\\u0000" is not expected'],
    [Buffer.from('\uFEFF{"rows": []}', "utf16le"), "at byte 0: it is UTF-16; save it as UTF-8"],
    [Buffer.from('{"rows": ["\xff\xff"]}', "latin1"), "it is not valid UTF-8"],
  ])("refuses %j", async (text, message) => {
    expect(await refusal({ text })).toContain(message);
    if (text.length < 100) expect(await refusal({ text, size: 1 })).toContain(message);
  });

  test("holds nothing of what is not wanted, nor of what was taken", { tags: "long" }, async () => {
    const filler = JSON.stringify({ text: "x".repeat(1000) });
    const count = 60_000;
    const file = {
      path: "out.json",
      async *bytes() {
        yield Buffer.from('{"table": [');
        for (let i = 0; i < count; i += 1) yield Buffer.from(`${i === 0 ? "" : ","}${filler}`);
        yield Buffer.from('], "rows": [');
        for (let i = 0; i < count; i += 1) yield Buffer.from(`${i === 0 ? "" : ","}${filler}`);
        yield Buffer.from("]}");
      },
    };
    const before = heldBytes();
    let [seen, most] = [0, 0];
    for await (const { path } of readJsonFile(file, ["$.rows.*"])) {
      expect(path[0]).toBe("rows");
      seen += 1;
      if (seen % 10_000 === 0) most = Math.max(most, heldBytes() - before);
    }
    expect(seen).toBe(count);
    // 120 MB went through.
    expect(most / 1e6).toBeLessThan(10);
  });
});

// Behind the above, whose measure they would spoil.
describe("a long text", () => {
  test.each([["wanted"], ["not wanted"]])(
    "refuses a text of more than 32 MiB, with its place: %s",
    async (what) => {
      const piece = Buffer.alloc(256 * 1024, "a");
      let given = 0;
      const file = {
        path: "out.json",
        async *bytes() {
          yield Buffer.from('{"rows": [1], "more": {"a": "b"}, "last": "');
          for (; given < 4 * 40; given += 1) yield piece;
          yield Buffer.from('"}');
        },
      };
      const paths = [what === "wanted" ? "$.last" : "$.rows.*"];
      const reading = async (): Promise<void> => {
        for await (const part of readJsonFile(file, paths)) void part;
      };
      const thrown: unknown = await reading().catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(Refusal);
      expect(String(thrown)).toContain(
        "out.json: the file can't be read at byte 41: a text is longer than 32 MiB there",
      );
      // It is not read to its end.
      expect(given).toBeLessThan(4 * 33);
    },
  );

  test("reads a text of 31 MiB", async () => {
    const text = `{"rows": ["${"a".repeat(31 * 1024 * 1024)}"]}`;
    const [value] = await values({ text });
    expect(String(value)).toHaveLength(31 * 1024 * 1024);
  });

  test("refuses a text that is too long within one piece", async () => {
    const text = `{"rows": ["${"a".repeat(32 * 1024 * 1024 + 1)}"]}`;
    expect(await refusal({ text, size: text.length })).toContain("at byte 10: a text is longer");
  });
});
