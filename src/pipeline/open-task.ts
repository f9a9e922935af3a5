import { fieldsOfHttp } from "../candidate/http.ts";
import { openDataset } from "../dataset/open.ts";
import { clusterValue, sliceValues } from "../dataset/slices.ts";
import { firstPart } from "../domain/fields.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Extract, Grader } from "../domain/grading.ts";
import type { Dataset } from "../domain/ports.ts";
import { problem } from "../domain/refusal.ts";
import type { Place, Problem } from "../domain/refusal.ts";
import type { Fingerprint } from "../domain/run.ts";
import type { GraderItem, Row, ScoreRow } from "../domain/sample.ts";
import type { CandidateSpec, Suite, Task } from "../domain/suite.ts";
import { openExtract } from "../extraction/extract.ts";
import type { RunModels } from "../grading/bridge-models.ts";
import { createOpenGrader } from "../grading/open.ts";
import { fingerprintTask } from "../manifest/fingerprint.ts";
import { createFieldPicker, passProblems } from "../prompt/fields.ts";
import { graderItem } from "../prompt/item.ts";
import { parseTemplate, render, targetOnlyFields } from "../prompt/template.ts";
import type { Template } from "../prompt/template.ts";
import { nearestField, targetShownWarnings, templateWarnings } from "../prompt/warnings.ts";
import { preprocessRows } from "./preprocess.ts";
import type { PythonTools, Tools } from "./tools.ts";

/** A task whose data, patterns and grader have been opened and found good. */
export interface PreparedTask {
  readonly suite: string;
  readonly spec: Task;
  readonly fingerprint: Fingerprint;
  readonly dataset: Dataset;
  readonly grader: Grader;
  readonly extract: Extract;
  readonly renderPrompt: (row: Row) => string;
  readonly renderTarget: (row: Row) => string | null;
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
    readonly suite: Pick<Suite, "name" | "judge_model" | "embedding_model">;
    readonly place: (path: readonly (string | number)[]) => Place;
  };
  readonly python: PythonTools;
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
  const [data, grading, patterns] = await Promise.all([
    openData(toOpen, templates, tools),
    openGrader(toOpen, tools),
    patternProblems(toOpen),
  ]);
  const problems = [
    ...("problems" in data ? data.problems : []),
    ...("problems" in grading ? grading.problems : []),
    ...patterns,
    ...toOpen.candidates.flatMap((each) => passed(each, toOpen, templates)),
  ];
  if ("problems" in data || "problems" in grading || problems.length > 0) {
    if ("grader" in grading) await grading.grader.close();
    if ("dataset" in data) await data.close();
    return { problems };
  }
  const { grader } = grading;
  const { dataset, preprocess } = data;
  const models = toOpen.resolved.suite;
  const parts = { dataset: data.hash, preprocess, grader: grader.hash, models };
  return {
    task: {
      suite: toOpen.resolved.suite.name,
      spec,
      fingerprint: fingerprintTask(spec, parts, tools.files.hashText),
      dataset,
      grader,
      extract: openExtract(spec.output_extraction, python),
      ...rendering(spec, templates, toOpen.candidates),
      warnings: warnings(toOpen, templates, dataset.fields),
      close: async () => {
        await grader.close();
        await data.close();
      },
    },
  };
}

interface OpenedData {
  readonly dataset: Dataset;
  /** Of the file that the suite names. */
  readonly hash: string;
  /** Hash of the preprocessor's code; null without one. */
  readonly preprocess: string | null;
  readonly close: () => Promise<void>;
}

async function nothingToClose(): Promise<void> {}

/** A task's cases: the rows of its file, or what its preprocessor makes of them. */
async function openData(
  { spec, index, resolved, python }: TaskToOpen,
  { targetOnly }: Templates,
  tools: Tools,
): Promise<OpenedData | { readonly problems: readonly Problem[] }> {
  const { dataset, preprocess } = spec;
  if (preprocess === undefined) {
    const opened = await openDataset({ dataset, targetOnly }, tools.files);
    if ("problems" in opened) return opened;
    const { hash } = opened.dataset;
    return { dataset: opened.dataset, hash, preprocess: null, close: nothingToClose };
  }
  const declared = resolved.place(["tasks", index, "preprocess", "source"]);
  const isInline = preprocess.source.kind === "inline";
  const at = (within: Place): Place => (isInline ? insideSource(declared, within) : within);
  const { openPreprocessor } = python;
  const made = await preprocessRows({ dataset, preprocess, at }, { ...tools, openPreprocessor });
  if ("problems" in made) return made;
  const { rows, sourceHash, code, close } = made.data;
  const opened = await openDataset({ ...rows, targetOnly }, tools.files);
  if ("dataset" in opened)
    return { dataset: opened.dataset, hash: sourceHash, preprocess: code, close };
  await close();
  return opened;
}

interface Templates {
  readonly prompt: Template;
  readonly target: Template | undefined;
  readonly targetOnly: ReadonlySet<string>;
}

function parseTemplates(spec: Task): Templates {
  const prompt = parseTemplate(spec.prompt_template);
  const target =
    spec.target_template === undefined ? undefined : parseTemplate(spec.target_template);
  return { prompt, target, targetOnly: targetOnlyFields(prompt, target) };
}

function rendering(
  spec: Task,
  { prompt, target, targetOnly }: Templates,
  candidates: readonly CandidateSpec[],
): Pick<
  PreparedTask,
  "renderPrompt" | "renderTarget" | "fieldsFor" | "buildItem" | "slicesOf" | "clusterOf"
> {
  const { choices } = spec;
  const pickers = new Map(
    candidates.map((each) => [each.id, createFieldPicker(prompt, passOf(each), targetOnly)]),
  );
  return {
    renderPrompt: (row) => render(prompt, { row, choices }),
    renderTarget: (row) => (target === undefined ? null : render(target, { row, choices })),
    fieldsFor: (candidateId, row) => pickers.get(candidateId)?.(row) ?? {},
    buildItem: (row, rendered) => graderItem(row, { ...rendered, choices, taskId: spec.id }),
    slicesOf: (row) => sliceValues(row, spec.slices),
    clusterOf: (row) => clusterValue(row, spec.cluster_by),
  };
}

/** How a task asks, with another prompt or other candidates than it was opened with. */
export function renderingOf(
  spec: Task,
  candidates: readonly CandidateSpec[],
): ReturnType<typeof rendering> {
  return rendering(spec, parseTemplates(spec), candidates);
}

function passOf(candidate: CandidateSpec): readonly string[] {
  if (candidate.kind === "http") return fieldsOfHttp(candidate);
  return "pass" in candidate ? candidate.pass : [];
}

function passed(
  candidate: CandidateSpec,
  { resolved }: TaskToOpen,
  { targetOnly }: Templates,
): readonly Problem[] {
  const place = resolved.place(["candidates", candidate.id, "pass"]);
  return passProblems(passOf(candidate), targetOnly, place);
}

function openGrader(
  { spec, index, resolved, python, models }: TaskToOpen,
  tools: Tools,
): ReturnType<ReturnType<typeof createOpenGrader>> {
  const open = createOpenGrader({
    openProgram: python.openProgram,
    hashText: tools.files.hashText,
    models,
    declaredPlace: resolved.place(["tasks", index, "grader"]),
    inlinePlace: (_, within) =>
      insideSource(resolved.place(["tasks", index, "grader", "source"]), within),
  });
  return open(spec.grader);
}

async function patternProblems({
  spec,
  index,
  resolved,
  python,
}: TaskToOpen): Promise<readonly Problem[]> {
  const extraction = spec.output_extraction;
  if (extraction.type !== "regex" && extraction.type !== "regex_last") return [];
  const reason = await python.checkRegex(extraction);
  if (reason === undefined) return [];
  const place = resolved.place(["tasks", index, "output_extraction", "pattern"]);
  return [problem("regex_invalid", { pattern: extraction.pattern, reason }, place)];
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

/** The place of an inline source in its manifest, and the line within it. */
function insideSource(place: Place, within: Place): Place {
  if (within.line === undefined) return place;
  return { ...place, path: `${place.path ?? ""}, line ${within.line} of the source` };
}

function warnings(
  { spec, index, resolved }: TaskToOpen,
  { prompt, target }: Templates,
  fields: ReadonlySet<string>,
): readonly Problem[] {
  const place = (...keys: readonly (string | number)[]): Place =>
    resolved.place(["tasks", index, ...keys]);
  return [
    ...templateWarnings(prompt, fields, place("prompt_template")),
    ...(target === undefined ? [] : templateWarnings(target, fields, place("target_template"))),
    ...clusterWarnings(spec.cluster_by, fields, place("cluster_by")),
    ...sliceWarnings(spec.slices, fields, (at) => place("slices", at)),
    ...targetShownWarnings(prompt, target, place("prompt_template")),
  ];
}
