import { type Command, InvalidArgumentError, Option } from "commander";
import { basename, join, relative, resolve, sep } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { datasetFields } from "../../suite/dataset-fields.ts";
import { openFirstSuiteTools, type FirstSuiteTools } from "../../wiring.ts";
import {
  guessTemplates,
  nameOf,
  readCandidate,
  readGrader,
  readName,
  readTemplate,
  starterGraders,
  type Read,
  type ReadCandidate,
} from "../init/answers.ts";
import { createPrompter, Aborted, type Prompter } from "../init/ask.ts";
import { closingMessage } from "../init/closing-message.ts";
import { planFiles, type Choices, type PlannedFile } from "../init/files.ts";
import { lookAround, type Home, type Surroundings } from "../init/surroundings.ts";
import type { Chosen, CliContext } from "../context.ts";

/** Flags of `init`. A flag that is undefined is asked for, or chosen by default. */
interface InitFlags {
  readonly yes: boolean;
  readonly name?: string;
  readonly candidate?: string;
  readonly dataset?: string;
  readonly prompt?: string;
  readonly target?: string;
  readonly grader?: string;
  readonly workflow: boolean;
  readonly action?: string;
}

/** Declares `regrade init`. */
export function declareInit(program: Command, chosen: Chosen): void {
  program
    .command("init")
    .description("write a first suite and a workflow; asks on a terminal, overwrites nothing")
    .argument("[dir]", "folder for the suite, usually the repository's root", ".")
    .option("-y, --yes", "ask nothing: flags and defaults decide", false)
    .option("--name <name>", "the suite's name (default: the folder's)")
    .option("--dataset <file>", "JSONL or CSV file (default: a small example is written)")
    .option("--prompt <template>", "what is asked, with fields of a row: 'Answer: {{question}}'")
    .option("--target <template>", "the right answer: '{{answer}}'")
    .option("--grader <name>", "exact_match, contains, numeric or token_f1")
    .option("--candidate <what>", "'command' for a program, or a model as provider:model")
    .addOption(actionOption())
    .option("--no-workflow", "write no workflow")
    .addHelpText(
      "after",
      `
Examples:
  regrade init                                             asks, and tells what it has written
  regrade init --yes && regrade run evals/*.yaml           an example that runs at once, offline
  regrade init --dataset data/qa.jsonl --candidate openai:gpt-5.4-mini
`,
    )
    .action((directory: string, flags: InitFlags) =>
      chosen((context) =>
        initSuite(directory, flags, { ...context, tools: openFirstSuiteTools() }),
      ),
    );
}

function actionOption(): Option {
  const description =
    "where the action is published, as owner/regrade@v1 (default: where Regrade itself was cloned from)";
  return new Option("--action <address>", description).argParser((value) => {
    if (/^[\w.-]+\/[\w./-]+@[\w./-]+$/.test(value)) return value;
    throw new InvalidArgumentError("Write it as `uses:` takes it: owner/regrade@v1.");
  });
}

/** The context, with tools for writing a first suite. */
interface InitContext extends CliContext {
  readonly tools: FirstSuiteTools;
}

const exampleData = "an example";

/** Writes a first suite, a workflow and a line of .gitignore. Nothing is overwritten. Returns the exit code. */
async function initSuite(
  directory: string,
  flags: InitFlags,
  context: InitContext,
): Promise<number> {
  const { screen, stop, workingDirectory, tools } = context;
  const home = await findHome(resolve(workingDirectory, directory), tools);
  const terminal =
    flags.yes || context.terminal === undefined
      ? undefined
      : { ...context.terminal, signal: stop.signal };
  const prompter = createPrompter(terminal);
  try {
    const around = await lookAround(home, context.env, tools);
    const { choices, candidate } = await choose({ flags, home, prompter, around }, context);
    const files = planFiles(choices);
    const { missing, kept } = await sortExisting(files, home, context);
    await tools.createFiles(missing.map((file) => ({ absolute: at(file, home), text: file.text })));
    const ignore = join(home.folder, ".gitignore");
    const ignored = await tools.addLine(ignore, ".regrade/", spellings);
    const named = (file: PlannedFile): string => shown(at(file, home), context);
    const written = missing.map((file) => [named(file), file.about] as const);
    const [suite] = files;
    screen.print(
      closingMessage({
        written: ignored
          ? [...written, [shown(ignore, context), "leaves runs out of git"]]
          : written,
        kept: kept.map(named),
        suite: suite === undefined ? "" : named(suite),
        program: context.program,
        candidate,
        choices,
        around,
        env: context.env,
      }),
    );
    return exitCodes.pass;
  } catch (error) {
    if (!(error instanceof Aborted)) throw error;
    screen.say("\nNothing was written.\n");
    return exitCodes.interrupted;
  } finally {
    prompter.close();
  }
}

/** Other spellings of the same entry in a .gitignore. */
const spellings = [".regrade", "/.regrade", "/.regrade/", "**/.regrade", "**/.regrade/"];

async function findHome(directory: string, tools: FirstSuiteTools): Promise<Home> {
  const { real } = await tools.inspectPath(directory);
  return { folder: real, root: (await tools.findRepository(real)) ?? real };
}

interface Choosing {
  readonly flags: InitFlags;
  readonly home: Home;
  readonly prompter: Prompter;
  readonly around: Surroundings;
}

async function choose(
  choosing: Choosing,
  context: InitContext,
): Promise<{ readonly choices: Choices; readonly candidate: ReadCandidate }> {
  const { flags, home, prompter, around } = choosing;
  const name = await prompter.settle({
    given: flags.name,
    text: "Name of the suite",
    byDefault: nameOf(basename(home.folder)),
    read: readName,
  });
  const dataset = await chooseDataset(choosing, context);
  const grader = await prompter.settle({
    given: flags.grader,
    text: `Grader (${starterGraders.join(", ")})`,
    byDefault: "exact_match",
    read: (answer) => readGrader(answer, dataset !== undefined),
  });
  const candidate = await prompter.settle({
    given: flags.candidate,
    text: "What is judged: 'command' for a program, or a model as provider:model",
    byDefault: "command",
    read: readCandidate,
  });
  const folder = withSlashes(relative(home.root, home.folder));
  const workflow =
    flags.workflow && around.workflow.kind === "write"
      ? { path: around.workflow.path, branch: around.branch, only: around.hasOtherFiles }
      : undefined;
  const { python, ownAction } = context.tools;
  const { schemaPath } = around;
  const action = flags.action ?? (await ownAction());
  const judged = candidate.kind === "command" ? { kind: candidate.kind, python } : candidate;
  const asked = { name, dataset, grader, candidate: judged };
  return { choices: { ...asked, folder, workflow, action, schemaPath }, candidate };
}

/** Refuses templates without a data set, because the example has its own templates. */
function withoutData({ prompt, target }: InitFlags): undefined {
  if (prompt === undefined && target === undefined) return undefined;
  const flag = prompt === undefined ? "--target" : "--prompt";
  throw new Refusal(problem("init_template_without_data", { flag }));
}

async function chooseDataset(
  { flags, home, prompter }: Choosing,
  context: InitContext,
): Promise<Choices["dataset"]> {
  const found = await prompter.settle({
    given: flags.dataset,
    text: "Data: a JSONL or CSV file of yours, or",
    byDefault: exampleData,
    read: (answer) => readDataset(answer, home, context),
  });
  if (found === undefined) return withoutData(flags);
  const { idField } = found;
  const guessed = guessTemplates(found.fields, idField);
  if (guessed.prompt === guessed.target && flags.prompt === undefined) {
    throw new Refusal(problem("init_one_field", { field: [...found.fields].join(", ") }));
  }
  const fields = [...found.fields].join(", ");
  const prompt = await prompter.settle({
    given: flags.prompt,
    text: `Prompt, with fields of a row (${fields})`,
    byDefault: guessed.prompt,
    read: (answer) => readTemplate(answer, "--prompt", found.fields),
  });
  const target = await prompter.settle({
    given: flags.target,
    text: "The right answer",
    byDefault: guessed.target,
    read: (answer) => readTemplate(answer, "--target", found.fields),
  });
  return { path: found.path, idField, prompt, target };
}

interface FoundDataset {
  readonly path: string;
  readonly fields: ReadonlySet<string>;
  readonly idField: string | undefined;
}

/** Reads the whole file, so that no suite is written for data that can't be read. */
async function readDataset(
  answer: string,
  { folder, root }: Home,
  { tools, workingDirectory }: InitContext,
): Promise<Read<FoundDataset | undefined>> {
  if (answer === exampleData) return { kind: "read", value: undefined };
  const { real } = await tools.inspectPath(resolve(workingDirectory, answer));
  if (relative(root, real).split(sep)[0] === "..") {
    return { kind: "wrong", problem: problem("init_dataset_outside", { path: answer, root }) };
  }
  const found = await datasetFields({ path: answer, absolute: real }, tools);
  if ("problems" in found) {
    const [first = problem("init_dataset_name", { path: answer })] = found.problems;
    return { kind: "wrong", problem: first };
  }
  const path = withSlashes(relative(join(folder, "evals"), real));
  return { kind: "read", value: { path, ...found } };
}

/**
 * Sorts out existing files. A file with the same content stays, so that a second `init` writes only what is missing;
 * all other existing files are refused at once.
 */
async function sortExisting(
  files: readonly PlannedFile[],
  home: Home,
  context: InitContext,
): Promise<{ readonly missing: readonly PlannedFile[]; readonly kept: readonly PlannedFile[] }> {
  const [missing, kept, problems]: [PlannedFile[], PlannedFile[], Problem[]] = [[], [], []];
  for (const file of files) {
    const path = at(file, home);
    const { kind } = await context.tools.inspectPath(path);
    if (kind === "missing") missing.push(file);
    else if (kind === "file" && (await hasText(path, file.text, context))) kept.push(file);
    else problems.push(problem("init_exists", { file: shown(path, context) }));
  }
  if (problems.length > 0) throw new Refusal(problems);
  return { missing, kept };
}

async function hasText(path: string, text: string, { tools }: InitContext): Promise<boolean> {
  return (await tools.readText(path).catch(() => "")) === text;
}

function at(file: PlannedFile, { root, folder }: Home): string {
  return join(file.inRoot === true ? root : folder, file.path);
}

function shown(absolute: string, { workingDirectory }: InitContext): string {
  return withSlashes(relative(workingDirectory, absolute));
}
