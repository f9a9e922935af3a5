import { posix } from "node:path";
import { asksModels } from "../model/definition/graders.ts";
import type { Json } from "../model/json.ts";
import { isRecorded } from "../model/definition/recorded.ts";
import { type Place, type Problem, problem } from "../model/refusal.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import type { Budget, PublishContent, Suite, Task } from "../model/definition/suite.ts";
import { warnBraces } from "./syntax/braces.ts";
import { resolveCandidates } from "./candidates/candidates.ts";
import { warnBlindBudget } from "./tasks/budget.ts";
import type { ManifestContext } from "./context.ts";
import { warnUnusedFileIds } from "./files.ts";
import { checkRecorded } from "./tasks/from.ts";
import { checkGate, readGate, warnUngated } from "./tasks/gate.ts";
import { resolveJudgeCalibration } from "./task-graders/judge-calibration.ts";
import { type ModelsOfRun, resolveModelRef } from "./candidates/models.ts";
import { override } from "./candidates/overrides.ts";
import { parseManifest } from "./syntax/parse.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  objectOf,
  type Part,
  placeOf,
  textOf,
  textsOf,
} from "../base/part.ts";
import type { Locate, Path } from "../base/place.ts";
import { resolveProviders } from "./candidates/providers.ts";
import { checkShape } from "./syntax/shape.ts";
import { type DeclaredTask, resolveTask } from "./tasks/task.ts";
import type { ManifestTools } from "./tools.ts";

/** A manifest's text and location. */
interface Manifest {
  readonly text: string;
  /** As the user wrote it, for messages. */
  readonly path: string;
  /** Its folder, absolute: the paths in it are relative to this. */
  readonly directory: string;
  /** The folder that no path leaves, absolute: the repository, or the working directory outside git. */
  readonly root: string;
}

type ResolvedSuite =
  | {
      readonly kind: "resolved";
      readonly suite: Suite;
      readonly warnings: readonly Problem[];
      /** Position of a part's declaration: `["tasks", 0, "grader"]`, also for the short form. */
      readonly place: (path: Path) => Place;
    }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** Reads a manifest and resolves every default and every path; or returns all of its problems at once. */
export async function resolveSuite(
  manifest: Manifest,
  tools: ManifestTools,
): Promise<ResolvedSuite> {
  const parsed = parseManifest(manifest.text, manifest.path);
  if (parsed.kind === "refused") return parsed;
  const root: Part = { value: parsed.value, path: [], locate: parsed.locate };
  const foreign = await tools.translate?.(root);
  if (foreign === undefined) return resolveParsed(parsed, manifest, tools);
  if (foreign.kind === "refused") return foreign;
  const resolved = await resolveParsed(foreign, manifest, tools);
  if (resolved.kind === "refused") return resolved;
  const { about, hidden } = foreign;
  const suite = {
    ...resolved.suite,
    foreign: about,
    ...(hidden.length > 0 && { hidden_texts: hidden }),
  };
  return { ...resolved, suite, warnings: [...foreign.warnings, ...resolved.warnings] };
}

/** As `resolveSuite`, for a manifest that is parsed already. */
async function resolveParsed(
  written: { readonly value: Json; readonly locate: Locate },
  manifest: Omit<Manifest, "text">,
  tools: ManifestTools,
): Promise<ResolvedSuite> {
  const parsed = override(written, tools.overrides ?? {});
  const root: Part = { value: parsed.value, path: [], locate: parsed.locate };
  const shape = checkShape(root);
  const problems = [...shape.problems];
  const warnings: Problem[] = [];
  const context: ManifestContext = {
    ...(await openFinder(manifest, root, tools)),
    misspelt: shape.misspelt,
    refuse: (found) => void (shape.covers(found) || problems.push(found)),
    warn: (found) => void warnings.push(found),
  };
  const suite = objectOf(root) && (await resolveParts(root, manifest, context));
  const short = isShort(root);
  if (problems.length > 0 || suite === undefined) {
    return { kind: "refused", problems: inOrder(problems) };
  }
  return {
    kind: "resolved",
    suite: { ...suite, gate: readGate(at(root, "gate").value) },
    warnings: inOrder(warnings),
    place: (path) => root.locate(short ? shortPath(path) : path),
  };
}

async function openFinder(
  manifest: Omit<Manifest, "text">,
  root: Part,
  tools: ManifestTools,
): Promise<Omit<ManifestContext, "misspelt" | "refuse" | "warn">> {
  return {
    ...tools,
    directory: manifest.directory,
    path: manifest.path,
    root: manifest.root,
    realRoot: (await tools.inspectPath(manifest.root)).real,
    files: at(root, "files"),
    usedFileIds: new Set(),
  };
}

async function resolveParts(
  root: Part,
  manifest: Omit<Manifest, "text">,
  context: ManifestContext,
): Promise<Omit<Suite, "gate">> {
  warnBraces(root, context);
  const name = textOf(at(root, "name")) ?? nameFromFile(manifest.path);
  const declared = declaredTasks(root, name);
  const models = modelsOfRun(root, context);
  refuseRepeatedTasks(declared, context);
  const tasks: Task[] = [];
  for (const each of declared) {
    const task = await resolveTask(each, models, context);
    if (task === undefined) continue;
    tasks.push(task);
    warnUngated(each.part, task, { gate: at(root, "gate"), context: context });
  }
  const isResults = isRecorded({ tasks });
  if (isResults) checkRecorded(root, tasks, context);
  const candidates = isResults ? [] : await resolveCandidates(root, models.providers, context);
  // A run of other models, or a suite that leaves its models to each run, does not show which providers are used.
  if (candidates.length > 0 && context.overrides?.models === undefined)
    models.providers.warnUnused();
  warnIdle(root, { tasks, candidates }, context);
  const judged = {
    tasks,
    candidates: candidates.map(({ id }) => id),
    // With recorded results, only the files tell the candidates and metrics.
    complete:
      !isResults && tasks.length === declared.length && candidates.length === candidateCount(root),
  };
  await checkGate(at(root, "gate"), judged, context);
  const calibration = await resolveJudgeCalibration(root, declared, context);
  warnUnusedFileIds(context);
  return {
    name,
    path: manifest.path,
    directory: manifest.directory,
    root: manifest.root,
    schema_version: "2026-05-27",
    tasks,
    candidates,
    concurrency: numberOf(at(at(root, "run"), "concurrency")) ?? "auto",
    budget: budgetOf(at(at(root, "run"), "budget")),
    judge_model: models.judge_model,
    embedding_model: models.embedding_model,
    publish: publishOf(at(at(root, "publish"), "content")),
    metadata: objectOf(at(root, "metadata")) ?? {},
    ...(calibration && { judge_calibration: calibration }),
    ...chosenIn(at(root, "run")),
  };
}

/** Settings of `run` that flags may override. */
function chosenIn(run: Part): Partial<Suite> {
  const [max_samples, run_metadata] = [
    numberOf(at(run, "max_samples")),
    objectOf(at(run, "metadata")),
  ];
  return {
    ...(max_samples !== undefined && { max_samples }),
    ...(run_metadata && { run_metadata }),
  };
}

function modelsOfRun(root: Part, context: ManifestContext): ModelsOfRun {
  const run = at(root, "run");
  const providers = resolveProviders(root, context);
  const [judge, embedding] = [at(run, "judge_model"), at(run, "embedding_model")];
  return {
    providers,
    judge_model: resolveModelRef(judge, providers, context),
    names_judge: isPresent(judge),
    embedding_model: resolveModelRef(embedding, providers, context),
    names_embedding: isPresent(embedding),
  };
}

/** Warns of settings of `run` that have no effect on these tasks and candidates. */
function warnIdle(
  root: Part,
  suite: Pick<Suite, "tasks" | "candidates">,
  context: ManifestContext,
): void {
  warnIdleModels(root, suite.tasks, context);
  warnBlindBudget(root, suite, context);
  warnIdleResults(root, suite.candidates, context);
}

/** Recorded results of tools are for candidates that can say which tools they call. */
function warnIdleResults(
  root: Part,
  candidates: readonly CandidateSpec[],
  context: ManifestContext,
): void {
  if (candidates.length === 0 || candidates.some(canCallTools)) return;
  const why =
    "no candidate of this suite can call tools (a model, a worker, or http with `tool_calls`)";
  for (const task of isShort(root) ? [root] : itemsOf(at(root, "tasks"))) {
    const part = at(task, "tool_results");
    if (isPresent(part))
      context.warn(problem("setting_idle", { key: "tool_results", why }, keyPlaceOf(part)));
  }
}

function canCallTools(candidate: CandidateSpec): boolean {
  // An agent has tools of its own: a task with recorded results is refused for it.
  if (candidate.kind === "http") return candidate.tool_calls !== undefined;
  return ["model", "worker", "agent"].includes(candidate.kind);
}

/** An unused model most likely means a grader without access to it. */
function warnIdleModels(root: Part, tasks: readonly Task[], context: ManifestContext): void {
  if (tasks.some(({ grader }) => asksModels(grader))) return;
  const why = "no grader of this suite asks models (contract: model_backed, or model_access: mka1)";
  for (const key of ["judge_model", "embedding_model"]) {
    const part = at(at(root, "run"), key);
    if (isPresent(part)) context.warn(problem("setting_idle", { key, why }, keyPlaceOf(part)));
  }
}

/** A suite of one task may have that task's keys at the top level. */
function isShort(root: Part): boolean {
  return !isPresent(at(root, "tasks"));
}

function declaredTasks(root: Part, name: string): readonly DeclaredTask[] {
  if (isShort(root)) {
    const keys = ["from", "dataset", "prompt_template", "messages_template", "grader", "graders"];
    const isTask = keys.some((key) => isPresent(at(root, key)));
    return isTask ? [{ part: root, id: name, short: true }] : [];
  }
  return itemsOf(at(root, "tasks"))
    .filter((part) => objectOf(part) !== undefined)
    .map((part) => ({ part, id: textOf(at(part, "id")) ?? "", short: false }));
}

function refuseRepeatedTasks(tasks: readonly DeclaredTask[], context: ManifestContext): void {
  const seen = new Map<string, Part>();
  for (const { part, id } of tasks.filter((task) => task.id !== "")) {
    const first = seen.get(id);
    if (first === undefined) {
      seen.set(id, at(part, "id"));
      continue;
    }
    const { line } = placeOf(first);
    context.refuse(problem("task_duplicate", { id, line }, placeOf(at(part, "id"))));
  }
}

function candidateCount(root: Part): number {
  const slots = at(root, "candidates");
  return fieldsOf(slots).length + textsOf(slots).length + textsOf(at(root, "models")).length;
}

function budgetOf(part: Part): Budget {
  const [usd, tokens] = [numberOf(at(part, "usd")), numberOf(at(part, "tokens"))];
  return { usd, tokens, minutes: numberOf(at(part, "minutes")) };
}

function publishOf(part: Part): PublishContent | undefined {
  const content = textOf(part);
  return content === "full" || content === "failures" || content === "ids" ? content : undefined;
}

/** `evals/Support bot.yaml` → `Support-bot`. */
export function nameFromFile(path: string): string {
  const base = posix.basename(path.replaceAll("\\", "/")).replace(/(?<=.)\.[^.]*$/, "");
  const slug = base.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+|-+$/g, "");
  return slug === "" ? "suite" : slug.slice(0, 100);
}

/** Converts a path of the suite to the manifest's short form, which has the single task's keys at the top. */
function shortPath(path: Path): Path {
  const [first, index, ...rest] = path;
  if (first !== "tasks" || index === undefined) return path;
  return rest[0] === "id" ? ["name"] : rest;
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted(
    (a, b) =>
      (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
      (a.place?.column ?? 0) - (b.place?.column ?? 0),
  );
}
