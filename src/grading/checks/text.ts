import type { JsonObject } from "../../model/json.ts";
import type { GraderSample } from "../../model/sample.ts";
import { compilePattern } from "../re2.ts";
import { type CheckOpened, shareOf } from "./checked.ts";
import { textsIn } from "./options.ts";

/** One thing that a text must have, or must not have. */
interface Part {
  readonly holds: (text: string, lower: string) => boolean;
  readonly failure: string;
}

/** Words and patterns that an answer must have or must not have; the score is the share that holds. */
export function openText(options: JsonObject): CheckOpened {
  const faults: string[] = [];
  const parts = lists.flatMap(({ key, make }) =>
    textsIn(options[key]).flatMap((each): readonly Part[] => {
      const made = make(each);
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
      const lower = text.toLowerCase();
      const failures = parts.flatMap(({ holds, failure }) => (holds(text, lower) ? [] : [failure]));
      return shareOf(parts.length, failures, { allHold: "All text checks passed" });
    },
  };
}

function textOf({ output_text, extracted_output }: GraderSample, isWhole: boolean): string {
  return isWhole ? output_text : (extracted_output ?? "");
}

interface List {
  readonly key: string;
  readonly make: (text: string) => Part | { readonly fault: string };
}

const lists: readonly List[] = [
  {
    key: "contains",
    make: (word) => {
      const low = word.toLowerCase();
      return part((_, lower) => lower.includes(low), `Missing expected substring: ${word}`);
    },
  },
  {
    key: "not_contains",
    make: (word) => {
      const low = word.toLowerCase();
      return part((_, lower) => !lower.includes(low), `Found forbidden substring: ${word}`);
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
  { key: "regex_match", make: (pattern) => patternPart(pattern, true) },
  { key: "regex_not_match", make: (pattern) => patternPart(pattern, false) },
];

function part(holds: Part["holds"], failure: string): Part {
  return { holds, failure };
}

function patternPart(pattern: string, isWanted: boolean): Part | { readonly fault: string } {
  const compiled = compilePattern(pattern);
  if ("fault" in compiled) return compiled;
  const failure = `${isWanted ? "Missing expected" : "Found forbidden"} pattern: ${pattern}`;
  return part((text) => compiled.matches(text) === isWanted, failure);
}

function oneOf(words: readonly string[]): Part {
  const low = words.map((word) => word.toLowerCase());
  return part(
    (_, lower) => low.some((word) => lower.includes(word)),
    `Missing any of the expected substrings: ${words.join(", ")}`,
  );
}
