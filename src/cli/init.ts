import { basename, join, relative, resolve, sep } from "node:path";
import type { Secrets } from "../model/secrets.ts";
import { problem, Refusal } from "../model/refusal.ts";
import { exitCodes } from "../model/verdict.ts";
import { datasetFields } from "../suite/dataset-fields.ts";
import type { FirstSuiteTools } from "../wiring.ts";
import { azureEndpointEnv } from "../model/providers.ts";
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
} from "./init/answers.ts";
import { createAsker, Left, type Asker } from "./init/ask.ts";
import { planFiles, type Choices, type PlannedFile } from "./init/files.ts";
import type { InitFlags } from "./program.ts";
import type { Screen } from "./screen.ts";
import type { Stop } from "./stop.ts";

/** What `init` is given. */
export interface InitSurroundings {
  readonly screen: Screen;
  readonly stop: Stop;
  readonly secrets: Secrets;
  readonly workingDirectory: string;
  readonly tools: FirstSuiteTools;
  /** A terminal to ask on; undefined: flags and defaults decide. */
  readonly terminal:
    | { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream }
    | undefined;
}

/** Where the suite is to live. Absolute. */
interface Home {
  readonly folder: string;
  /** The repository around it, or the folder itself. */
  readonly root: string;
}

const exampleData = "an example";

/** Writes a first suite, a workflow and a line of .gitignore; nothing is overwritten. Returns the exit code. */
export async function initSuite(
  flags: InitFlags & { readonly directory: string },
  around: InitSurroundings,
): Promise<number> {
  const { screen, tools, stop } = around;
  const home = await findHome(resolve(around.workingDirectory, flags.directory), tools);
  const terminal =
    flags.yes || around.terminal === undefined
      ? undefined
      : { ...around.terminal, signal: stop.signal };
  const asker = createAsker(terminal);
  try {
    const { choices, candidate } = await choose({ flags, home, asker }, around);
    const files = planFiles(choices);
    await refuseExisting(files, home, around);
    await tools.createFiles(files.map((file) => ({ absolute: at(file, home), text: file.text })));
    const ignored = await tools.addLine(join(home.folder, ".gitignore"), ".regrade/", spellings);
    screen.print(farewell({ files, home, ignored, candidate }, around));
    return exitCodes.pass;
  } catch (error) {
    if (!(error instanceof Left)) throw error;
    screen.say("\nNothing was written.\n");
    return exitCodes.interrupted;
  } finally {
    asker.close();
  }
}

/** How else a .gitignore may say it. */
const spellings = [".regrade", "/.regrade", "/.regrade/", "**/.regrade", "**/.regrade/"];

async function findHome(directory: string, tools: FirstSuiteTools): Promise<Home> {
  const { real } = await tools.inspectPath(directory);
  return { folder: real, root: (await tools.findRepository(real)) ?? real };
}

interface Choosing {
  readonly flags: InitFlags;
  readonly home: Home;
  readonly asker: Asker;
}

async function choose(
  choosing: Choosing,
  around: InitSurroundings,
): Promise<{ readonly choices: Choices; readonly candidate: ReadCandidate }> {
  const { flags, home, asker } = choosing;
  const name = await asker.settle({
    given: flags.name,
    text: "Name of the suite",
    byDefault: nameOf(basename(home.folder)),
    read: readName,
  });
  const dataset = await chooseDataset(choosing, around);
  const grader = await asker.settle({
    given: flags.grader,
    text: `Grader (${starterGraders.join(", ")})`,
    byDefault: "exact_match",
    read: (answer) => readGrader(answer, dataset !== undefined),
  });
  const candidate = await asker.settle({
    given: flags.candidate,
    text: "What is judged: 'command' for a program, or a model as provider:model",
    byDefault: "command",
    read: readCandidate,
  });
  const folder = slashed(relative(home.root, home.folder));
  const workflow = flags.workflow ? { folder } : undefined;
  const { python } = around.tools;
  const judged = candidate.kind === "command" ? { kind: candidate.kind, python } : candidate;
  return { choices: { name, dataset, grader, candidate: judged, workflow }, candidate };
}

/** The example comes with its own templates. */
function withoutData({ prompt, target }: InitFlags): undefined {
  if (prompt === undefined && target === undefined) return undefined;
  const flag = prompt === undefined ? "--target" : "--prompt";
  throw new Refusal(problem("init_template_without_data", { flag }));
}

async function chooseDataset(
  { flags, home, asker }: Choosing,
  around: InitSurroundings,
): Promise<Choices["dataset"]> {
  const found = await asker.settle({
    given: flags.dataset,
    text: "Data: a JSONL or CSV file of yours, or",
    byDefault: exampleData,
    read: (answer) => readDataset(answer, home, around),
  });
  if (found === undefined) return withoutData(flags);
  const guessed = guessTemplates(found.fields);
  if (guessed.prompt === guessed.target && flags.prompt === undefined) {
    throw new Refusal(problem("init_one_field", { field: [...found.fields].join(", ") }));
  }
  const fields = [...found.fields].join(", ");
  const prompt = await asker.settle({
    given: flags.prompt,
    text: `Prompt, with fields of a row (${fields})`,
    byDefault: guessed.prompt,
    read: (answer) => readTemplate(answer, "--prompt", found.fields),
  });
  const target = await asker.settle({
    given: flags.target,
    text: "The right answer",
    byDefault: guessed.target,
    read: (answer) => readTemplate(answer, "--target", found.fields),
  });
  return { path: found.path, prompt, target };
}

interface FoundDataset {
  readonly path: string;
  readonly fields: ReadonlySet<string>;
}

/** Reads the whole file: a suite over data that can't be read would be no beginning. */
async function readDataset(
  answer: string,
  { folder, root }: Home,
  { tools, workingDirectory }: InitSurroundings,
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
  const path = slashed(relative(join(folder, "evals"), real));
  return { kind: "read", value: { path, fields: found.fields } };
}

/** All of them at once. */
async function refuseExisting(
  files: readonly PlannedFile[],
  home: Home,
  around: InitSurroundings,
): Promise<void> {
  const problems = [];
  for (const file of files) {
    const { kind } = await around.tools.inspectPath(at(file, home));
    if (kind !== "missing")
      problems.push(problem("init_exists", { file: shown(at(file, home), around) }));
  }
  if (problems.length > 0) throw new Refusal(problems);
}

function at(file: PlannedFile, { root, folder }: Home): string {
  return join(file.inRoot === true ? root : folder, file.path);
}

/** What was written, and what to do now. */
function farewell(
  done: {
    readonly files: readonly PlannedFile[];
    readonly home: Home;
    readonly ignored: boolean;
    readonly candidate: ReadCandidate;
  },
  around: InitSurroundings,
): string {
  const { files, home, ignored, candidate } = done;
  const written = files.map((file) => [shown(at(file, home), around), file.about] as const);
  const ignore = [
    shown(join(home.folder, ".gitignore"), around),
    "leaves runs out of git",
  ] as const;
  const lines = ignored ? [...written, ignore] : written;
  const width = Math.max(...lines.map(([path]) => path.length));
  const [suite = ""] = written[0] ?? [];
  return [
    "Written:",
    ...lines.map(([path, about]) => `  ${path.padEnd(width)}  ${about}`),
    "",
    ...needs(candidate),
    `Now: regrade run ${/\s/.test(suite) ? JSON.stringify(suite) : suite}`,
    "",
  ].join("\n");
}

function needs(candidate: ReadCandidate): readonly string[] {
  if (candidate.kind === "command") return [];
  const { model, keyEnv, ownAddress } = candidate;
  const address = ownAddress
    ? [
        `${model} needs your address: set ${azureEndpointEnv} here, and add it to the repository's variables.`,
      ]
    : [];
  if (keyEnv === undefined) return address;
  return [
    ...address,
    `${model} needs a key: set ${keyEnv} here, and add it to the repository's secrets`,
    "(Settings → Secrets and variables → Actions) under the same name.",
  ];
}

function shown(absolute: string, { workingDirectory }: InitSurroundings): string {
  return slashed(relative(workingDirectory, absolute));
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}
