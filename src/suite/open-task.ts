import { fieldsOfHttp } from "../candidate/http.ts";
import { selectCases } from "../dataset/select.ts";
import type { CaseSelection } from "../dataset/select.ts";
import { clusterValue, sliceValues } from "../dataset/slices.ts";
import { firstPart } from "../base/fields.ts";
import { handedTo } from "../model/candidate-kinds.ts";
import type { JsonObject } from "../model/json.ts";
import type { Extract, Grader } from "../model/grading.ts";
import type { Dataset } from "../model/ports.ts";
import { problem } from "../model/refusal.ts";
import type { Place, Problem } from "../model/refusal.ts";
import type { Fingerprint } from "../model/run.ts";
import type { Case, GraderItem, Row, ScoreRow } from "../model/sample.ts";
import type { CandidateSpec, Suite, Task } from "../model/suite.ts";
import { openExtract } from "../extraction/extract.ts";
import type { RunModels } from "../grading/bridge-models.ts";
import { fingerprintTask } from "../manifest/fingerprint.ts";
import { rankOf } from "../stats/rank.ts";
import { createFieldPicker, passProblems } from "../prompt/fields.ts";
import { graderItem } from "../prompt/item.ts";
import { parseTemplate, render, targetOnlyFields } from "../prompt/template.ts";
import type { Template } from "../prompt/template.ts";
import { nearestField, targetShownWarnings, templateWarnings } from "../prompt/warnings.ts";
import { answerTemplate, ownTargetWarnings, targetsRenderer } from "./answer-templates.ts";
import { openFormatChecks, type CheckFormat } from "./answer-format.ts";
import { openFewshot } from "./fewshot.ts";
import type { Fewshot } from "./fewshot.ts";
import { openData } from "./open-data.ts";
import { openTaskGrader, patternProblems } from "./open-grader.ts";
import type { PythonSoon } from "./python-soon.ts";
import type { Tools } from "../tools.ts";

/** A task whose data, patterns and grader have been opened and found good. */
export interface PreparedTask {
  readonly suite: string;
  readonly spec: Task;
  readonly fingerprint: Fingerprint;
  readonly dataset: Dataset;
  /** Which of its data set's cases it is, where not all. */
  readonly selection: CaseSelection | undefined;
  readonly grader: Grader;
  readonly extract: Extract;
  readonly checkFormat: CheckFormat;
  readonly renderPrompt: (asked: Case) => string;
  readonly renderTarget: (row: Row) => string | null;
  readonly renderTargets: (row: Row) => Readonly<Record<string, string>> | undefined;
  readonly fieldsFor: (candidateId: string, row: Row) => JsonObject;
  readonly buildItem: (row: Row, rendered: { prompt: string; target: string | null }) => GraderItem;
  readonly slicesOf: (row: Row) => ScoreRow["slices"];
  readonly clusterOf: (row: Row) => ScoreRow["cluster"];
  readonly warnings: readonly Problem[];
  readonly close: () => Promise<void>;
}

export interface TaskToOpen {
  readonly spec: Task;
  /** Where the task stands in the suite's list. */
  readonly index: number;
  readonly resolved: {
    readonly suite: Pick<Suite, "name" | "judge_model" | "embedding_model" | "max_samples">;
    readonly place: (path: readonly (string | number)[]) => Place;
  };
  readonly python: PythonSoon;
  /** Its data set is kept in memory if its file has no more bytes. */
  readonly keptUpTo: number;
  readonly candidates: readonly CandidateSpec[];
  /** Whom graders may ask. */
  readonly models: RunModels;
}

/** Opens a task, or says all that is wrong with it. */
export async function openTask(
  toOpen: TaskToOpen,
  tools: Tools,
): Promise<{ readonly task: PreparedTask } | { readonly problems: readonly Problem[] }> {
  const { spec, python } = toOpen;
  const templates = parseTemplates(spec);
  const opened = await openParts(toOpen, templates, tools);
  const { data, grading, shown } = opened;
  const problems = problemsOf(opened, toOpen, templates);
  const isRefused = problems.length > 0;
  if ("problems" in data || "problems" in grading || "problems" in shown || isRefused) {
    if ("grader" in grading) await grading.grader.close();
    if ("dataset" in data) await data.close();
    return { problems };
  }
  const { grader } = grading;
  const { preprocess, hash, origin } = data;
  const { dataset, selection } = await selected(toOpen, data.dataset);
  const formats = await openFormatChecks(toOpen, tools);
  const models = toOpen.resolved.suite;
  const { fewshot } = shown;
  const { examples } = fewshot;
  const parts = { dataset: hash, origin, preprocess, examples, grader: grader.hash, models };
  return {
    task: {
      suite: toOpen.resolved.suite.name,
      spec,
      fingerprint: fingerprintTask(spec, parts, tools.files.hashText),
      dataset,
      selection,
      grader,
      extract: openExtract(spec.output_extraction, python),
      checkFormat: formats.check,
      ...rendering(toOpen, templates, fewshot),
      warnings: [
        ...data.warnings,
        ...grader.warnings,
        ...warnings(toOpen, templates, dataset.fields),
        ...fewshot.warnings,
        ...formats.warnings,
      ],
      close: async () => {
        for (const each of [formats, grader, data]) await each.close();
      },
    },
  };
}

function problemsOf(
  { grading, patterns, shown }: Awaited<ReturnType<typeof openParts>>,
  toOpen: TaskToOpen,
  templates: Templates,
): readonly Problem[] {
  return [
    ...("problems" in shown ? shown.problems : []),
    ...("problems" in grading ? grading.problems : []),
    ...patterns,
    ...toOpen.candidates.flatMap((each) => passed(each, toOpen, templates)),
  ];
}

/** As many of the cases as the run wants. */
async function selected(
  { resolved: { suite } }: TaskToOpen,
  dataset: Dataset,
): ReturnType<typeof selectCases> {
  const most = suite.max_samples;
  if (most === undefined) return { dataset, selection: undefined };
  return selectCases(dataset, most, rankOf);
}

/** Opens what a task is made of. Where one throws (a server is down), what the others have opened is closed. */
async function openParts(
  toOpen: TaskToOpen,
  { targetOnly }: Templates,
  tools: Tools,
): Promise<{
  readonly data: Awaited<ReturnType<typeof openData>>;
  readonly grading: Awaited<ReturnType<typeof openTaskGrader>>;
  readonly patterns: readonly Problem[];
  readonly shown: Awaited<ReturnType<typeof openExamples>>;
}> {
  const [dataOpens, graderOpens] = [
    openData(toOpen, targetOnly, tools),
    openTaskGrader(toOpen, tools),
  ];
  try {
    const waited = [dataOpens, graderOpens, patternProblems(toOpen)] as const;
    const [data, grading, patterns] = await Promise.all(waited);
    const shown = "problems" in data ? data : await openExamples(toOpen, data.dataset, tools);
    return { data, grading, patterns, shown };
  } catch (error) {
    const grading = await graderOpens.catch(() => undefined);
    if (grading !== undefined && "grader" in grading) await grading.grader.close();
    const data = await dataOpens.catch(() => undefined);
    if (data !== undefined && "dataset" in data) await data.close();
    throw error;
  }
}

/** A task's examples, from its own cases or from a data set that is opened for as long as it takes to choose them. */
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
  });
}

interface Templates {
  readonly prompt: Template;
  readonly target: Template | undefined;
  /** All that answers are compared with. */
  readonly answer: Template | undefined;
  readonly targetOnly: ReadonlySet<string>;
}

function parseTemplates(spec: Task): Templates {
  const prompt = parseTemplate(spec.prompt_template);
  const target =
    spec.target_template === undefined ? undefined : parseTemplate(spec.target_template);
  const answer = answerTemplate(spec);
  return { prompt, target, answer, targetOnly: targetOnlyFields(prompt, answer) };
}

function rendering(
  { spec, candidates }: Pick<TaskToOpen, "spec" | "candidates">,
  { prompt, target, answer }: Templates,
  { before }: Fewshot,
): Pick<
  PreparedTask,
  | "renderPrompt"
  | "renderTarget"
  | "renderTargets"
  | "fieldsFor"
  | "buildItem"
  | "slicesOf"
  | "clusterOf"
> {
  const { choices } = spec;
  const pickers = new Map(
    candidates.map((each) => [each.id, createFieldPicker(prompt, passOf(each), answer)]),
  );
  return {
    renderPrompt: ({ row, content }) => {
      const own = render(prompt, { row, choices });
      return before({ content, prompt: own }) + own;
    },
    renderTarget: (row) => (target === undefined ? null : render(target, { row, choices })),
    renderTargets: targetsRenderer(spec),
    fieldsFor: (candidateId, row) => pickers.get(candidateId)?.(row) ?? {},
    buildItem: (row, rendered) => graderItem(row, { ...rendered, choices, taskId: spec.id }),
    slicesOf: (row) => sliceValues(row, spec.slices),
    clusterOf: (row) => clusterValue(row, spec.cluster_by),
  };
}

/** How a task without examples asks, with another prompt or other candidates than it was opened with. */
export function renderingOf(
  spec: Task,
  candidates: readonly CandidateSpec[],
): ReturnType<typeof rendering> {
  const nothingBefore = { before: () => "", examples: [], warnings: [] };
  return rendering({ spec, candidates }, parseTemplates(spec), nothingBefore);
}

/** Fields of a row that a candidate asks for beside its prompt. */
export function passOf(candidate: CandidateSpec): readonly string[] {
  if (candidate.kind === "http") return fieldsOfHttp(candidate);
  return handedTo(candidate).pass;
}

function passed(
  candidate: CandidateSpec,
  { resolved }: TaskToOpen,
  { targetOnly }: Templates,
): readonly Problem[] {
  const place = resolved.place(["candidates", candidate.id, "pass"]);
  return passProblems(passOf(candidate), targetOnly, place);
}

/** A field that no row has would leave every case a cluster of its own, unseen. */
function clusterWarnings(
  field: string | undefined,
  fields: ReadonlySet<string>,
  place: Place,
): readonly Problem[] {
  if (field === undefined || hasField(fields, field)) return [];
  return [problem("cluster_field_unknown", { field, known: [...fields] }, place)];
}

/** A field that no row has would leave all cases in one slice, unseen. */
function sliceWarnings(
  slices: readonly string[],
  fields: ReadonlySet<string>,
  placeAt: (at: number) => Place,
): readonly Problem[] {
  return slices.flatMap((field, at) => {
    if (hasField(fields, field)) return [];
    const found = { field, known: [...fields], nearest: nearestField(field, fields) };
    return [problem("slice_field_unknown", found, placeAt(at))];
  });
}

function hasField(fields: ReadonlySet<string>, name: string): boolean {
  return fields.has(name) || fields.has(firstPart(name));
}

function warnings(
  { spec, index, resolved }: TaskToOpen,
  { prompt, target, answer }: Templates,
  fields: ReadonlySet<string>,
): readonly Problem[] {
  const place = (...keys: readonly (string | number)[]): Place =>
    resolved.place(["tasks", index, ...keys]);
  return [
    ...templateWarnings(prompt, fields, place("prompt_template")),
    ...(target === undefined ? [] : templateWarnings(target, fields, place("target_template"))),
    ...ownTargetWarnings(spec.grader, fields, place),
    ...clusterWarnings(spec.cluster_by, fields, place("cluster_by")),
    ...sliceWarnings(spec.slices, fields, (at) => place("slices", at)),
    ...targetShownWarnings(prompt, answer, place("prompt_template")),
  ];
}
