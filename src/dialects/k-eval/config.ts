import { ownValue } from "../../model/own-value.ts";
import { nearest } from "../../base/nearest.ts";
import {
  at,
  fieldsOf,
  isPresent,
  keyPlaceOf,
  objectOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { type Problem, problem } from "../../model/refusal.ts";
import type { HiddenText } from "../../model/ports/secrets.ts";
import type { DialectTools } from "../dialect.ts";

/** A config file of k-eval that is being translated. */
export interface KEvalConfig {
  readonly root: Part;
  readonly tools: DialectTools;
  readonly refuse: (found: Problem) => undefined;
  readonly warn: (found: Problem) => undefined;
  readonly hide: (found: HiddenText) => undefined;
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Refuses the file if variables are not set, and names all of them in one sentence, sorted. */
export function refuseMissing({ root, tools, refuse }: KEvalConfig): void {
  const names = variablesIn(root.value ?? null).filter(
    (name) => tools.environment[name] === undefined,
  );
  if (names.length > 0)
    refuse(
      problem("k_eval_variables_missing", { names: [...new Set(names)].toSorted() }, placeOf(root)),
    );
}

function variablesIn(value: Json): readonly string[] {
  if (typeof value === "string") return [...value.matchAll(variable)].map(([, name = ""]) => name);
  if (Array.isArray(value)) return value.flatMap(variablesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(variablesIn) : [];
}

/**
 * Replaces the variables of a text once; values are not searched for further variables. The result must never be shown.
 */
export function withValues(text: string, { tools }: KEvalConfig): string {
  return text.replaceAll(variable, (whole, name: string) => tools.environment[name] ?? whole);
}

/**
 * Replaces variables by our templates, which are filled in when an agent starts: the values are not part of the suite.
 */
export function withNames(text: string): string {
  return text.replaceAll(variable, (_, name: string) => `{{env.${name}}}`);
}

/** The variables of a text, which are shown in place of their values. */
export function shownFor(text: string): string {
  return variablesIn(text)
    .map((name) => `\${${name}}`)
    .join("");
}

/**
 * Hides the values of a text's variables wherever they would be shown. It is for texts that the manifest needs by
 * value.
 */
export function hideValues(text: string, config: KEvalConfig): void {
  for (const name of new Set(variablesIn(text)))
    config.hide({ text: config.tools.environment[name] ?? "", shown: `\${${name}}` });
}

/** The text under a required key, with its variables replaced. */
export function requiredText(part: Part, key: string, config: KEvalConfig): string | undefined {
  const found = at(part, key);
  // A variable may be set but empty.
  const text = typeof found.value === "string" ? withValues(found.value, config) : "";
  return text !== "" ? text : complain(found, "a text that is not empty", config);
}

/** The text under a required key, with the names of its variables. */
export function requiredWithNames(
  part: Part,
  key: string,
  config: KEvalConfig,
): string | undefined {
  const text = requiredText(part, key, config);
  return text === undefined ? undefined : withNames(textOf(at(part, key)) ?? "");
}

interface Bounds {
  readonly least: number;
  readonly whole: boolean;
}

/**
 * A number, which may also be written in quotes or come from a variable. undefined if it is missing or no number, which
 * is refused.
 */
export function neededNumber(
  part: Part,
  key: string,
  { bounds: { least, whole }, config }: { readonly bounds: Bounds; readonly config: KEvalConfig },
): number | undefined {
  const found = at(part, key);
  const { value } = found;
  const text = typeof value === "string" ? withValues(value, config).trim() : "";
  const number = text === "" ? value : Number(text);
  const fits =
    typeof number === "number" && number >= least && (!whole || Number.isSafeInteger(number));
  if (fits && Number.isFinite(number)) return number;
  return complain(found, `${whole ? "a whole number" : "a number"} of at least ${least}`, config);
}

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  off: false,
  "0": false,
};

/** A truth value; a missing one is false. */
export function flag(part: Part, key: string, config: KEvalConfig): boolean {
  const found = at(part, key);
  if (!isPresent(found)) return false;
  const { value } = found;
  const word =
    typeof value === "string" ? withValues(value, config) : JSON.stringify(value ?? null);
  return ownValue(truths, word.toLowerCase()) ?? complain(found, "true or false", config) ?? false;
}

/** Refuses a part, and says what is expected there. */
export function complain(part: Part, expected: string, { refuse }: KEvalConfig): undefined {
  const place = isPresent(part) ? placeOf(part) : keyPlaceOf(part);
  return refuse(problem("k_eval_value", { key: keyOf(part), expected }, place));
}

/** A required mapping; unknown keys are reported. */
export function mapping(part: Part, known: readonly string[], config: KEvalConfig): Part {
  if (objectOf(part) === undefined) complain(part, "a mapping", config);
  for (const [key, field] of fieldsOf(part)) {
    if (known.includes(key)) continue;
    const found = { key: keyOf(field), suggestion: nearest(key, known) };
    config.warn(problem("k_eval_key_unknown", found, keyPlaceOf(field)));
  }
  return part;
}

function keyOf({ path }: Part): string {
  return path.join(".");
}
