import type { Command } from "commander";
import { basename, dirname, join, resolve } from "node:path";
import { parseJsonText } from "../../base/json-text.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { manifestText, readExport } from "../../manifest/imported.ts";
import type { ExportedSuite } from "../../manifest/imported.ts";
import { nameFromFile } from "../../manifest/resolve.ts";
import { importRun, modelsIn, readHostedSamples } from "../../analyse/import.ts";
import type { Tools } from "../../tools.ts";
import { escapeLog } from "../../report/escape.ts";
import { counted } from "../../report/words/figures.ts";
import { openFirstSuiteTools } from "../../wiring.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";
import { collectPairs, pythonOption } from "../options.ts";

interface ImportFlags {
  readonly python: string;
  readonly suite: string;
  /** The run's samples; undefined: only the manifest is written. */
  readonly samples: string | undefined;
  /** Path of the manifest to write. */
  readonly out: string | undefined;
  /** Path of the run directory to write. */
  readonly run: string | undefined;
  /** Paths by file id, relative to the manifest. */
  readonly file: Readonly<Record<string, string>>;
}

/** `regrade import`. */
export function declareImport(program: Command, chosen: Chosen): void {
  program
    .command("import")
    .description(
      "write a manifest, and a run that serves as a baseline, of what the hosted product exported",
    )
    .argument("<suite>", "a suite version, as JSON")
    .option("--samples <file>", "the samples of one of its runs, as JSON lines")
    .option(
      "--file <id=path>",
      "where an uploaded file is in this repository, relative to the manifest (repeatable)",
      collectPairs,
      {},
    )
    .option("-o, --out <file>", "the manifest to write (default: <name>.json)")
    .option("--run <dir>", "the run directory to write (default: runs/<name> beside the manifest)")
    .addOption(pythonOption())
    .addHelpText(
      "after",
      `
Examples:
  regrade import version.json --file file_dataset123=data/qa.jsonl --file file_grader123=graders/qa.py
  regrade import version.json --samples samples.jsonl --out evals/qa.json --file file_dataset123=qa.jsonl
`,
    )
    .action((suite: string, flags: Omit<ImportFlags, "suite">) =>
      chosen((context) => importSuite({ suite, ...flags }, context)),
    );
}

/** Writes a manifest and a run directory of what the hosted product exported. Throws a Refusal for what can't be read. */
async function importSuite(asked: ImportFlags, context: CliContext): Promise<0> {
  const { workingDirectory, screen } = context;
  const tools = toolsToRead(context, asked.python);
  const { createFiles } = openFirstSuiteTools();
  const say = (text: string): void => screen.say(`${escapeLog(text)}\n`);
  const absolute = (path: string): string => resolve(workingDirectory, path);
  const exported = await readSuite(asked.suite, absolute(asked.suite), tools);
  const lacking = exported.fileIds.filter((id) => asked.file[id] === undefined);
  if (lacking.length > 0) throw new Refusal(problem("import_files", { ids: lacking }));
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
  await createFiles([{ absolute: absolute(manifest), text }]);
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
  suite: string,
  absolute: string,
  { files }: Tools,
): Promise<ExportedSuite> {
  const text = await files.readText(absolute);
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
