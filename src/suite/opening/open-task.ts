import { agentProblems } from "./agent-tasks.ts";
import { selectCases, type CaseSelection } from "../../dataset/select.ts";
import type { Extract, Grader } from "../../model/grading.ts";
import type { Dataset } from "../../model/definition/dataset.ts";
import type { Place, Problem } from "../../model/refusal.ts";
import type { Fingerprint } from "../../model/outcomes/run.ts";
import type { Suite, Task } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { openExtract } from "../../extraction/extract.ts";
import type { RunModels } from "../../grading/bridge-models.ts";
import { fingerprintTask } from "../../manifest/fingerprint.ts";
import { rankOf } from "../../stats/inference/rank.ts";
import { openFormatChecks, type CheckFormat } from "./answer-format.ts";
import { openConversations, withContents, type Conversations } from "../prompts/conversations.ts";
import { dryCall } from "./dry-call.ts";
import { explodingPatterns } from "./exploding.ts";
import { openFewshot } from "../prompts/fewshot.ts";
import { unnamedModels } from "./model-helpers.ts";
import { openData, type DataFiles } from "./open-data.ts";
import { openTaskGrader, patternProblems } from "./open-grader.ts";
import type { PythonSoon } from "./python-soon.ts";
import {
  parseTemplates,
  passed,
  rendering,
  type Rendering,
  type Templates,
} from "../prompts/rendering.ts";
import { unmetByRows } from "./rule-rows.ts";
import { rowWarnings, taskWarnings } from "./task-warnings.ts";
import type { Tools } from "../../tools.ts";

/** An opened task with valid data, patterns and grader. */
export interface PreparedTask extends Rendering {
  readonly suite: string;
  readonly spec: Task;
  readonly fingerprint: Fingerprint;
  readonly dataset: Dataset;
  /** undefined for recorded results. */
  readonly files?: DataFiles;
  /** The selected cases of the data set, if not all. */
  readonly selection: CaseSelection | undefined;
  readonly grader: Grader;
  readonly extract: Extract;
  readonly checkFormat: CheckFormat;
  readonly warnings: readonly Problem[];
  readonly close: () => Promise<void>;
}

export interface TaskToOpen {
  readonly spec: Task;
  /** Index of the task in the suite's list. */
  readonly index: number;
  readonly resolved: {
    readonly suite: Pick<
      Suite,
      | "name"
      | "judge_model"
      | "embedding_model"
      | "gate"
      | "max_samples"
      | "only_cases"
      | "only_where"
    >;
    readonly place: (path: readonly (string | number)[]) => Place;
  };
  readonly python: PythonSoon;
  /** Limit in bytes up to which its data set is kept in memory. */
  readonly keptUpTo: number;
  readonly candidates: readonly CandidateSpec[];
  /** Models that graders may ask. */
  readonly models: RunModels;
  /** True if the suite is only checked, and nothing is run. */
  readonly checksOnly: boolean;
}

/** Opens a task, or returns all of its problems. */
export async function openTask(
  toOpen: TaskToOpen,
  tools: Tools,
): Promise<{ readonly task: PreparedTask } | { readonly problems: readonly Problem[] }> {
  const templates = parseTemplates(toOpen.spec);
  const opened = await openParts(toOpen, templates, tools);
  const { grading, data } = opened;
  const problems = problemsOf(opened, toOpen, templates);
  if (problems.length > 0 || !isOpened(opened)) {
    if ("grader" in grading) await grading.grader.close();
    if ("dataset" in data) await data.close();
    return { problems };
  }
  return { task: await preparedOf(toOpen, { templates, opened }, tools) };
}

/** All problems of a task, except those that earlier problems hide. */
function problemsOf(
  { data, grading, patterns, shown, asking }: OpenedParts,
  toOpen: TaskToOpen,
  templates: Templates,
): readonly Problem[] {
  const parts = [...new Set([data, asking, shown, grading])];
  return [
    ...parts.flatMap((part) => ("problems" in part ? part.problems : [])),
    ...patterns,
    ...toOpen.candidates.flatMap((each) => passed(each, toOpen.resolved, templates)),
    ...agentProblems(toOpen),
  ];
}

function isOpened(parts: OpenedParts): parts is WholeParts {
  const { data, grading, shown, asking } = parts;
  return [data, grading, shown, asking].every((part) => !("problems" in part));
}

async function preparedOf(
  toOpen: TaskToOpen,
  { templates, opened }: { readonly templates: Templates; readonly opened: WholeParts },
  tools: Tools,
): Promise<PreparedTask> {
  const { spec, python } = toOpen;
  const { data, grading, shown, asking } = opened;
  const { grader } = grading;
  const { fewshot } = shown;
  const { conversations } = asking;
  const { dataset, selection } = await selected(toOpen, asking.dataset);
  const formats = await openFormatChecks(toOpen, tools);
  const asked = rendering(toOpen, templates, { fewshot, conversations });
  const parts = {
    dataset: data.hash,
    origin: data.origin,
    images: conversations.imagesHash,
    preprocess: data.preprocess,
    examples: fewshot.examples,
    grader: grader.hash,
    models: toOpen.resolved.suite,
  };
  return {
    suite: toOpen.resolved.suite.name,
    spec,
    fingerprint: fingerprintTask(spec, parts, tools.files.hashText),
    dataset,
    files: data.files,
    selection,
    grader,
    extract: openExtract(spec.output_extraction, python),
    checkFormat: formats.check,
    ...asked,
    warnings: [
      ...data.warnings,
      ...grader.warnings,
      ...taskWarnings(toOpen, templates, dataset.fields),
      ...(await rowWarnings(toOpen, templates, dataset)),
      ...(await unmetByRows(toOpen, { dataset: asking.dataset, slicesOf: asked.slicesOf })),
      ...(await explodingPatterns(toOpen)),
      ...(await unnamedModels(toOpen, tools)),
      ...(await dryCall({ toOpen, grader, dataset, rendering: asked }, tools)),
      ...fewshot.warnings,
      ...formats.warnings,
    ],
    close: async () => {
      for (const each of [formats, grader, data]) await each.close();
    },
  };
}

/** Draws as many cases as the run wants. */
async function selected(
  { resolved: { suite } }: TaskToOpen,
  dataset: Dataset,
): ReturnType<typeof selectCases> {
  const most = suite.max_samples;
  if (most === undefined) return { dataset, selection: undefined };
  return selectCases(dataset, most, rankOf);
}

interface OpenedParts {
  readonly data: Awaited<ReturnType<typeof openData>>;
  readonly grading: Awaited<ReturnType<typeof openTaskGrader>>;
  readonly patterns: readonly Problem[];
  readonly shown: Awaited<ReturnType<typeof openExamples>>;
  readonly asking: Awaited<ReturnType<typeof openAsking>>;
}

type Whole<Part> = Exclude<Part, { readonly problems: readonly Problem[] }>;

type WholeParts = { readonly [Name in keyof OpenedParts]: Whole<OpenedParts[Name]> };

/** Opens a task's parts. If one throws (a server is down), the parts opened so far are closed. */
async function openParts(
  toOpen: TaskToOpen,
  { targetOnly }: Templates,
  tools: Tools,
): Promise<OpenedParts> {
  const [dataOpens, graderOpens] = [
    openData(toOpen, targetOnly, tools),
    openTaskGrader(toOpen, tools),
  ];
  try {
    const waited = [dataOpens, graderOpens, patternProblems(toOpen)] as const;
    const [data, grading, patterns] = await Promise.all(waited);
    const asking = "problems" in data ? data : await openAsking(toOpen, data.dataset, tools);
    const shown = "problems" in asking ? asking : await openExamples(toOpen, asking.dataset, tools);
    return { data, grading, patterns, shown, asking };
  } catch (error) {
    const grading = await graderOpens.catch(() => undefined);
    if (grading !== undefined && "grader" in grading) await grading.grader.close();
    const data = await dataOpens.catch(() => undefined);
    if (data !== undefined && "dataset" in data) await data.close();
    throw error;
  }
}

async function openAsking(
  { spec, index, resolved }: TaskToOpen,
  rows: Dataset,
  { files }: Tools,
): Promise<
  | { readonly conversations: Conversations; readonly dataset: Dataset }
  | { readonly problems: readonly Problem[] }
> {
  const place = resolved.place(["tasks", index, "dataset"]);
  const opened = await openConversations(spec, { cases: rows.cases(), place }, files);
  if ("problems" in opened) return opened;
  const { conversations } = opened;
  return { conversations, dataset: withContents(rows, conversations, files.hashText) };
}

/** A task's examples, from its own cases or from another data set, which is open only while they are chosen. */
function openExamples(
  toOpen: TaskToOpen,
  dataset: Dataset,
  tools: Tools,
): ReturnType<typeof openFewshot> {
  const { spec, index, resolved } = toOpen;
  return openFewshot({
    spec,
    dataset,
    openOther: (other) =>
      openData(
        { ...toOpen, spec: { ...spec, dataset: other }, dataAt: ["fewshot", "dataset"] },
        new Set(),
        tools,
      ),
    place: (...keys) => resolved.place(["tasks", index, ...keys]),
    files: tools.files,
  });
}
