import { expect, it } from "vitest";
import { countContained } from "../../../../src/suite/policy/answers/contained-words.ts";

const labels = Array.from({ length: 60 }, (_, i) => ((i * i + 3 * i) % 7 < 3 ? "pos" : "neg"));
const numbers = Array.from({ length: 60 }, (_, i) => String(i + 1));

it.each<
  readonly [string, readonly string[], (target: string, i: number) => string, number | undefined]
>([
  ["a path with the label", labels, (label, i) => `aclImdb/test/${label}/${i}_7.txt`, 60],
  ["an id that begins with it", labels, (label, i) => `${label}-${i}`, 60],
  ["a name with underscores", labels, (label, i) => `x_${label.toUpperCase()}_${i}`, 60],
  ["numbers in a path", numbers, (n, i) => `set/${n}/x${i}`, 60],
  ["nine of ten cases", labels, (label, i) => (i < 55 ? `${label}-${i}` : "none"), 55],
  ["eight of ten cases", labels, (label, i) => (i < 48 ? `${label}-${i}` : "none"), undefined],
  ["both labels in each", labels, () => "pos or neg", undefined],
  ["a part of another word", labels, (label) => `${label}ition`, undefined],
  ["all numbers in each", numbers, () => numbers.join(" "), undefined],
  ["a field beside it", labels, (_, i) => `p${i}`, undefined],
  ["one answer to all", labels.map(() => "pos"), (label) => `${label}!`, undefined],
  ["a passage with the answer", numbers, (n) => `There were ${n} of them in the park.`, 60],
])("a field that contains the target: %s", (...[, targets, valueOf, own]) => {
  const found = countContained(targets.map((target, i) => ({ target, value: valueOf(target, i) })));
  expect(found).toEqual(own === undefined ? undefined : { own, cases: 60 });
});
