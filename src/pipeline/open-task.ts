import { fieldsOfHttp } from "../candidate/http.ts";
import { openDataset } from "../dataset/open.ts";
import { sliceValues } from "../dataset/slices.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Dataset, Extract, Grader } from "../domain/ports.ts";
import { problem } from "../domain/refusal.ts";
import type { Place, Problem } from "../domain/refusal.ts";
import type { Fingerprint } from "../domain/run.ts";
import type { GraderItem, Row, ScoreRow } from "../domain/sample.ts";
import type { CandidateSpec, Task } from "../domain/suite.ts";
import { openExtract } from "../extraction/extract.ts";
import { createOpenGrader } from "../grading/open.ts";
import { fingerprintTask } from "../manifest/fingerprint.ts";
import { createFieldPicker, passProblems } from "../prompt/fields.ts";
import { graderItem } from "../prompt/item.ts";
import { parseTemplate, render, targetOnlyFields } from "../prompt/template.ts";
import type { Template } from "../prompt/template.ts";
import { targetShownWarnings, templateWarnings } from "../prompt/warnings.ts";
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
  readonly warnings: readonly Problem[];
}

export interface TaskToOpen {
  readonly spec: Task;
  /** Where the task stands in the suite's list. */
  readonly index: number;
  readonly resolved: {
    readonly suite: { readonly name: string };
    readonly place: (path: readonly (string | number)[]) => Place;
  };
  readonly python: PythonTools;
  readonly candidates: readonly CandidateSpec[];
}

/** Opens a task, or says all that is wrong with it. */
export async function openTask(
  toOpen: TaskToOpen,
  tools: Tools,
): Promise<{ readonly task: PreparedTask } | { readonly problems: readonly Problem[] }> {
  const { spec, python } = toOpen;
  const templates = parseTemplates(spec);
  const [data, grading, patterns] = await Promise.all([
    openDataset({ dataset: spec.dataset, targetOnly: templates.targetOnly }, tools.files),
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
    return { problems };
  }
  const parts = { dataset: data.dataset.hash, grader: grading.grader.hash };
  return {
    task: {
      suite: toOpen.resolved.suite.name,
      spec,
      fingerprint: fingerprintTask(spec, parts, tools.files.hashText),
      dataset: data.dataset,
      grader: grading.grader,
      extract: openExtract(spec.output_extraction, python),
      ...rendering(spec, templates, toOpen.candidates),
      warnings: warnings(toOpen, templates, data.dataset.fields),
    },
  };
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
): Pick<PreparedTask, "renderPrompt" | "renderTarget" | "fieldsFor" | "buildItem" | "slicesOf"> {
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
  };
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
  { spec, index, resolved, python }: TaskToOpen,
  tools: Tools,
): ReturnType<ReturnType<typeof createOpenGrader>> {
  const open = createOpenGrader({
    openProgram: python.openProgram,
    hashText: tools.files.hashText,
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

/** The place of an inline source in its manifest, and the line within it. */
function insideSource(place: Place, within: Place): Place {
  if (within.line === undefined) return place;
  return { ...place, path: `${place.path ?? ""}, line ${within.line} of the source` };
}

function warnings(
  { index, resolved }: TaskToOpen,
  { prompt, target }: Templates,
  fields: ReadonlySet<string>,
): readonly Problem[] {
  const place = (key: string): Place => resolved.place(["tasks", index, key]);
  return [
    ...templateWarnings(prompt, fields, place("prompt_template")),
    ...(target === undefined ? [] : templateWarnings(target, fields, place("target_template"))),
    ...targetShownWarnings(prompt, target, place("prompt_template")),
  ];
}
