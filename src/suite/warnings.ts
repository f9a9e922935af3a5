import { modelOf } from "../model/definition/candidate-kinds.ts";
import { daysUntil, retirementOf, warnedDays } from "../model/models/retirements.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import type { ModelRef } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { whyVoid } from "../model/figures/judge-calibration.ts";
import type { PreparedTask } from "./opening/open-task.ts";
import { nearestField } from "../prompt/warnings.ts";
import { passOf } from "./prompts/rendering.ts";
import { firstPart } from "../base/fields.ts";
import type { NamedToOpen } from "./prepare.ts";
import { modelsNamed } from "./grader-models.ts";
import type { Tools } from "../tools.ts";
import type { SandboxReport, PythonTools } from "../model/ports/programs.ts";
import type { Resolved } from "./read-manifest.ts";

interface NamedModels {
  readonly candidates: readonly CandidateSpec[];
  /** Models that graders ask, and where the manifest names them. */
  readonly asked: readonly { readonly ref: ModelRef; readonly place: Place }[];
  readonly placeOf: (candidate: string) => Place;
}

/** Warns about models that their provider switches off soon, or has switched off; each once. */
function endingModels(
  { candidates, asked, placeOf }: NamedModels,
  now: number,
): readonly Problem[] {
  const own = candidates.flatMap((each) => {
    const ref = modelOf(each);
    return ref === undefined ? [] : [{ ref, place: placeOf(each.id) }];
  });
  const seen = new Set<string>();
  return [...own, ...asked].flatMap(({ ref: { model, name, provider }, place }) => {
    const end = retirementOf(provider.id, name);
    if (end === undefined || seen.has(model)) return [];
    seen.add(model);
    const days = daysUntil(end.date, now);
    if (days > warnedDays) return [];
    return [problem("model_ends", { model, provider: provider.id, days, ...end }, place)];
  });
}

/** Warns about people's labels of another judge than the suite's: their figures are not shown. */
export function voidCalibrations(
  { suite, place }: Resolved,
  tasks: readonly PreparedTask[],
): readonly Problem[] {
  const { metrics = [] } = suite.judge_calibration ?? {};
  return metrics.flatMap(({ task, metric, bound }) => {
    const fingerprint = tasks.find(({ spec }) => spec.id === task)?.fingerprint;
    const what = fingerprint && whyVoid(bound, fingerprint);
    if (what === undefined) return [];
    const found = { metric: `${task}/${metric}`, what };
    return [problem("judge_calibration_void", found, place(["judge_calibration"]))];
  });
}

/** Warnings about retired models that this run would call. */
export function endsOfModels(
  { resolved, tasks, candidates, recorded }: NamedToOpen,
  { now }: Tools,
): readonly Problem[] {
  const asked = modelsNamed(resolved, tasks);
  const placeOf = (id: string): Place => resolved.place(["candidates", id]);
  return endingModels({ candidates: recorded ? [] : candidates, asked, placeOf }, now());
}

/** Warnings about fields that candidates other than models are to be given, and that no row of any task has. */
export function handedFields(
  { resolved: { suite, place }, tasks: asked, candidates, recorded }: NamedToOpen,
  tasks: readonly PreparedTask[],
): readonly Problem[] {
  // A field may belong to a task that does not run this time.
  if (recorded || asked.length < suite.tasks.length) return [];
  const fields = new Set(tasks.flatMap(({ dataset }) => [...dataset.fields]));
  if (tasks.some(({ spec }) => spec.messages !== undefined)) fields.add("messages");
  return candidates.flatMap((candidate) => {
    if (candidate.kind === "model") return [];
    const unknown = passOf(candidate).filter(
      (name) => !fields.has(name) && !fields.has(firstPart(name)),
    );
    return [...new Set(unknown)].map((field) => {
      const found = { field, nearest: nearestField(field, fields), known: [...fields] };
      return problem("handed_field_unknown", found, place(["candidates", candidate.id]));
    });
  });
}

/** Warnings about this machine and checkout. */
export async function warningsHere(
  { sandbox }: PythonTools,
  { cache }: Tools,
): Promise<readonly Problem[]> {
  const path = await cache.findOld();
  const left =
    path === undefined ? [] : [problem("cache_left_over", { path, folder: cache.folder })];
  return [...sandboxWarnings(sandbox()), ...left];
}

/** Warnings if graders are sandboxed only in part. Small gaps of older kernels appear only in the summary. */
function sandboxWarnings(report: SandboxReport | undefined): readonly Problem[] {
  if (report === undefined || quiet.has(report.level)) return [];
  const { missing } = report.details;
  const reasons = Array.isArray(missing) ? missing.map(String) : [];
  return [problem("sandbox_partial", { level: report.level, missing: reasons.join("; ") })];
}

const quiet = new Set(["landlock+seccomp", "off"]);
