import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from "../model/json.ts";

/** A call of one of a judge's functions. */
export interface JudgeCall {
  readonly name: string;
  readonly given: JsonObject;
}

/** A function that a judge may call. */
export function functionTool(
  name: string,
  description: string,
  parameters: JsonObject,
): JsonObject {
  return { type: "function", name, description, parameters, strict: false };
}

/** The calls in a response. Text that looks like a call is none. */
export function callsIn({ output }: JsonObject): readonly JudgeCall[] {
  const items = Array.isArray(output) ? output.filter(isJsonObject) : [];
  return items.flatMap(({ type, name, arguments: given }) =>
    type === "function_call" && typeof name === "string"
      ? [{ name, given: argumentsIn(given) }]
      : [],
  );
}

function argumentsIn(given: Json | undefined): JsonObject {
  if (isJsonObject(given)) return given;
  if (typeof given !== "string") return {};
  return jsonObjectIn(given) ?? {};
}
