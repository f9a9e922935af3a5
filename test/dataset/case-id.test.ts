import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sliceValues } from "../../src/dataset/slices.ts";
import { cases, complaints, problems, type Asked } from "./read.ts";

const ids = async (content: string, asked: Asked = {}) =>
  (await cases("d.jsonl", content, asked)).map(({ caseId }) => caseId);
const sha16 = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

describe("a case's id", () => {
  it("is the field 'id' where the first row has it", async () => {
    expect(await ids('{"id":"a"}\n{"id":"b"}\n')).toEqual(["a", "b"]);
  });

  it("is a number as it was written", async () => {
    expect(
      await ids('{"id":12345678901234567890}\n{"id":12345678901234567891}\n{"id":1.0}\n{"id":1}\n'),
    ).toEqual(["12345678901234567890", "12345678901234567891", "1.0", "1"]);
  });

  it("is the field that id_field names, also inside an object", async () => {
    expect(await ids('{"id":1,"key":"x"}\n{"id":1,"key":"y"}\n', { idField: "key" })).toEqual([
      "x",
      "y",
    ]);
    expect(await ids('{"m":{"k":"x"}}\n{"m":{"k":"y"}}\n', { idField: "m.k" })).toEqual(["x", "y"]);
  });

  it.each([
    ["twice", '{"id":"a"}\n{"id":"b"}\n{"id":"a"}\n', "dataset_id_duplicate d.jsonl:3"],
    ["as number and as text", '{"id":1}\n{"id":"1"}\n', "dataset_id_duplicate d.jsonl:2"],
    ["missing later", '{"id":"a"}\n{"x":1}\n', "dataset_id_missing d.jsonl:2"],
    ["empty", '{"id":" "}\n', "dataset_id_kind d.jsonl:1"],
    ["null", '{"id":null}\n', "dataset_id_kind d.jsonl:1"],
    ["a list", '{"id":[1]}\n', "dataset_id_kind d.jsonl:1"],
    ["a truth value", '{"id":true}\n', "dataset_id_kind d.jsonl:1"],
  ])("is refused where it is there %s", async (_, content, expected) => {
    expect(await complaints("d.jsonl", content)).toEqual([expected]);
  });

  it("is refused where id_field names what the first row lacks", async () => {
    expect(await complaints("d.jsonl", '{"a":1}\n', { idField: "key" })).toEqual([
      "dataset_id_missing d.jsonl:1",
    ]);
  });

  it("names both lines of a duplicate", async () => {
    const [found] = await problems("d.jsonl", '{"id":"a"}\n\n{"id":"a"}\n');
    expect(found?.message).toBe("the case id 'a' (field 'id') is taken: line 1 has it too");
  });

  it.each([5, 20_005])(
    "is refused where it is taken, however many there are: line %i",
    async (line) => {
      const rows = Array.from({ length: 20_010 }, (_, i) => `{"id":"c${i + 1}"}`);
      const content = `${[...rows, `{"id":"c${line}"}`, `{"id":"c${line}"}`].join("\n")}\n`;
      const found = await problems("d.jsonl", content);
      const taken = `the case id 'c${line}' (field 'id') is taken: line ${line} has it too`;
      expect(found.map(({ message }) => message)).toEqual([taken, taken]);
    },
  );

  it("is a hash of what is asked where there is none", async () => {
    expect(await ids('{"q":"x","a":"1"}\n', { targetOnly: ["a"] })).toEqual([sha16('{"q":"x"}')]);
    expect(await ids('{"id":7,"q":"x"}\n', { idField: null })).toEqual([sha16('{"id":7,"q":"x"}')]);
  });

  it("stays when a label is corrected, fields change places and rows change places", async () => {
    const [one, two] = await ids('{"q":"x","r":[1.0],"a":"1"}\n{"q":"y","r":[],"a":"2"}\n', {
      targetOnly: ["a"],
    });
    const again = await ids('{"a":"9","r":[],"q":"y"}\n{"r":[1.0],"a":"1","q":"x"}\n', {
      targetOnly: ["a"],
    });
    expect(again).toEqual([two, one]);
  });

  it("is that of its own fields, whatever the row before it had", async () => {
    const rows = [
      '{"q":"x"}',
      '{"q":"x","r":1}',
      '{"r":2,"q":"x"}',
      '{"r":2}',
      '{"s":2}',
      '{"q":"y"}',
    ];
    const alone = await Promise.all(rows.map(async (row) => (await ids(`${row}\n`))[0]));
    expect(await ids(`${rows.join("\n")}\n`)).toEqual(alone);
  });

  it("counts equal rows", async () => {
    const [first = "", ...rest] = await ids('{"q":"x"}\n'.repeat(3));
    expect(rest).toEqual([`${first}-2`, `${first}-3`]);
  });

  it("stands beside a hash of the whole row without it, so that a renamed case can be told", async () => {
    const [row] = await cases("d.jsonl", '{"id":"k","q":"x","a":"1"}\n', { targetOnly: ["a"] });
    expect(row).toEqual({
      caseId: "k",
      content: sha16('{"a":"1","q":"x"}'),
      row: { id: "k", q: "x", a: "1" },
      index: 0,
    });
  });
});

describe("slices", () => {
  it("are a field's value as text, and empty where a row lacks it", () => {
    const row = { lang: "de", level: 2, hard: true, nothing: null, m: { k: "v" } };
    expect(
      sliceValues(row, ["lang", "level", "hard", "nothing", "gone", "m.k", "constructor"]),
    ).toEqual({
      lang: "de",
      level: "2",
      hard: "true",
      nothing: "",
      gone: "",
      "m.k": "v",
      constructor: "",
    });
  });
});
