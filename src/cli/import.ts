import { basename, dirname, join, resolve } from "node:path";
import { parseJsonText } from "../base/json-text.ts";
import { problem, Refusal } from "../model/refusal.ts";
import { manifestText, readExport } from "../manifest/imported.ts";
import type { ExportedSuite } from "../manifest/imported.ts";
import { nameFromFile } from "../manifest/resolve.ts";
import { importRun, modelsIn, readHostedSamples } from "../analyse/import.ts";
import type { Tools } from "../tools.ts";
import { escapeLog } from "../report/escape.ts";
import { counted } from "../report/figures.ts";
import type { FirstSuiteTools } from "../wiring.ts";
import type { Screen } from "./screen.ts";

/** What `regrade import` is asked. */
export interface ImportFlags {
  readonly suite: string;
  /** The run's samples; undefined: only the manifest is written. */
  readonly samples: string | undefined;
  /** Where the manifest goes. */
  readonly out: string | undefined;
  /** Where the run directory goes. */
  readonly run: string | undefined;
  /** Paths by file id, relative to the manifest. */
  readonly file: Readonly<Record<string, string>>;
}

interface ImportSurroundings {
  readonly tools: Tools;
  readonly screen: Pick<Screen, "say">;
  readonly createFiles: FirstSuiteTools["createFiles"];
  readonly workingDirectory: string;
}

/** Writes a manifest and a run directory of what the hosted product exported. Throws a Refusal for what can't be read. */
export async function importSuite(asked: ImportFlags, around: ImportSurroundings): Promise<0> {
  const { tools, workingDirectory } = around;
  const say = (text: string): void => around.screen.say(`${escapeLog(text)}\n`);
  const exported = await readSuite(asked, around);
  const lacking = exported.fileIds.filter((id) => asked.file[id] === undefined);
  if (lacking.length > 0) throw new Refusal(problem("import_files", { ids: lacking }));
  const absolute = (path: string): string => resolve(workingDirectory, path);
  const name = nameFromFile(exported.name ?? basename(asked.suite));
  const manifest = asked.out ?? `${name}.json`;
  const samples =
    asked.samples === undefined
      ? []
      : await readHostedSamples({ path: asked.samples, absolute: absolute(asked.samples) }, tools);
  if ((await tools.files.inspectPath(absolute(manifest))).kind !== "missing")
    throw new Refusal(problem("import_exists", { path: manifest }));
  const models = modelsIn(samples);
  const text = manifestText(exported, { name, files: asked.file, models });
  await around.createFiles([{ absolute: absolute(manifest), text }]);
  say(`Wrote ${manifest}.`);
  if (samples.length === 0) {
    say("It names no candidates yet: add what is to be judged under `candidates`.");
    return 0;
  }
  const out = asked.run ?? join(dirname(manifest), "runs", name);
  const { run, unknown } = await importRun({ manifest, out }, samples, tools);
  say(
    `Wrote the run ${out}: ${counted(run.request_counts.total, "sample")}, ${counted(models.length, "candidate")}.`,
  );
  if (unknown > 0)
    say(
      `${counted(unknown, "sample")} of it ${unknown === 1 ? "is" : "are"} of rows that the dataset does not have as they stand there: a comparison will call their cases missing.`,
    );
  say(`Compare with it: regrade run ${manifest} --baseline ${out}`);
  return 0;
}

async function readSuite(
  { suite }: ImportFlags,
  { tools, workingDirectory }: ImportSurroundings,
): Promise<ExportedSuite> {
  const text = await tools.files.readText(resolve(workingDirectory, suite));
  const parsed = parseJsonText(text);
  if (parsed.kind === "malformed")
    throw new Refusal(
      problem("manifest_syntax", { language: "JSON", reason: parsed.reason }, { file: suite }),
    );
  const found = readExport(parsed.value);
  if (found === undefined)
    throw new Refusal(problem("import_no_suite", undefined, { file: suite }));
  return found;
}
