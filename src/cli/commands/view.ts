import type { Command } from "commander";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { escapeLog } from "../../report/escape.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";
import { latest } from "../latest.ts";
import { makePage } from "../page.ts";
import { openInBrowser } from "../../wiring.ts";

interface ViewFlags {
  /** False: only the path is printed. */
  readonly open: boolean;
}

/** Declares `regrade view`. */
export function declareView(program: Command, chosen: Chosen): void {
  program
    .command("view")
    .description(
      "open a run as a page in the browser: verdict, rules, and every case before and now",
    )
    .argument("[dir]", "run directory, a folder of them, or 'latest'", latest)
    .option("--no-open", "write the page and print its path, and open nothing")
    .addHelpText(
      "after",
      `
The page is one file, report.html in the run directory. It needs no server and no network, and can be sent to someone.

Examples:
  regrade view
  regrade view runs/today
  regrade view runs/today --no-open
`,
    )
    .action((directory: string, flags: ViewFlags) =>
      chosen((context) => view(directory, flags, context)),
    );
}

async function view(named: string, { open }: ViewFlags, context: CliContext): Promise<number> {
  const { screen, env, workingDirectory } = context;
  const file = await makePage(named, undefined, toolsToRead(context));
  const path = resolve(workingDirectory, file);
  screen.print(`${escapeLog(path)}\n`);
  if (!open) return exitCodes.pass;
  const opened = await openInBrowser(pathToFileURL(path).href, env);
  if (opened.kind === "none")
    screen.say(
      `${escapeLog(`No browser was opened: ${opened.reason}. Open the file yourself.`)}\n`,
    );
  return exitCodes.pass;
}
