import { valueText } from "../base/fields.ts";
import { readPointer } from "../base/json-pointer.ts";
import type { Extract } from "../model/grading.ts";
import type { Json } from "../model/json.ts";
import type { JsonSpec } from "../model/definition/extraction.ts";
import { readJson } from "./json-text.ts";
import { stripOrNull } from "./text.ts";

/**
 * Takes values out of an answer that is JSON, by pointers. A text is returned without its quotes, any other value as
 * JSON with the answer's own spelling of numbers. Nothing is found if the value is null or an empty text, if the
 * pointer leads nowhere, or if the answer is no JSON.
 */
export function openJson({ path, fields = {} }: JsonSpec): Extract {
  const pointers = Object.entries(fields);
  return async (outputText) => {
    const found = readJson(outputText);
    const at = (pointer: string): string | null => found && textAt(found.value, pointer);
    return {
      kind: "extracted",
      text: at(path),
      ...(pointers.length > 0 && {
        fields: Object.fromEntries(pointers.map(([name, pointer]) => [name, at(pointer)])),
      }),
      ...(found !== null && found.repairs.length > 0 && { repairs: found.repairs }),
    };
  };
}

function textAt(document: Json, pointer: string): string | null {
  return stripOrNull(valueText(readPointer(document, pointer)));
}
