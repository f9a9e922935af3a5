import type { Extract, SearchRegex } from "../model/grading.ts";
import type { RegexSpec } from "../model/suite.ts";
import { normalizeNewlines, stripOrNull } from "./text.ts";

/**
 * Python's `re` on the whole answer, its newlines normalised and nothing else changed: a pattern may want
 * to see `<think>` or a fence. What is found is stripped.
 * A search that outlasts its timer says nothing about the answer: the sample is ungraded.
 */
export function openRegex(regex: RegexSpec, search: SearchRegex): Extract {
  return async (outputText) => {
    const result = await search(regex, normalizeNewlines(outputText));
    switch (result.kind) {
      case "found":
        return { kind: "extracted", text: stripOrNull(result.text) };
      case "no_match":
        return { kind: "extracted", text: null };
      case "timeout":
        return {
          kind: "ungraded",
          type: "regex_timeout",
          message: `the search for ${regex.pattern} in this answer took too long and was stopped; repeats inside repeats, as in (a+)+, or side by side, as in .*\\s*, do that`,
        };
    }
  };
}
