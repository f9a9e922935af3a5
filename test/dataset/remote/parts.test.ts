import { describe, expect, it } from "vitest";
import { asLines } from "../../../src/dataset/remote/array-lines.ts";
import { mapInOrder } from "../../../src/base/ordered-map.ts";
import { readPage as readBytes } from "../../../src/dataset/remote/page.ts";
import { pauseOf } from "../../../src/dataset/remote/pause.ts";
import { whatInstead } from "../../../src/dataset/remote/sniff.ts";

/** A page with its rows as texts. */
const readPage = (text: string, offset: number, where: string) => {
  const page = readBytes(Buffer.from(text), offset, where);
  return { ...page, rows: page.rows.map((row) => Buffer.from(row).toString()) };
};

/** A page with a picture. */
const signed = (signature: string) =>
  `{"features":[{"feature_idx":0,"name":"image","type":{"_type":"Image"}}],"rows":[{"row_idx":0,"row":{"image":{"src":"https://x/a.jpg?Signature=${signature}","height":2.0},"src":"a?b"},"truncated_cells":[]}],"num_rows_total":1}`;

describe("the rows of a page", () => {
  it.each([
    ["numbers as they stand", '{"a":51.0,"b":12345678901234567890,"c":1e3,"d":-0}'],
    [
      "what looks like the page's own marks",
      String.raw`{"row":{"rows":[1]},"t":"\"row\":{ \\","u":"]}"}`,
    ],
    ["a backslash at the end", String.raw`{"a":"\\","b":"\\\""}`],
    ["nested lists", '{"choices":{"text":["a","b"],"label":[]},"e":{}}'],
    ["no fields", "{}"],
  ])("keep %s", (_, row) => {
    const page = `{"features":[{"name":"rows"}],"rows":[{"row_idx":0,"row":${row},"truncated_cells":[]},{"row_idx":1,"row":{"x":null},"truncated_cells":[]}],"num_rows_total":2,"num_rows_per_page":100,"partial":false}`;
    expect(readPage(page, 0, "x").rows).toEqual([row, '{"x":null}']);
  });

  it("stand on one line each, however the server lays them out", () => {
    const page = JSON.stringify(
      { rows: [{ row: { a: [1, 2], b: "x\ny" } }], num_rows_total: 1 },
      null,
      2,
    );
    const [row = ""] = readPage(page, 0, "x").rows;
    expect(row).not.toContain("\n");
    expect(JSON.parse(row)).toEqual({ a: [1, 2], b: "x\ny" });
  });

  it.each([
    ["no JSON", "<html>", "no JSON"],
    ["no rows", '{"num_rows_total":1}', "no `rows`"],
    ["half a page", '{"rows":[{"row_idx":0,"row":{"a":"x', "no JSON"],
    ["brackets that don't match", '{"rows":[}],"num_rows_total":1}', "no JSON"],
    ["a list", "[1,2]", "no JSON"],
    ["nothing", "", "no JSON"],
    ["no total", '{"rows":[]}', "num_rows_total"],
    ["a row that is none", '{"rows":[{"row":7}],"num_rows_total":1}', "is no JSON object"],
    ["another row", '{"rows":[{"row_idx":5,"row":{}}],"num_rows_total":9}', "row 6 was returned"],
    [
      "a cut cell",
      '{"rows":[{"row_idx":0,"row":{},"truncated_cells":["text"]}],"num_rows_total":1}',
      "in text",
    ],
  ])("are refused for %s", (_, page, why) => {
    expect(() => readPage(page, 0, "x")).toThrow(why);
  });

  it("do not change with the signature of a link to a picture", () => {
    expect(readPage(signed("1"), 0, "x")).toEqual(readPage(signed("2"), 0, "x"));
    expect(readPage(signed("1"), 0, "x").rows).toEqual([
      '{"image":{"src":"https://x/a.jpg","height":2.0},"src":"a?b"}',
    ]);
  });
});

async function linesOf(text: string, size = 3): Promise<readonly string[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  let out = "";
  for await (const chunk of asLines(chunks())) out += Buffer.from(chunk).toString("latin1");
  return Buffer.from(out, "latin1")
    .toString()
    .split("\n")
    .filter((line) => line.trim() !== "");
}

describe("a JSON file as lines", () => {
  it.each([
    ["JSON lines", '{"a":1}\n{"a":"[,]"}\n', ['{"a":1}', '{"a":"[,]"}']],
    [
      "a list",
      '[{"a":1.0},{"b":"},{"},{"c":[1,[2]]}]',
      ['{"a":1.0}', '{"b":"},{"}', '{"c":[1,[2]]}'],
    ],
    ["a list with a mark before it", '\uFEFF [{"ä":"\u00FC\\"]"}]', ['{"ä":"\u00FC\\"]"}']],
    ["an empty list", " [ ] ", []],
  ])("%s", async (_, text, lines) => {
    for (const size of [1, 2, 7, 1000]) {
      expect((await linesOf(text, size)).map((line) => line.trim())).toEqual(lines);
    }
  });

  it("of a list laid out for reading", async () => {
    const items = [{ a: 1, b: { c: "x" } }, { a: 2 }];
    const lines = await linesOf(JSON.stringify(items, null, 2));
    expect(lines.map((line) => JSON.parse(line))).toEqual(items);
  });

  it("keeps what comes after a list, so that it is complained of", async () => {
    expect(await linesOf('[{"a":1}] trailing')).toEqual(['{"a":1}', " trailing"]);
  });
});

describe("work in order", () => {
  it("holds no more than it may, and keeps the order", async () => {
    let [under, most] = [0, 0];
    const seen: number[] = [];
    for await (const each of mapInOrder(20, 4, async (i) => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, (i * 7) % 5));
      under -= 1;
      return i;
    })) {
      seen.push(each);
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(most).toBe(4);
  });

  it("begins nothing more after an error, and tells it in its turn", async () => {
    const begun: number[] = [];
    const read = async (): Promise<void> => {
      for await (const _ of mapInOrder(100, 3, async (i) => {
        begun.push(i);
        if (i === 2) throw new Error("broken");
      })) {
        // Only the order counts.
      }
    };
    await expect(read()).rejects.toThrow("broken");
    expect(begun.length).toBeLessThanOrEqual(5);
  });
});

describe("a server's word on when to come back", () => {
  it.each([
    [{ "retry-after": "7" }, 7],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:10 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 10],
    [{ "retry-after": "Wed, 21 Oct 2020 07:28:10 GMT" }, 0],
    [{ ratelimit: '"api";r=0;t=55' }, 55],
    [{}, undefined],
    [{ "retry-after": "soon" }, undefined],
  ])("%o: %s s", (headers, seconds) => {
    expect(pauseOf(headers as Readonly<Record<string, string>>, Date.parse("2026-11-22"))).toBe(
      seconds,
    );
  });
});

describe("a file that is no data", () => {
  it.each([
    ["<!DOCTYPE html><html>", "HTML"],
    ["  \n<html lang=en>", "HTML"],
    ["\uFEFF<HTML>", "HTML"],
    ["PAR1\u0000", "parquet"],
    ["PK\u0003\u0004", "zip"],
    ["version https://git-lfs.github.com/spec/v1\noid sha256:", "Git LFS"],
  ])("%j is told by its beginning", (text, what) => {
    expect(whatInstead(Buffer.from(text), undefined)).toContain(what);
  });

  it("is told of gzip", () => {
    expect(whatInstead(Uint8Array.of(0x1f, 0x8b, 8), undefined)).toContain("gzip");
  });

  it.each(['{"a":"<html>"}', "text,html\n<b>,1", "", "a<b\n1"])("%j may be data", (text) => {
    expect(whatInstead(Buffer.from(text), "text/plain")).toBeUndefined();
  });
});
