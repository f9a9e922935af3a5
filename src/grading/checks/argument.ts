import { ownValue } from "../../model/own-value.ts";
import {
  canonicalJson,
  isJsonObject,
  type Json,
  jsonIn,
  type JsonObject,
} from "../../model/json.ts";
import { compilePattern } from "../re2.ts";
import { limitIn } from "./options.ts";
import { openSchema } from "./schema-match.ts";

/** Whether the arguments of a call fit. */
export type ArgumentMatch = (given: JsonObject) => boolean;

type Matches = (value: Json) => boolean;
type Made<T> = T | { readonly fault: string };

/** Exactly one of `equals`, `regex`, `contains`, `range` and `json_schema`, of one argument; a call without it does not fit. */
export function openMatcher(name: string, matcher: Json, where: string): Made<ArgumentMatch> {
  const [key, ...others] = isJsonObject(matcher) ? Object.keys(matcher) : [];
  if (!isJsonObject(matcher) || key === undefined || others.length > 0)
    return { fault: `${where}: exactly one of ${Object.keys(kinds).join(", ")}` };
  const kind = ownValue(kinds, key);
  const made = kind?.(matcher[key] ?? null);
  if (made === undefined)
    return { fault: `${where}: ${key} is none of ${Object.keys(kinds).join(", ")}` };
  if ("fault" in made) return { fault: `${where}.${key}: ${made.fault}` };
  return (given) => {
    const value = ownValue(given, name);
    return value !== undefined && made(plain(value));
  };
}

const kinds: Readonly<Record<string, (wanted: Json) => Made<Matches>>> = {
  equals: (wanted) => {
    const text = canonicalJson(wanted);
    return (value) => canonicalJson(value) === text;
  },
  regex: (wanted) => {
    if (typeof wanted !== "string" || wanted === "") return { fault: "a pattern is missing" };
    const compiled = compilePattern(wanted);
    return "fault" in compiled ? compiled : (value) => compiled.matches(written(value));
  },
  contains: (wanted) => {
    if (typeof wanted !== "string" || wanted === "")
      return { fault: "a text that is not empty is expected" };
    return (value) => written(value).includes(wanted);
  },
  range: rangeMatcher,
  json_schema: (wanted) =>
    isJsonObject(wanted) && Object.keys(wanted).length > 0
      ? openSchema(wanted)
      : { fault: "a JSON Schema with a key at least is expected" },
};

function rangeMatcher(wanted: Json): Made<Matches> {
  if (!isJsonObject(wanted)) return { fault: "an object with gte, gt, lte or lt is expected" };
  const { gte, gt, lte, lt, ...unknown } = wanted;
  const bounds = [gte, gt, lte, lt].filter((each) => each !== undefined);
  if (bounds.length === 0 || Object.keys(unknown).length > 0)
    return { fault: "give it gte, gt, lte or lt, and no other key" };
  if (bounds.some((each) => typeof each !== "number")) return { fault: "a bound is no number" };
  const [least, above, most, below] = [gte, gt, lte, lt].map(limitIn);
  return (value) =>
    typeof value === "number" &&
    (least === undefined || value >= least) &&
    (above === undefined || value > above) &&
    (most === undefined || value <= most) &&
    (below === undefined || value < below);
}

/** Compares numbers by value: an agent in Python writes 42.0 where the file says 42. */
function plain(value: Json): Json {
  return jsonIn(JSON.stringify(value)) ?? null;
}

/** The text that patterns are applied to: JSON if the value is not a text. */
function written(value: Json): string {
  return typeof value === "string" ? value : canonicalJson(value);
}
