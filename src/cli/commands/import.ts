import type { Command } from "commander";
import { basename, dirname, join, resolve } from "node:path";
import { parseJsonText } from "../../base/json-text.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { manifestText, readExport, type ExportedSuite } from "../../manifest/imported.ts";
import { nameFromFile } from "../../manifest/resolve.ts";
import { importForeign } from "../../analyse/import-foreign.ts";
import { importRun } from "../../analyse/import.ts";
import { modelsIn, readHostedSamples } from "../../analyse/hosted-samples.ts";
import type { Tools } from "../../tools.ts";
import { escapeLog } from "../../report/escape.ts";
import { counted } from "../../report/words/figures.ts";
import { openFirstSuiteTools } from "../../wiring.ts";
import { toolsToRead, type Chosen, type CliContext } from "../context.ts";
import { collectPairs, pythonOption } from "../options.ts";

interface ImportFlags {
  readonly python: string;
  readonly suite: string;
  /** The run's samples; undefined: only a manifest is written. */
  readonly samples: string | undefined;
  /** Path of the manifest to write. */
  readonly out: string | undefined;
  /** Path of the run directory to write. */
  readonly run: string | undefined;
  /** Paths by file id, relative to the manifest. */
  readonly file: Readonly<Record<string, string>>;
}

/** Declares `regrade import`. */
export function declareImport(program: Command, chosen: Chosen): void {
  program
    .command("import")
    .description(
      "write a manifest of another tool's suite; or a manifest, and a run that serves as a baseline, of what the hosted product exported",
    )
    .argument(
      "<suite>",
      "a suite of waza, k-eval or SyGra, or a suite version of the hosted product as JSON",
    )
    .option("--samples <file>", "the samples of one of its runs, as JSON lines")
    .option(
      "--file <id=path>",
      "where an uploaded file is in this repository, relative to the manifest (repeatable)",
      collectPairs,
      {},
    )
    .option(
      "-o, --out <file>",
      "the manifest to write (default: <name>.json; of another tool's suite regrade.yaml beside it)",
    )
    .option("--run <dir>", "the run directory to write (default: runs/<name> beside the manifest)")
    .addOption(pythonOption())
    .addHelpText(
      "after",
      `
Examples:
  regrade import version.json --file file_dataset123=data/qa.jsonl --file file_grader123=graders/qa.py
  regrade import tasks/eval/topics/graph_config.yaml --out evals/suite.yaml
  regrade import version.json --samples samples.jsonl --out evals/qa.json --file file_dataset123=qa.jsonl
`,
    )
    .action((suite: string, flags: Omit<ImportFlags, "suite">) =>
      chosen((context) => importSuite({ suite, ...flags }, context)),
    );
}

/** Writes a manifest and a run directory from an export of the hosted product. Throws a Refusal if it can't be read. */
async function importSuite(asked: ImportFlags, context: CliContext): Promise<0> {
  const { workingDirectory, screen, program } = context;
  const tools = toolsToRead(context, asked.python);
  const { createFiles } = openFirstSuiteTools();
  const say = (text: string): void => screen.say(`${escapeLog(text)}\n`);
  const absolute = (path: string): string => resolve(workingDirectory, path);
  const text = await tools.files.readText(absolute(asked.suite));
  if (await writeForeign({ asked, text, say, absolute, program }, tools)) return 0;
  const exported = readSuite(asked.suite, text);
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
  const written = manifestText(exported, { name, files: asked.file, models });
  await createFiles([{ absolute: absolute(manifest), text: written }]);
  say(`Wrote ${manifest}.`);
  if (samples.length === 0) {
    say(
      `It names no candidates: add what is to be judged under \`candidates\`, or run it with a model: ${program} run ${manifest} --model openai:gpt-5.4-mini`,
    );
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
  say(`Compare with it: ${program} run ${manifest} --baseline ${out}`);
  return 0;
}

interface ForeignImport {
  readonly asked: ImportFlags;
  readonly text: string;
  readonly say: (text: string) => void;
  readonly absolute: (path: string) => string;
  readonly program: string;
}

/** Writes another tool's suite as a manifest; returns false if the text is no such suite. */
async function writeForeign(
  { asked, text, say, absolute, program }: ForeignImport,
  tools: Tools,
): Promise<boolean> {
  const manifest = asked.out ?? join(dirname(asked.suite), "regrade.yaml");
  const source = { text, path: asked.suite, absolute: absolute(asked.suite) };
  const found = await importForeign(source, absolute(manifest), tools);
  if (found === undefined) return false;
  if (asked.samples !== undefined)
    throw new Refusal(problem("import_samples_foreign", { path: asked.suite }));
  if ((await tools.files.inspectPath(absolute(manifest))).kind !== "missing")
    throw new Refusal(problem("import_exists", { path: manifest }));
  const { createFiles } = openFirstSuiteTools();
  await createFiles([{ absolute: absolute(manifest), text: found.text }]);
  for (const { message } of found.warnings) say(message);
  say(`Wrote ${manifest}. Run it: ${program} run ${manifest}`);
  return true;
}

function readSuite(suite: string, text: string): ExportedSuite {
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
