import { join } from "node:path";
import { problem, Refusal } from "../model/refusal.ts";
import { atifFiles } from "../report/exports/atif.ts";
import { renderJunit } from "../report/exports/junit.ts";
import { kEvalFiles, kEvalScales } from "../report/exports/k-eval.ts";
import { sygraFiles } from "../report/exports/sygra.ts";
import { wazaFiles } from "../report/exports/waza.ts";
import type { Tools } from "../tools.ts";

/** Writes runs into one file of JUnit XML, for tools that display tests. `directories`: the run directories. */
export async function exportJunit(
  directories: readonly string[],
  file: string,
  tools: Tools,
): Promise<void> {
  const runs = await Promise.all(
    directories.map(async (directory) => {
      const { run } = await tools.readRun(directory);
      return { run, samples: () => tools.visitSamples(directory) };
    }),
  );
  await tools.writeText(file, renderJunit(runs));
}

/** The tools in whose formats a run can be written. */
export const exportedTools = ["sygra", "waza", "k-eval", "atif"] as const;
export type ExportedTool = (typeof exportedTools)[number];

const writers = {
  sygra: sygraFiles,
  waza: wazaFiles,
  "k-eval": kEvalFiles,
  atif: atifFiles,
} as const;

/** Writes a run into a folder, in the files of another tool; returns the names of the files. */
export async function exportAs(
  directory: string,
  { as, folder }: { readonly as: ExportedTool; readonly folder: string },
  tools: Tools,
): Promise<readonly string[]> {
  const { run } = await tools.readRun(directory);
  if (as === "k-eval") requireScales(run.metrics.map(({ metric }) => metric));
  const written: string[] = [];
  for await (const { name, pieces } of writers[as]({
    run,
    samples: () => tools.visitSamples(directory),
  })) {
    const file = join(folder, name);
    await tools.writeText(file, pieces);
    written.push(file);
  }
  return written;
}

function requireScales(metrics: readonly string[]): void {
  const missing = kEvalScales.filter((scale) => !metrics.includes(scale));
  if (missing.length > 0)
    throw new Refusal(problem("export_metrics_missing", { tool: "k-eval", missing }));
}

/** Refuses an output file whose folder is missing, before the run costs anything. */
export async function checkExport(file: string, { files }: Tools): Promise<void> {
  const { absolute, directory } = await files.locate(file);
  const at = await files.inspectPath(absolute);
  const folder = await files.inspectPath(directory);
  if (at.kind === "directory") throw new Refusal(problem("export_directory", { file }));
  if (folder.kind !== "directory") throw new Refusal(problem("export_folder", { file }));
}
