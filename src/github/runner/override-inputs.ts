import type { JsonObject } from "../../model/json.ts";
import { readConcurrency, readSetting, type Overrides } from "../../model/definition/overrides.ts";
import { problem, type Problem } from "../../model/refusal.ts";

/** Inputs whose values override the manifest's. */
export const overrideInputs = [
  "model",
  "judge-model",
  "embedding-model",
  "concurrency",
  "generation",
] as const;

/** Reads the inputs that override the manifest's values; `undefined` if there are none. */
export function readOverrideInputs({
  read,
  split,
}: {
  readonly read: (name: string) => string;
  readonly split: (text: string) => readonly string[];
}): {
  readonly value: Overrides | undefined;
  readonly problems: readonly Problem[];
} {
  const models = split(read("model"));
  const [judge, embedding] = [read("judge-model"), read("embedding-model")];
  const concurrency = readPlaces(read("concurrency"));
  const generation = readGeneration(read("generation"));
  const value: Overrides = {
    ...(models.length > 0 && { models }),
    ...(judge !== "" && { judge_model: judge }),
    ...(embedding !== "" && { embedding_model: embedding }),
    ...(concurrency.value !== undefined && { concurrency: concurrency.value }),
    ...(Object.keys(generation.value).length > 0 && { generation: generation.value }),
  };
  return {
    value: Object.keys(value).length === 0 ? undefined : value,
    problems: [...concurrency.problems, ...generation.problems],
  };
}

function readPlaces(found: string): {
  readonly value: Overrides["concurrency"];
  readonly problems: readonly Problem[];
} {
  const value = found === "" ? undefined : readConcurrency(found);
  const isWrong = found !== "" && value === undefined;
  const asked = { input: "concurrency", found, min: 1, max: 25, or: "auto" };
  return { value, problems: isWrong ? [problem("input_not_a_number", asked)] : [] };
}

/** Reads one setting from each line, because a value may contain commas. */
function readGeneration(text: string): {
  readonly value: JsonObject;
  readonly problems: readonly Problem[];
} {
  const lines = text.split("\n").map((line) => line.trim());
  const given = lines.filter((line) => line !== "");
  const read = given.map((line) => ({ line, setting: readSetting(line) }));
  return {
    value: Object.fromEntries(read.flatMap(({ setting }) => (setting ? [setting] : []))),
    problems: read
      .filter(({ setting }) => setting === undefined)
      .map(({ line }) => problem("input_not_a_setting", { input: "generation", found: line })),
  };
}
