import type { Run } from "../model/run.ts";
import { renderTerminal } from "../report/terminal.ts";
import type { FinishedRun } from "../runs.ts";
import type { Screen } from "./screen.ts";

/** How a finished run is told. */
export interface PrintFlags {
  readonly json: boolean;
  readonly quiet: boolean;
}

export function printFinished(
  { run, directory }: FinishedRun,
  { json, quiet }: PrintFlags,
  screen: Screen,
): void {
  screen.settle();
  if (json) screen.printJson(run);
  else if (!quiet) printTable(run, directory, screen);
}

export function printTable(run: Run, directory: string, screen: Screen): void {
  const { colour, width } = screen;
  screen.print(`${renderTerminal({ run, directory, colour, width })}\n`);
}
