import { isDeepStrictEqual } from "node:util";
import type { CandidateSpec, Suite, Task } from "../../model/suite.ts";

/** The suite that the base's policy judges a change by. */
export interface Composed {
  readonly suite: Suite;
  /** Slots that only one side has. */
  readonly slots: { readonly new: readonly string[]; readonly missing: readonly string[] };
  /** The base's tasks, as the base has them. */
  readonly base: readonly Task[];
  /** The change's task for each of the base's; undefined where it has none. */
  readonly counterparts: ReadonlyMap<string, Task | undefined>;
}

/**
 * What judges from the base, what is judged from the change. From the base: the tasks (dataset, preprocessor, target,
 * choices, extraction, grader, metrics, slices, clusters, repeats, `min_cases`), the models that judge, the gate, which slots
 * there are, which cases are selected, and of agents the workspace and what they are required to call. From the change: prompts, candidates with their settings and recordings, and how the run is run. A task
 * that the change has not is asked as the base asks it, as a deleted suite is. Pure.
 */
export function composeSuite(base: Suite, head: Suite): Composed {
  const counterparts = pairTasks(base.tasks, head.tasks);
  const slots = compareSlots(base.candidates, head.candidates);
  const { max_samples: _, foreign: _foreign, ...rest } = head;
  return {
    suite: {
      ...rest,
      ...(base.max_samples !== undefined && { max_samples: base.max_samples }),
      ...(base.foreign !== undefined && { foreign: base.foreign }),
      name: base.name,
      tasks: base.tasks.map((task) => judgedTask(task, counterparts.get(task.id))),
      candidates: inOrder(head.candidates, base.candidates).map((each) => {
        const counterpart = counterpartOf(each, base.candidates, head.candidates);
        return withBefore(withBaseTerms(each, counterpart), counterpart);
      }),
      judge_model: base.judge_model,
      embedding_model: base.embedding_model,
      askable: base.candidates.filter((each) => each.kind === "model"),
      gate: base.gate,
    },
    slots,
    base: base.tasks,
    counterparts,
  };
}

/** Examples are part of what is asked: the change's, whether it adds some or takes them out. */
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

/** By id; one task on each side is the same one whatever it is called: a suite's name may be its task's id. */
function pairTasks(
  base: readonly Task[],
  head: readonly Task[],
): ReadonlyMap<string, Task | undefined> {
  const [only, ...others] = base;
  const [headOnly, ...headOthers] = head;
  if (only !== undefined && others.length + headOthers.length === 0)
    return new Map([[only.id, headOnly]]);
  return new Map(base.map(({ id }) => [id, head.find((task) => task.id === id)]));
}

/** By name; one slot on each side is the same one, as in a comparison: a model that is changed is still judged. */
function compareSlots(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
): Composed["slots"] {
  if (base.length === 1 && head.length === 1) return { new: [], missing: [] };
  return { new: onlyOf(head, base), missing: onlyOf(base, head) };
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

/** By name, or the only one of each side. */
export function counterpartOf(
  { id }: CandidateSpec,
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
): CandidateSpec | undefined {
  return base.length === 1 && head.length === 1 ? base[0] : base.find((each) => each.id === id);
}

/** An agent works in the files of the base, as it is asked of its rows, and has to call what the base requires. */
function withBaseTerms(head: CandidateSpec, base: CandidateSpec | undefined): CandidateSpec {
  if (head.kind !== "agent" || base?.kind !== "agent") return head;
  const { workspace, require } = base;
  const own = head.pass.filter((field) => field !== head.workspace.files);
  const pass = workspace.files === undefined ? own : [...own, workspace.files];
  return { ...head, workspace, require, pass };
}

/** A recording is to have what the base has: its recording's answers, or those to all cases where the base asks. */
export function withBefore<Spec extends CandidateSpec>(
  head: Spec,
  base: CandidateSpec | undefined,
): Spec {
  if (head.kind !== "replay" || base === undefined) return head;
  if (base.kind !== "replay") return { ...head, answeredBefore: "all" };
  const { file, model, output_field, id_field } = base;
  return { ...head, answeredBefore: { file, model, output_field, id_field } };
}

/** Of two suites: whether they are gated alike. */
export function sameGate(base: Suite, head: Suite): boolean {
  return isDeepStrictEqual(base.gate, head.gate);
}
