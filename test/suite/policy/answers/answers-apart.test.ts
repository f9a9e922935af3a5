import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AskedCase } from "../../../../src/suite/policy/answers/held-answers.ts";
import { seekChosen } from "../../../../src/suite/policy/answers/chosen-cases.ts";
import { seekGathered } from "../../../../src/suite/policy/answers/gathered-answers.ts";
import { seekOrder } from "../../../../src/suite/policy/answers/ordered-answers.ts";
import {
  hostsIn,
  newConstants,
  partsOfTable,
} from "../../../../src/suite/policy/programs/program-constants.ts";

/** A number that differs from place to place, and from run to run never. */
const drawn = (i: number, of: number): number =>
  createHash("sha256").update(String(i)).digest().readUInt32BE(0) % of;
const words = ["billing", "shipping", "refund"];
const labels = Array.from({ length: 40 }, (_, i) => words[drawn(i, 3)] ?? "");
const bits = Array.from({ length: 90 }, (_, i) => ["yes", "no"][drawn(i, 2)] ?? "");
const names = Array.from(
  { length: 30 },
  (_, i) => `Port ${"XKQRT".charAt(drawn(i, 5))}${drawn(i, 997)}`,
);
const numbers = Array.from({ length: 30 }, (_, i) => String(drawn(i, 99_991)));
const codeOf = (label: string): number => words.indexOf(label);
const json = (value: unknown): string => JSON.stringify(value);

describe("answers in the cases' order", () => {
  it.each([
    ["a list of labels", labels, `A = ${json(labels)}`],
    ["a line each", labels, labels.map((each) => `- ${each}`).join("\n")],
    ["numbered", labels, json(Object.fromEntries(labels.map((each, i) => [i, each])))],
    ["behind salted digests", labels, json(labels.map((each, i) => [`${i}f3${i}`, each]))],
    ["signs of one text", labels, `x = "${labels.map(codeOf).join("")}"`],
    ["codes", labels, json(labels.map((each) => codeOf(each) * 7 + 1))],
    [
      "words of another meaning",
      labels,
      json(labels.map((each) => ["sun", "moon", "star"][codeOf(each)])),
    ],
    ["the second half", labels, json(labels.slice(18))],
    ["yes and no", bits, json(bits.map((each) => each === "yes"))],
    ["names", names, `NAMES = ${json(names)}`],
    ["names, a line each", names, names.join("\n")],
    ["some of the names", names, json(names.slice(4, 20))],
    ["numbers", numbers, `[${numbers.join(", ")}]`],
    [
      "white space at the ends of lines",
      labels,
      labels.map((each) => `x${" ".repeat(codeOf(each))}`).join("\n"),
    ],
    [
      "white space before lines",
      labels,
      labels.map((each, i) => `${" ".repeat(codeOf(each))}step ${i}`).join("\n"),
    ],
    [
      "lengths of lines",
      bits,
      bits.map((each, i) => `${drawn(i, 9)}${each === "yes" ? "ab" : "a"}`).join("\n"),
    ],
    [
      "capitals",
      bits,
      bits
        .map((each) => (each === "yes" ? "River" : "river"))
        .join(" and then ")
        .replaceAll(" and then ", " 1 2 "),
    ],
    [
      "several words for each",
      bits,
      bits
        .map(
          (each, i) =>
            (each === "yes"
              ? ["please call", "look there", "check it"]
              : ["all is well", "nothing", "no one"])[drawn(i, 3)],
        )
        .join("\n"),
    ],
    [
      "ends of lines, beginning with the seventh case",
      bits,
      bits
        .slice(6)
        .map((each, i) => `${drawn(i, 999)} was seen${each === "yes" ? "." : "!"}`)
        .join("\n"),
    ],
  ])("are found: %s", (_, answers, text) => {
    expect(seekOrder(answers)(text)).toBe(true);
  });

  const others = Array.from({ length: 400 }, (_, i) => words[drawn(i + 999, 3)] ?? "");
  const ordered = Array.from({ length: 60 }, (_, i) => String(i + 1));
  const sorted = [
    "Aachen",
    "Bonn",
    "Chur",
    "Dover",
    "Essen",
    "Fulda",
    "Gent",
    "Hof",
    "Ins",
    "Jena",
    "Kiel",
  ];
  const code =
    "for i in range(3):\n    if x == 1 and y == 0:\n        return [0, 0, 1, 1, 0]\n".repeat(40);
  it.each([
    ["other labels", labels, json(others)],
    ["eight examples", labels, json(labels.slice(0, 8))],
    ["the names of the labels", labels, json(words)],
    ["labels that are sorted", labels.toSorted(), json(others.toSorted())],
    ["one label", labels.map(() => "billing"), json(labels.map(() => "billing"))],
    [
      "labels in turn",
      labels.map((_, i) => words[i % 3] ?? ""),
      json(others.map((_, i) => words[i % 3])),
    ],
    ["numbers one after another", ordered, ordered.join(", ")],
    ["an alphabetical list", sorted, json(sorted)],
    ["program code", bits, code],
    ["a page", bits, readFileSync("docs/verdict.md", "utf8")],
    ["a program", labels, readFileSync("src/suite/policy/answers/ordered-answers.ts", "utf8")],
    ["a table", bits, readFileSync("docs/messages.md", "utf8")],
    ["different words", names, json(others.map((each, i) => `${each}${i}`))],
    ["nothing", labels, ""],
    ["no answers", [], json(labels)],
  ])("are no chance: %s", (_, answers, text) => {
    expect(seekOrder(answers)(text)).toBe(false);
  });
});

describe("answers that are gathered", () => {
  const shuffled = names.toSorted((a, b) => (a.slice(-1) < b.slice(-1) ? -1 : 1));
  it.each([
    ["most of the names", names, json(shuffled.slice(0, 25)), "", 25],
    ["names that the base has, too", names, json(shuffled), json(names), 0],
    ["few of the names", names, json(shuffled.slice(0, 12)), "", 0],
    ["labels, as often as in the cases", labels, json(labels.toSorted()), "", 40],
    ["labels, in other numbers", labels, json(words), "", 0],
    [
      "small numbers",
      Array.from({ length: 60 }, (_, i) => String(i)),
      json(labels.map((_, i) => i)),
      "",
      0,
    ],
  ])("%s", (...row) => {
    const [, answers, text, before, found] = row;
    expect(seekGathered(answers, "")(text, before)).toBe(found);
  });
});

const natural =
  "about above after again because before below between could during each from further have having here itself more most myself once only other ourselves over same should some such than that their them then there these they this those through".split(
    " ",
  );

/** A word whose letters are moved by ten. */
function rotated(word: string): string {
  const codes = Array.from(word, (letter) => ((letter.charCodeAt(0) - 97 + 10) % 26) + 97);
  return String.fromCharCode(...codes);
}

describe("what nobody can read in a program", () => {
  const cases = 40;
  const noise = createHash("sha512").update("x").digest();
  const salted = labels.map(
    (_, i) => `"${createHash("md5").update(`s${i}`).digest("hex").slice(0, 6)}"`,
  );
  const hosts = hostsIn("https://api.example.com/v1");
  it.each([
    [
      "a table by salted digests",
      `D = {${salted.map((key, i) => `${key}: ${i % 3}`).join(", ")}}`,
      "",
      ["40 constants"],
    ],
    [
      "lists of numbers",
      `[${labels
        .slice(0, 20)
        .map((_, i) => i * 31)
        .join(",")}], [${labels
        .slice(20)
        .map((_, i) => i * 37)
        .join(",")}]`,
      "",
      ["40 constants"],
    ],
    [
      "salted digests, a line each",
      salted.map((each) => each.slice(1, -1)).join("\n"),
      "",
      ["40 constants"],
    ],
    [
      "salted digests of the cases of one answer",
      salted
        .slice(0, 24)
        .map((each) => each.slice(1, -1))
        .join(" apart "),
      "",
      ["digests"],
    ],
    ["colours", labels.map((_, i) => `"#${drawn(i, 0xffffff).toString(16)}"`).join(" "), "", []],
    ["numbers between commas", labels.map((_, i) => i * 31).join(", "), "", ["40 constants"]],
    [
      "a table of prices with names",
      labels.map((each, i) => `${each}, ${i}.99`).join("\n"),
      "",
      [],
    ],
    ["a list of different words", json(natural), "", []],
    [
      "lists of keywords",
      `K = {"a": ${json(natural.slice(0, 20))}, "b": ${json(natural.slice(20))}}`,
      "",
      [],
    ],
    [
      "names in turn",
      `E = {${natural.map((word, i) => `"${word}": ${100 + i}`).join(", ")}}`,
      "",
      [],
    ],
    [
      "names with a number for each case",
      `E = {${natural.map((word, i) => `"${word}": ${i % 3}`).join(", ")}}`,
      "",
      ["40 constants"],
    ],
    ["words that are repeated", json(natural.map((_, i) => natural[i % 3])), "", ["40 constants"]],
    ["words in a cipher", json(natural.map(rotated)), "", ["40 constants"]],
    ["an address of a provider", 'u = "https://api.openai.com/v1"', "", []],
    ["a table that was there", `[${salted.join(",")}]`, `[${salted.join(",")}]`, []],
    ["a few", "x = [1, 2, 3, 4, 5, 6]", "", []],
    ["noise in base64", `k = "${Buffer.from(noise).toString("base64")}"`, "", ["characters"]],
    ["a long number", `n = "${"9081726354".repeat(6)}"`, "", ["characters"]],
    ["a number that holds a digit for each case", "N = 8123904872360123987", "", ["characters"]],
    ["a number in hexadecimal", "N = 0x1f00a8c2b4e6d7f90n", "", ["characters"]],
    ["a time and a price", "T = 1764331200000; P = 12.990000000000000001", "", []],
    ["a digest", `"sha512-${noise.toString("hex")}"`, "", []],
    [
      "a text in base64",
      `k = "${Buffer.from("Answer in one word, please, and in the language of the question.").toString("base64")}"`,
      "",
      [],
    ],
    [
      "a pattern",
      'P = r"^(?P<a>[A-Za-z0-9._%+-]+)@(?P<b>[A-Za-z0-9.-]+)\\.(?P<c>[A-Za-z]{2,})$"',
      "",
      [],
    ],
    ["a path", '"/v1/projects/locations/endpoints/predict/streamGenerateContent1"', "", []],
    ["an address", 'u = "http://answers.example.org:81/t"', "", ["answers.example.org:81"]],
    ["an address of the base", 'u = "https://api.example.com/v2"', "", []],
  ])("%s", (...row) => {
    const [, text, before, said] = row;
    const found = newConstants(text, before, { cases, hosts });
    expect(found).toHaveLength(said.length);
    for (const [i, each] of said.entries()) expect(found[i]).toContain(each);
  });

  it.each([
    ["a table over three files", [20, 20, 20], 60, 3],
    ["half of one", [20, 10], 60, 0],
    ["beside a table that is told alone", [60, 20], 60, 0],
    ["a few lists of few cases", [6, 7, 8], 12, 0],
    ["what one file gains and another loses", [29, -40, 26], 60, 2],
  ] as const)("%s", (...row) => {
    const [, gains, all, parts] = row;
    const files = gains.map((gained) => ({ gained }));
    expect(partsOfTable(files, all)).toHaveLength(parts);
  });
});

const asked: readonly AskedCase[] = bits.slice(0, 60).map((answer, i) => {
  const question = `The ${["pump", "valve", "drill"][i % 3]} of plant ${i * 37 + 411} was late on ${names[i % 30]}`;
  return { asked: [question], prompt: `Urgent? ${question}`, answers: [answer] };
});
const questionsOf = (answer: string): readonly string[] =>
  asked.filter((each) => each.answers[0] === answer).flatMap((each) => each.asked);
const numbersOf = (answer: string): readonly string[] =>
  questionsOf(answer).map((each) => /plant (\d+)/.exec(each)?.[1] ?? "");
const dozen = asked.slice(0, 12).flatMap((each) => each.asked);

describe("cases of one answer", () => {
  it.each([
    ["listed", "questions", questionsOf("yes").join("\n")],
    [
      "listed in capitals in code",
      "questions",
      json(questionsOf("no").map((each) => each.toUpperCase())),
    ],
    [
      "listed behind those of the other answer",
      "questions",
      json({ x: questionsOf("yes"), y: questionsOf("no") }),
    ],
    [
      "known by a number that one case has",
      "words",
      `re.search("${numbersOf("yes").join("|")}", text)`,
    ],
    [
      "known by a number of nearly each",
      "words",
      numbersOf("no")
        .slice(3)
        .map((each) => `if "${each}" in text: pass`)
        .join("\n"),
    ],
  ])("are found: %s", (_, kind, text) => {
    expect(seekChosen(asked)(text, "")).toMatchObject({ kind });
  });

  it.each([
    ["all cases in their order", asked.flatMap((each) => each.asked).join("\n")],
    ["a dozen cases", dozen.join("\n")],
    ["their common words", "pump valve drill plant late"],
    ["numbers", Array.from({ length: 3000 }, (__, i) => i).join(" ")],
    ["eight of one answer", questionsOf("yes").slice(0, 8).join("\n")],
    ["a page", readFileSync("docs/verdict.md", "utf8")],
  ])("are not found in %s", (_, text) => {
    expect(seekChosen(asked)(text, "")).toEqual({ kind: "none" });
  });

  it("are not found in what was there before, and where no two cases have one answer", () => {
    const list = questionsOf("yes").join("\n");
    expect(seekChosen(asked)(`${list}\nmore`, list)).toEqual({ kind: "none" });
    const single = asked.map(({ prompt }, i) => ({
      asked: [prompt],
      prompt,
      answers: [String(i)],
    }));
    expect(seekChosen(single)(list, "")).toEqual({ kind: "none" });
  });
});
