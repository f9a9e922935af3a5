import { kindOf, readField } from "../base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { RecordedResult, ToolResults } from "../model/models/candidate.ts";
import type { ToolResultsSpec, ToolResultTemplate } from "../model/definition/asked.ts";
import type { RowValues } from "./messages.ts";
import type { Complaint } from "./row-messages.ts";
import { parseTemplate, render, type Template } from "./template.ts";

/** All texts of recorded results as one template, to find the fields that they use. */
export function toolResultsTemplate(spec: ToolResultsSpec): Template {
  const texts = typeof spec === "string" ? [spec] : textsIn(Object.values(spec).flat());
  return parseTemplate(texts.join("\n"));
}

function textsIn(results: readonly ToolResultTemplate[]): readonly string[] {
  const texts = (value: Json): readonly string[] => {
    if (typeof value === "string") return [value];
    if (Array.isArray(value)) return value.flatMap(texts);
    return isJsonObject(value) ? Object.values(value).flatMap(texts) : [];
  };
  return results.flatMap((each) => [...texts(each.arguments ?? null), ...texts(each.output)]);
}

/** The results that tools return for a case. */
export function renderToolResults(
  spec: ToolResultsSpec,
  values: RowValues,
): ToolResults | Complaint {
  if (typeof spec !== "string") {
    const filled = (value: Json): Json => fillEvery(value, values);
    return Object.fromEntries(
      Object.entries(spec).map(([name, results]) => [
        name,
        results.map((each) => resultOf(each, filled)),
      ]),
    );
  }
  const field = spec.replaceAll(/^\{\{|\}\}$/g, "").trim();
  return readToolResults(readField(values.row, field) ?? null, field);
}

function resultOf(each: ToolResultTemplate, filled: (value: Json) => Json): RecordedResult {
  const output = filled(each.output);
  return {
    ...(each.arguments !== undefined && { arguments: filled(each.arguments) }),
    output: typeof output === "string" ? output : JSON.stringify(output),
    is_error: each.is_error,
  };
}

function fillEvery(value: Json, values: RowValues): Json {
  if (typeof value === "string")
    return value.includes("{{") ? render(parseTemplate(value), values) : value;
  if (Array.isArray(value)) return value.map((each) => fillEvery(each, values));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, fillEvery(each, values)]),
  );
}

/** A row's own results, in the manifest's form; if a row has none, no tool answers. */
function readToolResults(value: Json, field: string): ToolResults | Complaint {
  if (value === null) return {};
  if (!isJsonObject(value))
    return { complaint: `'${field}' is ${kindOf(value)}; results by the tool's name are needed` };
  const results: [string, readonly RecordedResult[]][] = [];
  for (const [name, given] of Object.entries(value)) {
    const read = readTemplates(given);
    if (read === undefined)
      return {
        complaint: `'${field}.${name}' is neither a text nor a list of {arguments, result} or {arguments, error}`,
      };
    results.push([name, read.map((each) => resultOf(each, (same) => same))]);
  }
  return Object.fromEntries(results);
}

/** A tool's results as manifests and rows write them: a text, or a list of objects; undefined: neither. */
function readTemplates(value: Json): readonly ToolResultTemplate[] | undefined {
  if (typeof value === "string") return [{ arguments: undefined, output: value, is_error: false }];
  if (!Array.isArray(value)) return undefined;
  const results = value.map((each: Json) => (isJsonObject(each) ? readTemplate(each) : undefined));
  const read = results.filter((each) => each !== undefined);
  return read.length === results.length ? read : undefined;
}

function readTemplate({
  arguments: given,
  result,
  error,
  ...rest
}: JsonObject): ToolResultTemplate | undefined {
  const output = result ?? error;
  const isWrong = output === undefined || (result !== undefined && error !== undefined);
  if (isWrong || Object.keys(rest).length > 0) return undefined;
  if (given !== undefined && !isJsonObject(given)) return undefined;
  return { arguments: given, output, is_error: error !== undefined };
}
