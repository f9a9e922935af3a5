import { type Command, InvalidArgumentError, Option } from "commander";
import { problem, Refusal } from "../model/refusal.ts";
import { isSuiteName, resultFormats, type ResultFormat } from "../model/results.ts";
import { collect, givenIn } from "./options.ts";

/** Flags that describe results of other tools. */
export interface ResultsFlags {
  /** Files, or globs of files; undefined: none are named. */
  readonly results: readonly string[] | undefined;
  readonly format: ResultFormat | "auto";
  readonly maxDrop: number | undefined;
  readonly min: number | undefined;
  readonly metric: readonly string[];
  readonly name: string | undefined;
}

/** Adds the options for results of other tools, which are judged without a manifest. */
export function withResults(command: Command): Command {
  return command
    .option(
      "--results <file...>",
      "judge what another tool recorded: files or globs, all parts of one run; no manifest is needed",
    )
    .addOption(
      new Option("--format <name>", "the tool that wrote the results")
        .choices(["auto", ...resultFormats])
        .default("auto"),
    )
    .option(
      "--max-drop <x>",
      "with results: the largest allowed drop, in the metric's unit",
      readDrop,
    )
    .option("--min <x>", "with results: the lowest allowed value", readNumber)
    .option(
      "--metric <id>",
      "with results: the metric to judge (repeatable; default: the main one of each task)",
      collect,
      [],
    )
    .option(
      "--name <name>",
      "with results: name of the suite (default: the tool's name, or the file's)",
      readName,
    );
}

/** The flags given that have a meaning only with results. */
export function resultsFlagsIn(command: Command): readonly string[] {
  return givenIn(command, {
    format: "--format",
    maxDrop: "--max-drop",
    min: "--min",
    metric: "--metric",
    name: "--name",
  });
}

/** Refuses combinations of flags that make no sense. */
export function checkResultsFlags({
  suites,
  results,
  idle,
}: ResultsFlags & {
  readonly suites: readonly string[];
  readonly idle: { readonly suites: readonly string[]; readonly results: readonly string[] };
}): void {
  if (results === undefined) {
    const problems = idle.results.map((flag) => problem("results_flag_alone", { flag }));
    if (suites.length === 0) problems.push(problem("results_nothing_named", undefined));
    if (problems.length > 0) throw new Refusal(problems);
    return;
  }
  const why = "nothing is run for them";
  const problems = idle.suites.map((flag) => problem("results_flag_idle", { flag, why }));
  if (suites.length > 0) problems.push(problem("results_and_suites", undefined));
  if (problems.length > 0) throw new Refusal(problems);
}

function readNumber(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("Write a number, as 0.8.");
}

function readDrop(value: string): number {
  const number = readNumber(value);
  if (number >= 0) return number;
  throw new InvalidArgumentError("Write how much is allowed, as 0.02: 0 or more.");
}

function readName(value: string): string {
  if (isSuiteName(value)) return value;
  throw new InvalidArgumentError(
    "Write letters, digits, dots, hyphens and underscores, 100 at most, a letter or digit first.",
  );
}
