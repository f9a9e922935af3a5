import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readField, valueText } from "../../../src/base/fields.ts";
import { isJsonObject, type JsonObject } from "../../../src/model/json.ts";
import { heldIn, type AskedCase } from "../../../src/suite/policy/held-answers.ts";

const cases: readonly AskedCase[] = Array.from({ length: 12 }, (_, i) => {
  const asked = `How many apples has ${["Ann", "Bob", "Cem"][i % 3]} after ${i} days?`;
  return { asked: [asked], prompt: `Q: ${asked}`, answers: [String(i * 7 + 30)] };
});
const pairs = cases.map(({ asked, answers }) => [asked[0] ?? "", answers[0] ?? ""] as const);
const table = (key: (text: string) => string, value: (text: string) => string): string =>
  JSON.stringify(Object.fromEntries(pairs.map(([asked, answer]) => [key(asked), value(answer)])));
const same = (text: string): string => text;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const backwards = (text: string): string => Array.from(text).toReversed().join("");
const turned = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) + (letter.toLowerCase() < "n" ? 13 : -13)),
  );
const escaped = (text: string): string =>
  text.replaceAll(/./gs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
const wrapped = (text: string): string => (text.match(/.{1,60}/g) ?? []).join('"\n    "');
const found = (text: string): readonly [plain: number, encoded: number] => {
  const { plain, encoded } = heldIn(text, cases);
  return [plain.size, encoded.size];
};

describe("answers beside their questions are found", () => {
  it.each([
    ["in JSON", table(same, same)],
    ["in a prompt", pairs.map(([asked, answer]) => `Q: ${asked}\nA: ${answer}\n`).join("\n")],
    ["in a module", `TABLE = {\n${pairs.map(([a, b]) => `  '${a}': ${b},`).join("\n")}\n}`],
  ])("%s", (_, text) => {
    expect(found(text)).toEqual([12, 0]);
  });

  it.each([
    ["in base64", `T = json.loads(b64decode("${base64(table(same, same))}"))`],
    ["in lines of base64", `T = b64decode("${wrapped(base64(table(same, same)))}")`],
    ["packed", `T = "${gzipSync(table(same, same)).toString("base64")}"`],
    ["in hexadecimal", `T = bytes.fromhex("${hex(table(same, same))}")`],
    ["in escapes", escaped(table(same, same))],
    ["in a URL", encodeURIComponent(table(same, same))],
    ["backwards", backwards(table(same, same))],
    ["by half of the alphabet", turned(table(same, same))],
    ["by base64 of the question", table(base64, same)],
    ["by a digest of the question", table(sha, base64)],
    ["by a digest of the prompt, cut", table((text) => sha(`Q: ${text}`).slice(0, 12), same)],
    ["as base64 of the answer", table(same, base64)],
    ["as numbers of characters", `T = bytes([${[...Buffer.from(table(same, same))].join(", ")}])`],
    ["in base64 twice", `T = "${base64(base64(table(same, same)))}"`],
  ])("encoded: %s", (_, text) => {
    expect(found(text)[1]).toBe(12);
  });

  it("finds answers in words", () => {
    expect(found(`{"${pairs[1]?.[0]}": "thirty-seven", "${pairs[2]?.[0]}": "XLIV"}`)).toEqual([
      0, 2,
    ]);
  });
});

describe("honest files hold no answers", () => {
  it.each([
    ["other examples", "Q: How many pears has Ann after 3 days?\nA: 37\n"],
    [
      "questions alone",
      pairs
        .map(([asked]) => asked)
        .join("\n\n")
        .replaceAll(/\d+/g, "$&"),
    ],
    ["digests of other things", pairs.map((_, i) => sha(`file ${i}`)).join("\n")],
    ["code", "def add(a, b):\n    return a + b\n".repeat(50)],
  ])("%s", (_, text) => {
    expect(found(text)).toEqual([0, 0]);
  });
});

const read = (row: JsonObject, name: string): string => valueText(readField(row, name));
const answer = (row: JsonObject): string => read(row, "canonical_solution") || read(row, "answer");
const data = new URL("../../../../shared/data/", import.meta.url);

describe.skipIf(!existsSync(data))(
  "examples of one half of a data set tell none of the other",
  () => {
    it.each([
      ["svamp/svamp.jsonl", ["body", "question"]],
      ["gsm8k/test.jsonl", ["question"]],
      ["humaneval/HumanEval.jsonl", ["prompt"]],
    ])("%s", (file, asked) => {
      const lines = readFileSync(new URL(file, data), "utf8").trim().split("\n").slice(0, 600);
      const rows = lines.map((line): unknown => JSON.parse(line)).filter(isJsonObject);
      const shots = rows.filter((_, i) => i % 2 === 0);
      const judged = rows.filter((_, i) => i % 2 === 1);
      const text = shots.map(
        (row) => `Q: ${asked.map((name) => read(row, name)).join(" ")}\nA: ${answer(row)}`,
      );
      const { plain, encoded } = heldIn(
        text.join("\n\n"),
        judged.map((row) => {
          const values = asked.map((name) => read(row, name));
          return { asked: values, prompt: values.join(" "), answers: [answer(row)] };
        }),
      );
      expect([plain.size, encoded.size]).toEqual([0, 0]);
    });
  },
);
