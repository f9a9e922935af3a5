import type { Extract, SearchRegex } from "../model/grading.ts";
import type { ExtractionSpec, RegexSpec } from "../model/definition/extraction.ts";
import { toolCallsOf, type Transcript } from "../model/models/transcript.ts";
import { openJson } from "./json.ts";
import { openLabelSet } from "./label-set.ts";
import { clean } from "./none.ts";
import { openLastNumber } from "./number.ts";
import { normalizeNewlines, stripOrNull, strip } from "./text.ts";

/**
 * Opens the extraction of an answer: it returns a stripped text, or null if nothing was found. The kinds for labels,
 * numbers and first lines read the answer after the clean-up of `none`, because a label or a number in a closed
 * `<think>` block, in a special token or on a fence's line is not the answer. The regexes read the whole answer, and
 * `json` finds the JSON in it. Each kind's own rules are in its file.
 */
export function openExtract(
  spec: ExtractionSpec,
  tools: { readonly searchRegex: SearchRegex },
): Extract {
  const read = openKind(spec, tools);
  if (spec.from !== "tool_calls") return read;
  return async (_, transcript = null) => {
    const text = callsText(transcript);
    // Our own JSON never contains special tokens of a model.
    if (spec.type === "none") return { kind: "extracted", text };
    if (text === null && spec.type !== "json") return { kind: "extracted", text };
    return read(text ?? "", transcript);
  };
}

/** The tool calls as JSON, a list of {name, arguments}; null if there are none. */
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
      return fromCleaned(openLastNumber(spec.decimal));
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

/**
 * Searches the whole answer by Python's `re`. Only its newlines are normalised, because a pattern may want to match
 * `<think>` or a fence. The match is stripped. A search that times out says nothing about the answer, so the sample is
 * ungraded.
 */
function openRegex(regex: RegexSpec, search: SearchRegex): Extract {
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

/**
 * The first `lines` lines of `text` that contain more than white space, each stripped, joined by LF; fewer if there are
 * fewer, null if there is none.
 */
function takeFirst(text: string, lines: number): string | null {
  const found: string[] = [];
  let start = 0;
  while (found.length < lines && start <= text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = strip(text.slice(start, end));
    if (line !== "") found.push(line);
    start = end + 1;
  }
  return found.length === 0 ? null : found.join("\n");
}
