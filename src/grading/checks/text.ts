import { ownValue } from "../../model/own-value.ts";
import type { JsonObject } from "../../model/json.ts";
import type { GraderSample } from "../../model/outcomes/sample.ts";
import { compilePattern } from "../re2.ts";
import { type CheckOpened, shareOf } from "./checked.ts";
import { textOption, textsIn } from "./options.ts";

/** One thing that a text must have, or must not have. */
interface Part {
  readonly holds: (text: string, lower: string) => boolean;
  readonly failure: string;
}

/** Checks words and patterns that an answer must or must not have; the score is the share that holds. */
export function openText(options: JsonObject): CheckOpened {
  const faults: string[] = [];
  const told = ownValue(wordings, textOption(options["words"]) ?? "text") ?? usual;
  const reading = { noun: told.noun, anyCase: options["ignore_case"] === true };
  const parts = lists.flatMap(({ key, make }) =>
    textsIn(options[key]).flatMap((each): readonly Part[] => {
      const made = make(each, reading);
      if ("holds" in made) return [made];
      faults.push(`${key}: ${JSON.stringify(each)} is no pattern of RE2: ${made.fault}`);
      return [];
    }),
  );
  const any = textsIn(options["contains_any"]);
  if (any.length > 0) parts.push(oneOf(any));
  if (faults.length > 0) return { fault: faults.join("; ") };
  if (parts.length === 0)
    return { fault: "it checks nothing: give it contains, regex_match or another of its lists" };
  const isWhole = options["answer"] === "whole";
  return {
    check: (sample) => {
      const text = textOf(sample, isWhole);
      const lower = lowerCase(text);
      const failures = parts.flatMap(({ holds, failure }) => (holds(text, lower) ? [] : [failure]));
      return shareOf(parts.length, failures, { allHold: told.allHold });
    },
  };
}

/**
 * Converts each letter to lower case by itself, as Go does. JavaScript writes a sigma at the end of a word in another form, so
 * a word would not be found inside a longer one. It also turns İ into two characters.
 */
function lowerCase(text: string): string {
  return text.replaceAll("Σ", "σ").replaceAll("İ", "i").toLowerCase();
}

function textOf({ output_text, extracted_output }: GraderSample, isWhole: boolean): string {
  return isWhole ? output_text : (extracted_output ?? "");
}

interface Wording {
  /** Name of a required text. */
  readonly noun: string;
  readonly allHold: string;
}

const usual: Wording = { noun: "substring", allHold: "All text checks passed" };

/** Messages by grader type: older versions of other tools word the results of the same checks differently. */
const wordings: Readonly<Record<string, Wording>> = {
  text: usual,
  keyword: { noun: "keyword", allHold: "All keyword checks passed" },
  regex: { noun: "substring", allHold: "All patterns matched" },
};

interface Reading {
  readonly noun: string;
  /** Whether patterns match in any case of letters. */
  readonly anyCase: boolean;
}

interface List {
  readonly key: string;
  readonly make: (text: string, reading: Reading) => Part | { readonly fault: string };
}

const lists: readonly List[] = [
  {
    key: "contains",
    make: (word, { noun }) => {
      const low = lowerCase(word);
      return part((_, lower) => lower.includes(low), `Missing expected ${noun}: ${word}`);
    },
  },
  {
    key: "not_contains",
    make: (word, { noun }) => {
      const low = lowerCase(word);
      return part((_, lower) => !lower.includes(low), `Found forbidden ${noun}: ${word}`);
    },
  },
  {
    key: "contains_cs",
    make: (word) =>
      part((text) => text.includes(word), `Missing expected substring (case-sensitive): ${word}`),
  },
  {
    key: "not_contains_cs",
    make: (word) =>
      part((text) => !text.includes(word), `Found forbidden substring (case-sensitive): ${word}`),
  },
  {
    key: "regex_match",
    make: (pattern, { anyCase }) => patternPart(pattern, { isWanted: true, anyCase }),
  },
  {
    key: "regex_not_match",
    make: (pattern, { anyCase }) => patternPart(pattern, { isWanted: false, anyCase }),
  },
];

function part(holds: Part["holds"], failure: string): Part {
  return { holds, failure };
}

function patternPart(
  pattern: string,
  { isWanted, anyCase }: { readonly isWanted: boolean; readonly anyCase: boolean },
): Part | { readonly fault: string } {
  const compiled = compilePattern(anyCase ? `(?i)${pattern}` : pattern);
  if ("fault" in compiled) return compiled;
  const failure = `${isWanted ? "Missing expected" : "Found forbidden"} pattern: ${pattern}`;
  return part((text) => compiled.matches(text) === isWanted, failure);
}

function oneOf(words: readonly string[]): Part {
  const low = words.map(lowerCase);
  return part(
    (_, lower) => low.some((word) => lower.includes(word)),
    `Missing any of the expected substrings: ${words.join(", ")}`,
  );
}
