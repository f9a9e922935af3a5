import { problem, Refusal } from "../model/refusal.ts";
import { renderJunit } from "../report/junit.ts";
import type { Tools } from "../tools.ts";

/** Writes runs into one file of JUnit XML, for tools that show tests. `directories`: where they are. */
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

/** Refuses a file that can't be written for want of a folder, before a run that it is to tell of costs anything. */
export async function checkExport(file: string, { files }: Tools): Promise<void> {
  const { absolute, directory } = await files.locate(file);
  const at = await files.inspectPath(absolute);
  const folder = await files.inspectPath(directory);
  if (at.kind === "directory") throw new Refusal(problem("export_directory", { file }));
  if (folder.kind !== "directory") throw new Refusal(problem("export_folder", { file }));
}
