import { overrideInputs } from "./override-inputs.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import { isSuiteName, resultFormats, type ResultsAsked } from "../../model/results.ts";

/** Functions that read inputs. */
interface InputReading {
  readonly read: (name: string) => string;
  readonly split: (text: string) => readonly string[];
  /** The default of the input `suite`. */
  readonly usualSuites: string;
}

/** Inputs that have a meaning only for results of another tool. */
const ofResults = ["format", "max-drop", "min", "metric", "name"];

/** Reads the inputs about results of another tool; `undefined` if none are named. */
export function readResultsInputs(reading: InputReading): {
  readonly value: ResultsAsked | undefined;
  readonly problems: readonly Problem[];
} {
  const { read, split } = reading;
  const paths = split(read("results"));
  if (paths.length === 0) {
    const alone = ofResults.filter(
      (name) => read(name) !== "" && !(name === "format" && read(name) === "auto"),
    );
    return {
      value: undefined,
      problems: alone.map((name) => problem("results_input_alone", { input: name })),
    };
  }
  const [format, maxDrop, min] = [
    readFormat(reading),
    readLimit(reading, "max-drop"),
    readLimit(reading, "min"),
  ];
  const name = read("name") || undefined;
  const problems = [
    ...idleInputs(reading).map((input) => problem("results_input_idle", { input })),
    ...format.problems,
    ...maxDrop.problems,
    ...min.problems,
    ...(name === undefined || isSuiteName(name)
      ? []
      : [problem("results_input_name", { found: name })]),
  ];
  return {
    value: {
      from: { paths, format: format.value, group: undefined, columns: {}, directed: [] },
      rules: {
        maxDrop: maxDrop.value,
        min: min.value,
        metrics: [...new Set(split(read("metric")))],
      },
      name,
    },
    problems,
  };
}

/** Inputs about running something that were given a value other than their default. */
function idleInputs({ read, usualSuites }: InputReading): readonly string[] {
  const usual: Readonly<Record<string, readonly string[]>> = {
    suite: ["", usualSuites],
    mode: ["", "run", "report"],
    shard: [""],
    "policy-from": ["", "auto", "none"],
    "changed-only": ["", "false"],
    python: [""],
    sandbox: ["", "auto"],
    cache: ["", "true"],
    ...Object.fromEntries(overrideInputs.map((name) => [name, [""]])),
  };
  return Object.entries(usual).flatMap(([name, values]) =>
    values.includes(read(name)) ? [] : [name],
  );
}

type Format = ResultsAsked["from"]["format"];

function readFormat({ read }: InputReading): {
  readonly value: Format;
  readonly problems: readonly Problem[];
} {
  const text = read("format") || "auto";
  const allowed = ["auto", ...resultFormats] as const;
  const value = allowed.find((format) => format === text);
  if (value !== undefined) return { value, problems: [] };
  const found = { input: "format", found: text, allowed };
  return { value: "auto", problems: [problem("input_unknown_word", found)] };
}

function readLimit(
  { read }: InputReading,
  name: "max-drop" | "min",
): { readonly value: number | undefined; readonly problems: readonly Problem[] } {
  const text = read(name);
  if (text === "") return { value: undefined, problems: [] };
  const value = Number(text);
  if (Number.isFinite(value) && (name === "min" || value >= 0)) return { value, problems: [] };
  return {
    value: undefined,
    problems: [problem("results_input_limit", { input: name, found: text })],
  };
}
