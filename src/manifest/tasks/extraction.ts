import { problem } from "../../model/refusal.ts";
import type { DecimalMark, ExtractionSpec, JsonSpec } from "../../model/definition/extraction.ts";
import type { ManifestContext } from "../context.ts";
import {
  at,
  booleanOf,
  fieldsOf,
  itemsOf,
  numberOf,
  type Part,
  placeOf,
  textOf,
  textsOf,
} from "../../base/part.ts";
import { resolvePointer } from "../pointer.ts";

/** The extraction with its defaults; a bad pattern is found later, by Python's own `re`. */
export function resolveExtraction(
  part: Part,
  context: ManifestContext,
): ExtractionSpec | undefined {
  const spec = resolveKind(part, context);
  const isCalls = textOf(at(part, "from")) === "tool_calls";
  return spec && isCalls ? { ...spec, from: "tool_calls" } : spec;
}

function resolveKind(part: Part, context: ManifestContext): ExtractionSpec | undefined {
  if (part.value === undefined) return { type: "none" };
  const type = textOf(at(part, "type"));
  switch (type) {
    case "none":
      return { type };
    case "number":
      return { type, ...decimalOf(part) };
    case "take_first":
      return { type, lines: numberOf(at(part, "lines")) ?? 1 };
    case "regex":
    case "regex_last": {
      const group = at(part, "group");
      return {
        type,
        pattern: textOf(at(part, "pattern")) ?? "",
        group: numberOf(group) ?? textOf(group),
        flags: textOf(at(part, "flags")) ?? "",
      };
    }
    case "json":
      return resolveJson(part, context);
    case "label_set":
      return resolveLabels(part, context);
    case undefined:
    default:
      // The schema's check has reported the allowed values.
      return undefined;
  }
}

function decimalOf(part: Part): { readonly decimal?: DecimalMark } {
  const decimal = textOf(at(part, "decimal"));
  return decimal === "." || decimal === "," ? { decimal } : {};
}

function resolveJson(part: Part, context: ManifestContext): JsonSpec | undefined {
  const path = resolvePointer(at(part, "path"), context);
  const fields = fieldsOf(at(part, "fields")).flatMap(([name, field]) => {
    const pointer = resolvePointer(field, context);
    return pointer === undefined ? [] : [[name, pointer] as const];
  });
  if (path === undefined) return undefined;
  return {
    type: "json",
    path,
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
}

/** Labels become one regular expression, and V8 limits the size of these. */
const maxLabels = 5000;
const maxLabelCharacters = 1_000_000;

function resolveLabels(part: Part, context: ManifestContext): ExtractionSpec {
  const labels = at(part, "labels");
  const caseSensitive = booleanOf(at(part, "case_sensitive")) ?? false;
  const texts = textsOf(labels);
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (texts.length > maxLabels || characters > maxLabelCharacters) {
    const found = { maxLabels, maxCharacters: maxLabelCharacters };
    context.refuse(problem("labels_too_many", found, placeOf(labels)));
  }
  const seen = new Set<string>();
  for (const item of itemsOf(labels)) {
    const label = textOf(item);
    if (label === undefined) continue;
    const folded = caseSensitive ? label : label.toLowerCase();
    if (seen.has(folded)) context.refuse(problem("label_repeated", { label }, placeOf(item)));
    seen.add(folded);
  }
  return { type: "label_set", labels: texts, case_sensitive: caseSensitive };
}
