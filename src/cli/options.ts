import { type Command, InvalidArgumentError, Option } from "commander";
import type { ToolOptions } from "../wiring.ts";

/** Flags for running graders. */
export interface GraderFlags {
  readonly sandbox: ToolOptions["sandbox"];
  readonly python: string;
}

export function sandboxOption(): Option {
  return new Option(
    "--sandbox <level>",
    "isolation of graders: as far as this machine allows (auto), full or graders do not run (required), none (off)",
  )
    .choices(["auto", "required", "off"])
    .default("auto");
}

export function pythonOption(): Option {
  return new Option("--python <path>", "interpreter for graders")
    .default("python3")
    .argParser(notEmpty);
}

export function strictOption(): Option {
  const description =
    "refuse warnings that almost surely mean a mistake: a field that no row has, a grader that returns a bool";
  return new Option("--strict", description).default(false);
}

function notEmpty(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("Name an interpreter.");
  return value;
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** Collects repeated `KEY=VALUE` options, with the limits of the manifest's `metadata`. */
export function collectPairs(
  value: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const at = value.indexOf("=");
  const [key, text] = [value.slice(0, Math.max(at, 0)), value.slice(at + 1)];
  if (key === "") throw new InvalidArgumentError("Write it as KEY=VALUE.");
  if (key.length > 64) throw new InvalidArgumentError("A key has at most 64 characters.");
  if (text.length > 512) throw new InvalidArgumentError("A value has at most 512 characters.");
  return { ...before, [key]: text };
}

/** The options that were given on the command line. */
export function givenIn(
  command: Command,
  options: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(options).flatMap(([key, flag]) =>
    command.getOptionValueSource(key) === "cli" ? [flag] : [],
  );
}

/** The option `--no-pager`, for commands that print long lists. */
export function noPagerOption(): Option {
  const description =
    "print at once what is longer than the terminal (default: it opens in $PAGER, else less; never where the output is piped)";
  return new Option("--no-pager", description);
}
