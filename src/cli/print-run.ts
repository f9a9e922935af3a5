import { join } from "node:path";
import type { Run } from "../model/outcomes/run.ts";
import { escapeLogLine } from "../report/escape.ts";
import { shellWord } from "../report/shell-word.ts";
import { renderTerminal, type TerminalInput } from "../report/terminal/terminal.ts";
import type { FinishedRun } from "../run/finish.ts";
import type { CliContext } from "./context.ts";
import type { Screen } from "./screen.ts";

/** Flags for printing a finished run. */
export interface PrintFlags {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Prints a finished run: its table with the next commands, or run.json with `--json`. */
export function printFinished(
  { run, directory, texts }: FinishedRun,
  { json, quiet }: PrintFlags,
  { screen, program }: CliContext,
): void {
  screen.settle();
  if (json) screen.printJson(run);
  else if (!quiet) {
    printTable({ run, directory, ...texts }, screen);
    const next = nextCommands(run, texts, shownAs(run, directory)).map(
      ([command, about]) => `${escapeLogLine(`${program} ${command}`)}   ${about}`,
    );
    if (next.length > 0) screen.say(`Next: ${next.join("\n      ")}\n`);
  }
}

type Next = readonly [command: string, about: string];

/** Suggested commands, without the program's name, each with its purpose. */
function nextCommands(
  run: Run,
  { errors }: Pick<FinishedRun["texts"], "errors">,
  shown: string,
): readonly Next[] {
  const isRed = run.gate.verdict === "fail" || run.gate.verdict === "inconclusive";
  const shows: readonly Next[] = [
    [`show ${shown}`, "which cases, and one of them before and now"],
    [`view ${shown}`, "every case, in the browser"],
  ];
  const again: Next = [
    `rerun-failed ${shown}`,
    "asks again for what has no grade, and for nothing else",
  ];
  return [
    ...(isRed && hasCasesToShow(run) ? shows : []),
    ...(isAskedAgain(run) && !isOfRecordings(errors) ? [again] : []),
  ];
}

/** True if samples without a grade can be run again into the same run. */
function isAskedAgain({ status, cases, policy, shard, results, stands_in }: Run): boolean {
  const isWhole = [policy, shard, results, stands_in].every((part) => part === undefined);
  return status === "completed" && cases.ungraded > 0 && isWhole;
}

/** True if all that has no grade lacks a recording: no recording is made by asking again. */
function isOfRecordings(errors: FinishedRun["texts"]["errors"]): boolean {
  const open = errors.filter(({ fault }) => fault === "infra");
  return open.length > 0 && open.every(({ type }) => type === "no_recording");
}

function hasCasesToShow({ cases, gate }: Run): boolean {
  return cases.failed + cases.invalid > 0 || gate.rules.some(({ broke }) => (broke ?? 0) > 0);
}

/** The run's name in commands. A run in the default folder has just ended, so it is `latest`. */
function shownAs({ id }: Run, directory: string): string {
  const isOwn = directory.endsWith(join(".regrade", "runs", id));
  return isOwn ? "latest" : shellWord(directory);
}

/** Prints the table of a run. */
export function printTable(
  found: Pick<TerminalInput, "run" | "directory" | "broken" | "errors">,
  screen: Screen,
): void {
  const { colour, width } = screen;
  screen.print(`${renderTerminal({ ...found, colour, width })}\n`);
}
