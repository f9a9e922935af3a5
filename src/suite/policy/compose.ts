import { isDeepStrictEqual } from "node:util";
import { matchesName } from "../../base/glob.ts";
import { candidateKinds } from "../../model/definition/candidate-kinds.ts";
import { stricterFence, type FenceWish } from "../../model/ports/fence.ts";
import type { Suite, Task } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { withBasePrice } from "./prices.ts";

/** The suite by which the base's policy judges a change. */
export interface Composed {
  readonly suite: Suite;
  /** Slots that only one side has. */
  readonly slots: { readonly new: readonly string[]; readonly missing: readonly string[] };
  /** The base's tasks, unchanged. */
  readonly base: readonly Task[];
  /** The change's task for each of the base's; undefined if it has none. */
  readonly counterparts: ReadonlyMap<string, Task | undefined>;
}

/**
 * Combines the judging parts of the base with the judged parts of the change. From the base: the tasks (dataset,
 * preprocessor, target, choices, extraction, grader, metrics, slices, clusters, repeats, `min_cases`), the judge models
 * and the labels of their calibration, the gate, the prices of models, the slots, the selected cases, for agents the
 * workspace and the required calls, and for programs the sandbox. From the change: prompts, candidates with their
 * settings and recordings, and the run's settings. A task that the change removed is asked as on the base, like a
 * deleted suite. Pure.
 */
export function composeSuite(base: Suite, head: Suite): Composed {
  const counterparts = new Map(
    base.tasks.map(({ id }) => [id, head.tasks.find((task) => task.id === id)]),
  );
  const slots = compareSlots(base.candidates, head.candidates);
  const fenced = keepFences(base.candidates, head.candidates);
  const { max_samples: _, foreign: _foreign, judge_calibration: _labels, ...rest } = head;
  return {
    suite: {
      ...rest,
      ...(base.max_samples !== undefined && { max_samples: base.max_samples }),
      ...(base.foreign !== undefined && { foreign: base.foreign }),
      name: base.name,
      hidden_texts: [...(base.hidden_texts ?? []), ...(head.hidden_texts ?? [])],
      tasks: base.tasks.map((task) => judgedTask(task, counterparts.get(task.id))),
      candidates: inOrder(fenced, base.candidates).map((each) => {
        const counterpart = counterpartOf(each, base.candidates, fenced);
        const asked = withBasePrice(withBaseTerms(each, counterpart), base.candidates);
        return withBefore(asked, counterpart);
      }),
      judge_model: base.judge_model,
      embedding_model: base.embedding_model,
      askable: base.candidates.filter((each) => each.kind === "model"),
      gate: forSlot(base, head.candidates),
      ...(base.judge_calibration !== undefined && { judge_calibration: base.judge_calibration }),
    },
    slots,
    base: base.tasks,
    counterparts,
  };
}

/** Examples are part of the question, so the change's are used, even if it adds or removes some. */
function judgedTask(base: Task, head: Task | undefined): Task {
  if (head === undefined) return base;
  const { fewshot: _f, messages: _m, ...rest } = base;
  const { prompt_template, messages: asked, fewshot: shown } = head;
  return {
    ...rest,
    prompt_template,
    ...(asked && { messages: asked }),
    ...(shown && { fewshot: shown }),
  };
}

/**
 * Slots are matched by name. A single slot on each side matches too, as in a comparison, so that a changed model is
 * still judged.
 */
function compareSlots(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
): Composed["slots"] {
  if (base.length === 1 && head.length === 1) return { new: [], missing: [] };
  return { new: onlyOf(head, base), missing: onlyOf(base, head) };
}

/** The base's gate. Its rules on its only slot are on the change's only slot, whatever that is called. */
function forSlot({ gate, candidates }: Suite, head: readonly CandidateSpec[]): Suite["gate"] {
  const [before, now] = [candidates[0], head[0]];
  if (gate === "none" || gate.rules === undefined || before === undefined || now === undefined)
    return gate;
  if (candidates.length > 1 || head.length > 1 || before.id === now.id) return gate;
  const rules = gate.rules.map((rule) =>
    rule.candidate !== undefined && matchesName(before.id, rule.candidate)
      ? { ...rule, candidate: now.id }
      : rule,
  );
  return { ...gate, rules };
}

function onlyOf(of: readonly CandidateSpec[], others: readonly CandidateSpec[]): readonly string[] {
  return of.map(({ id }) => id).filter((id) => !others.some((other) => other.id === id));
}

/** The base's slots in its order, then the new ones. */
function inOrder(
  head: readonly CandidateSpec[],
  base: readonly CandidateSpec[],
): readonly CandidateSpec[] {
  const place = (id: string): number => {
    const found = base.findIndex((each) => each.id === id);
    return found < 0 ? base.length : found;
  };
  return head.toSorted((a, b) => place(a.id) - place(b.id));
}

/** The slot with the same name, or the only one of each side. */
export function counterpartOf(
  { id }: CandidateSpec,
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
): CandidateSpec | undefined {
  return base.length === 1 && head.length === 1 ? base[0] : base.find((each) => each.id === id);
}

/** An agent works in the base's files, and must call the tools that the base requires. */
function withBaseTerms(head: CandidateSpec, base: CandidateSpec | undefined): CandidateSpec {
  if (head.kind !== "agent" || base?.kind !== "agent") return head;
  const { workspace, require } = base;
  const own = head.pass.filter((field) => field !== head.workspace.files);
  const pass = workspace.files === undefined ? own : [...own, workspace.files];
  return { ...head, workspace, require, pass };
}

/**
 * A change can't remove a sandbox: the program in a slot has at least the protection of the base's program there,
 * whatever its kind. If all of the base's programs have a sandbox, new ones get the weakest of those. Pure.
 */
export function keepFences(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
): readonly CandidateSpec[] {
  const known = base.filter(isProgram).map(({ fence }) => fence);
  const isForAll = known.length > 0 && known.every((fence) => fence !== undefined);
  const usual: FenceWish = known.includes("auto") ? "auto" : "required";
  return head.map((each) => {
    if (!isProgram(each)) return each;
    const before = counterpartOf(each, base, head);
    const theirs = before !== undefined && isProgram(before) ? before.fence : undefined;
    const least = theirs ?? (isForAll ? usual : undefined);
    const fence = stricterFence(each.fence, least);
    return fence === undefined ? each : { ...each, fence };
  });
}

/** A program of the repository, or an agent. */
type ProgramSpec = Extract<CandidateSpec, { readonly kind: "command" | "worker" | "agent" }>;

/** Whether a candidate is a program of the repository or an agent. */
export function isProgram(each: CandidateSpec): each is ProgramSpec {
  return candidateKinds[each.kind].program;
}

/** Notes which cases a recording must cover: those of the base's recording, or all cases if the base asks a candidate. */
export function withBefore<Spec extends CandidateSpec>(
  head: Spec,
  base: CandidateSpec | undefined,
): Spec {
  if (head.kind !== "replay" || base === undefined) return head;
  if (base.kind !== "replay") return { ...head, answeredBefore: "all" };
  // With trajectories every case counts: the base is assumed to have one for each.
  if (head.format !== undefined || base.format !== undefined)
    return { ...head, answeredBefore: "all" };
  const { file, model, output_field, id_field } = base;
  return { ...head, answeredBefore: { file, model, output_field, id_field } };
}

/** Whether two suites have the same gate. */
export function sameGate(base: Suite, head: Suite): boolean {
  return isDeepStrictEqual(base.gate, head.gate);
}

/** Whether two suites name the same labels for their judges, with the same content, wherever the file is. */
export function sameCalibration(base: Suite, head: Suite): boolean {
  return isDeepStrictEqual(base.judge_calibration?.metrics, head.judge_calibration?.metrics);
}
