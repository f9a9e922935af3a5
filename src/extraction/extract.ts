import type { Extract, SearchRegex } from "../model/grading.ts";
import type { ExtractionSpec } from "../model/suite.ts";
import { toolCallsOf, type Transcript } from "../model/transcript.ts";
import { openJson } from "./json.ts";
import { openLabelSet } from "./label-set.ts";
import { clean } from "./none.ts";
import { lastNumber } from "./number.ts";
import { openRegex } from "./regex.ts";
import { takeFirst } from "./take-first.ts";

/**
 * Makes what turns an answer into the extracted output: a stripped text, or null where nothing was found.
 * The other kinds read the answer as `none` leaves it: a label, a number or a first line
 * that stands in a closed `<think>` block, in a special token or on the line of a fence isn't the answer.
 * The regexes read the whole answer, and `json` finds what is JSON in it. A kind's own rules stand in its file.
 */
export function openExtract(
  spec: ExtractionSpec,
  tools: { readonly searchRegex: SearchRegex },
): Extract {
  const read = openKind(spec, tools);
  if (spec.from !== "tool_calls") return read;
  return async (_, transcript = null) => {
    const text = callsText(transcript);
    // Marks of models stand in no JSON of ours.
    if (spec.type === "none") return { kind: "extracted", text };
    if (text === null && spec.type !== "json") return { kind: "extracted", text };
    return read(text ?? "", transcript);
  };
}

/** The calls of tools as JSON: a list of {name, arguments}; null where there are none. */
function callsText(transcript: Transcript | null): string | null {
  const calls = toolCallsOf(transcript);
  if (calls.length === 0) return null;
  const asked = calls.map(({ name, arguments: given, arguments_text: text }) =>
    text === undefined
      ? { name, arguments: given }
      : { name, arguments: given, arguments_text: text },
  );
  return JSON.stringify(asked);
}

function openKind(spec: ExtractionSpec, tools: { readonly searchRegex: SearchRegex }): Extract {
  switch (spec.type) {
    case "none":
      return fromCleaned((text) => text);
    case "take_first":
      return fromCleaned((text) => takeFirst(text, spec.lines));
    case "regex":
    case "regex_last":
      return openRegex(spec, tools.searchRegex);
    case "label_set":
      return fromCleaned(openLabelSet(spec));
    case "number":
      return fromCleaned(lastNumber);
    case "json":
      return openJson(spec);
  }
}

function fromCleaned(read: (text: string) => string | null): Extract {
  return async (outputText) => {
    const text = clean(outputText);
    return { kind: "extracted", text: text === null ? null : read(text) };
  };
}
