import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { contentsOf } from "../../../../src/base/encodings/bytes.ts";
import { readField, valueText } from "../../../../src/base/fields.ts";
import { isJsonObject, type JsonObject } from "../../../../src/model/json.ts";
import { seekKeyed } from "../../../../src/suite/policy/answers/coded-answers.ts";
import { heldIn, type AskedCase } from "../../../../src/suite/policy/answers/held-answers.ts";

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
  const { plain, encoded } = heldIn({ text, isText: true }, cases);
  return [plain.size, encoded.size];
};

/** Files as Python's own modules write them, in base64. */
const pythonFiles = `
import base64, io, json, pickle, sqlite3, sys, tarfile, zipfile
table = json.load(sys.stdin)
text = json.dumps(table).encode()
def archive(name, content, method=zipfile.ZIP_DEFLATED):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as out:
        out.writestr("readme.txt", "no answer here")
        out.writestr(name, content)
    return held.getvalue()
base = sqlite3.connect(":memory:")
base.execute("create table t (q text, a text)")
base.executemany("insert into t values (?, ?)", table.items())
base.commit()
tar = io.BytesIO()
with tarfile.open(fileobj=tar, mode="w:gz") as out:
    entry = tarfile.TarInfo("table.json"); entry.size = len(text); out.addfile(entry, io.BytesIO(text))
files = {
    "a zip archive": archive("table.json", text),
    "a zip archive, stored": archive("table.json", text, zipfile.ZIP_STORED),
    "a zip archive in another": archive("inner.zip", archive("table.json", text)),
    "a packed tar archive": tar.getvalue(),
    "a pickle": pickle.dumps(table),
    "a pickle in a zip archive": archive("table.pkl", pickle.dumps(table)),
    "a database": base.serialize() if hasattr(base, "serialize") else pickle.dumps(table),
}
print(json.dumps({name: base64.b64encode(content).decode() for name, content in files.items()}))
`;

function filesOf(answered: readonly (readonly [string, string])[]): ReadonlyMap<string, Buffer> {
  const input = JSON.stringify(Object.fromEntries(answered));
  const made: unknown = JSON.parse(
    execFileSync("python3", ["-c", pythonFiles], { input, encoding: "utf8" }),
  );
  if (!isJsonObject(made)) throw new Error("no files");
  const files = Object.entries(made).map(
    ([name, value]) => [name, Buffer.from(valueText(value), "base64")] as const,
  );
  const zstd = zstdCompressSync(JSON.stringify(Object.fromEntries(answered)));
  return new Map([...files, ["zstd", zstd]]);
}

const countOf = (bytes: Uint8Array): number =>
  contentsOf(bytes)
    .all.map((content) => heldIn(content, cases))
    .reduce((sum, { plain, encoded }) => sum + plain.size + encoded.size, 0);

describe("answers in a file that is no text are found", () => {
  it("in archives, a database and a pickle", () => {
    const counts = [...filesOf(pairs)].map(([name, bytes]) => [name, countOf(bytes)]);
    expect(counts).toEqual(counts.map(([name]) => [name, 12]));
    expect(counts).toHaveLength(8);
  });

  it("and the questions with other answers are not taken for them", () => {
    const others = pairs.map(([asked, answer]) => [asked, `${Number(answer) + 1}`] as const);
    for (const [name, bytes] of filesOf(others)) expect([name, countOf(bytes)]).toEqual([name, 0]);
  });

  it("a broken archive ends soon, and holds nothing", () => {
    const whole = filesOf(pairs).get("a zip archive") ?? Buffer.of();
    for (let cut = 1; cut < whole.length; cut += 17)
      expect(countOf(whole.subarray(0, cut))).toBeLessThanOrEqual(12);
  });
});

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
const data = new URL("../../../../../shared/data/", import.meta.url);

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
        { text: text.join("\n\n"), isText: true },
        judged.map((row) => {
          const values = asked.map((name) => read(row, name));
          return { asked: values, prompt: values.join(" "), answers: [answer(row)] };
        }),
      );
      expect([plain.size, encoded.size]).toEqual([0, 0]);
    });
  },
);

const places = ["harbour", "mountain", "railway", "orchard"];
const labelled: readonly AskedCase[] = Array.from({ length: 24 }, (_, i) => {
  const asked = `The pump of plant ${i * 37 + 11} was late again`;
  const drawn = createHash("sha256").update(String(i)).digest().readUInt8(0);
  return { asked: [asked], prompt: `Where: ${asked}`, answers: [places[drawn % 4] ?? ""] };
});
const linesOf = (line: (asked: string, label: string) => string): string =>
  labelled.map(({ asked, answers }) => line(asked[0] ?? "", answers[0] ?? "")).join("\n");
const codeOf = (label: string): number => places.indexOf(label);
const between = (text: string, sign: string): string => Array.from(text).join(sign);

describe("answers in another form beside what the cases ask are found", () => {
  it.each([
    ["a number for each", linesOf((asked, label) => `${asked}: ${codeOf(label) * 3}`)],
    [
      "a word for each",
      linesOf((asked, label) => `${asked}: ${["sun", "moon", "star", "sky"][codeOf(label)]}`),
    ],
    [
      "a word for each, before",
      linesOf((asked, label) => `${["sun", "moon", "star", "sky"][codeOf(label)]} | ${asked}`),
    ],
    ["white space", linesOf((asked, label) => `${asked}${" ".repeat(codeOf(label))}.`)],
    [
      "the first letter",
      JSON.stringify(
        Object.fromEntries(labelled.map((each) => [each.asked[0], each.answers[0]?.charAt(0)])),
      ),
    ],
    [
      "the next letters",
      linesOf(
        (asked, label) =>
          `${asked}: ${label.replaceAll(/./g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 1))}`,
      ),
    ],
    [
      "letters of another alphabet",
      linesOf(
        (asked, label) =>
          `${asked}: ${label.replaceAll("a", "а").replaceAll("o", "о").replaceAll("r", "г")}`,
      ),
    ],
    ["accents", linesOf((asked, label) => `${asked}: ${between(label, "\u0301")}`)],
    ["points", linesOf((asked, label) => `${between(asked, ".")}: ${between(label, ".")}`)],
    ["underscores", linesOf((asked, label) => `${asked.replaceAll(" ", "_")}: ${label}`)],
    ["no spaces", linesOf((asked, label) => `${asked.replaceAll(" ", "")}=${label}`)],
    [
      "control characters",
      linesOf((asked, label) => `${between(asked, "\u0001")}: ${between(label, "\0")}`),
    ],
  ])("%s", (_, text) => {
    const held = contentsOf(Buffer.from(text)).all.map((content) => heldIn(content, labelled));
    expect(held.some(({ plain, encoded }) => plain.size + encoded.size >= 9)).toBe(true);
  });

  it.each([
    ["the questions alone", linesOf((asked) => asked)],
    ["the questions with numbers", linesOf((asked) => asked).replaceAll(/^/gm, "1. ")],
    ["one word beside all of them", linesOf((asked) => `${asked}: open`)],
    [
      "a different word beside each",
      linesOf((asked) => `${asked}: ${sha(asked).slice(0, 5).replaceAll(/\d/g, "x")}`),
    ],
    [
      "two words in turn",
      labelled.map(({ asked }, i) => `${asked[0]}: ${["open", "shut"][i % 2]}`).join("\n"),
    ],
  ])("but not in %s", (_, text) => {
    const { plain, encoded } = heldIn({ text, isText: true }, labelled);
    expect([plain.size, encoded.size]).toEqual([0, 0]);
  });
});

const plants = labelled.map(
  ({ asked, answers }) => [/\d+/.exec(asked[0] ?? "")?.[0] ?? "", answers[0] ?? ""] as const,
);
const mixed = plants.toSorted(([one], [other]) => sha(one).localeCompare(sha(other)));

describe("codes beside a word that one case alone has", () => {
  it.each([
    ["a letter", mixed.map(([plant, label]) => `${plant} ${label.charAt(0)}`).join("\n"), 20],
    [
      "another word",
      JSON.stringify(
        Object.fromEntries(
          mixed.map(([plant, label]) => [plant, ["hall", "moss", "reed", "oak"][codeOf(label)]]),
        ),
      ),
      20,
    ],
    ["the same number for all", mixed.map(([plant]) => `${plant} 7`).join("\n"), 0],
    ["a number for each", mixed.map(([plant], i) => `${plant} ${i}`).join("\n"), 0],
    ["nothing", mixed.map(([plant]) => plant).join("\n"), 0],
    ["a page", readFileSync("docs/verdict.md", "utf8"), 0],
  ])("%s", (_, text, atLeast) => {
    const count = seekKeyed(labelled)(text);
    expect(atLeast === 0 ? count : count >= atLeast).toBe(atLeast === 0 ? 0 : true);
  });
});
