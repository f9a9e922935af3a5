import { expect, it } from "vitest";
import {
  weighAnswers,
  type FileHolding,
} from "../../../../src/suite/policy/answers/weigh-answers.ts";

const first = (count: number): ReadonlySet<number> => new Set(Array.from({ length: count }).keys());

function holding(path: string, plain: number, encoded = 0): FileHolding {
  return { path, held: { plain: first(plain), encoded: first(encoded) } };
}

const unnamed = new Set(["tests/a.py"]);

it.each<readonly [string, FileHolding, readonly string[], readonly string[]]>([
  ["an example is noted", holding("p.txt", 1), [], ["has the answer of a case"]],
  ["a few examples are noted", holding("p.txt", 6), [], ["has the answers of 6 cases"]],
  ["a table is told", holding("p.txt", 7), ["p.txt"], []],
  ["three encoded answers are told", holding("p.txt", 0, 3), ["p.txt"], []],
  ["a test may quote a few cases", holding("tests/a.py", 6), [], []],
  ["a test with many is noted", holding("tests/a.py", 60), [], ["quotes 60 cases"]],
  ["a test with encoded ones is told", holding("tests/a.py", 60, 3), ["tests/a.py"], []],
  ["a test that a program names is told", holding("tests/b.py", 60), ["tests/b.py"], []],
  ["a file without any is not", holding("p.txt", 0), [], []],
])("%s", (...[, file, told, notes]) => {
  const found = weighAnswers("task", { here: [file], joined: [], cases: 60, unnamed });
  expect(found.told.map(({ field }) => field)).toEqual(told);
  expect(found.notes).toHaveLength(notes.length);
  for (const [i, words] of notes.entries()) expect(found.notes[i]?.note).toContain(words);
});

it("examples of several files count together, and quotes of a test not with them", () => {
  const files = [holding("p.txt", 6), holding("tests/a.py", 60)];
  const {
    told,
    quoting,
    holding: all,
  } = weighAnswers("task", {
    here: files,
    joined: [],
    cases: 60,
    unnamed,
  });
  expect([told, quoting, all]).toEqual([[], ["tests/a.py"], ["p.txt", "tests/a.py"]]);
});
