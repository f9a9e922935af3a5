import { at } from "../../../base/part.ts";
import { textList } from "../eval.ts";
import { checking, configKeys, type ReadKind } from "./kind.ts";

const lists = [
  "contains",
  "not_contains",
  "contains_cs",
  "not_contains_cs",
  "regex_match",
  "regex_not_match",
];

/** Texts and patterns that the answer must or must not contain. */
export const textCheck: ReadKind = (entry, file) => {
  const config = configKeys(entry, lists, file);
  const own = lists.map((key) => [key, [...textList(at(config, key), file)]] as const);
  const options = { type: "text", answer: "whole", ...Object.fromEntries(own) };
  return checking(entry, { options, keys: lists }, file);
};

/** The first version ignores case, the second does not. */
export const regexCheck: ReadKind = (entry, file) => {
  const keys = ["must_match", "must_not_match"];
  const config = configKeys(entry, keys, file);
  const patterns = (key: string): readonly string[] => textList(at(config, key), file);
  const options = {
    type: "text",
    words: "regex",
    answer: "whole",
    ...(file.era === "E0" && { ignore_case: true }),
    regex_match: [...patterns("must_match")],
    regex_not_match: [...patterns("must_not_match")],
  };
  return checking(entry, { options, keys }, file);
};

/** Keywords that the answer must or must not contain. */
export const keywordCheck: ReadKind = (entry, file) => {
  const keys = ["must_contain", "keywords", "must_not_contain"];
  const config = configKeys(entry, keys, file);
  const words = (key: string): readonly string[] => textList(at(config, key), file);
  const options = {
    type: "text",
    words: "keyword",
    answer: "whole",
    contains: [...words("must_contain"), ...words("keywords")],
    not_contains: [...words("must_not_contain")],
  };
  return checking(entry, { options, keys }, file);
};
