import { exitCodes } from "../model/verdict.ts";
import { renderAgain } from "../analyse/compare.ts";
import { checkExport, exportJunit } from "../analyse/export.ts";
import type { Tools } from "../tools.ts";
import { escapeLog } from "../report/escape.ts";
import type { AskedOfRuns } from "./declare-runs.ts";
import type { Screen } from "./screen.ts";

type AskedToReport = Extract<AskedOfRuns, { command: "report" }>;

/** Renders a run again, for people and for other tools. */
export async function reportAgain(
  { directory, junit, json }: AskedToReport,
  tools: Tools,
  screen: Screen,
): Promise<number> {
  if (junit !== undefined) await checkExport(junit, tools);
  const summary = await renderAgain(directory, tools);
  if (junit !== undefined) await exportJunit([directory], junit, tools);
  if (json) screen.printJson((await tools.readRun(directory)).run);
  else screen.print(escapeLog(summary));
  return exitCodes.pass;
}
