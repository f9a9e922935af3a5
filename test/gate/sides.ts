import { createLedger } from "../../src/ledger/ledger.ts";
import type { Ledger } from "../../src/model/figures/ledger.ts";
import type { Measured } from "../../src/model/definition/metric.ts";
import type { Fingerprint, RunTask } from "../../src/model/outcomes/run.ts";
import type { Outcome, Scores } from "../../src/model/outcomes/sample.ts";
import type { MetricSpec } from "../../src/model/definition/suite.ts";
import type { BaselineSide, Side } from "../../src/gate/pairing/sides.ts";

/** One sample: its score, its scores by metric, or what became of it instead. */
export type Cell = number | Readonly<Record<string, number>> | Exclude<Outcome, "scored">;

/** A case: one sample, several repeats, or either with an id or a row of its own. */
export type Case = Cell | readonly Cell[] | NamedCase;

interface NamedCase {
  readonly id?: string;
  readonly content?: string;
  readonly cluster?: string;
  readonly slices?: Readonly<Record<string, string>>;
  readonly judgedBy?: string;
  /** Of each of its samples. */
  readonly measured?: Measured;
  readonly is: Cell | readonly Cell[];
}

function isNamed(one: Case): one is NamedCase {
  return typeof one === "object" && "is" in one;
}

export interface TaskDraft {
  readonly metrics?: readonly Partial<MetricSpec>[];
  readonly repeats?: number;
  readonly min_cases?: number;
  readonly fingerprint?: Partial<Fingerprint>;
  /** What a batch grader gave each candidate for all cases together. */
  readonly given?: Scores;
  /** By candidate. */
  readonly cases: Readonly<Record<string, readonly Case[]>>;
}

const fingerprint: Fingerprint = {
  dataset: "d",
  preprocess: null,
  prompt: "p",
  extraction: "e",
  grader: "g",
  judge: null,
};

export const em: MetricSpec = {
  id: "em",
  aggregation: "mean",
  higher_is_better: true,
  range: [0, 1],
  scale: "binary",
};

/** A side with several tasks; candidates as the first task has them unless given. */
export function side(
  tasks: Readonly<Record<string, TaskDraft>>,
  candidates: readonly string[] = Object.keys(Object.values(tasks)[0]?.cases ?? {}),
): Side {
  const ledger = createLedger();
  for (const [task, draft] of Object.entries(tasks))
    for (const [candidate, cases] of Object.entries(draft.cases))
      addCases(ledger, { task, candidate, cases, given: draft.given });
  const specs = Object.entries(tasks).map(([task, draft]): [string, RunTask] => [
    task,
    {
      fingerprint: { ...fingerprint, ...draft.fingerprint },
      metrics: (draft.metrics ?? [em]).map((metric) => Object.assign({}, em, metric)),
      repeats: draft.repeats ?? 1,
      min_cases: draft.min_cases ?? 1,
    },
  ]);
  return { ledger, tasks: Object.fromEntries(specs), candidates };
}

/** A side with the task `qa` and the candidate `main`. */
export function qa(cases: readonly Case[], draft: Omit<TaskDraft, "cases"> = {}): Side {
  return side({ qa: { ...draft, cases: { main: cases } } });
}

export function baseline(one: Side): BaselineSide {
  return { kind: "run", ...one };
}

export const noBaseline: BaselineSide = { kind: "none", reason: "none was named" };

function addCases(
  ledger: Ledger,
  group: { task: string; candidate: string; cases: readonly Case[]; given: Scores | undefined },
): void {
  const { task, candidate, cases, given } = group;
  for (const [index, one] of cases.entries()) addCase(ledger, { task, candidate, index, one });
  if (given !== undefined) ledger.give({ task, candidate, metrics: given, dropped: [] });
}

function addCase(
  ledger: Ledger,
  at: { task: string; candidate: string; index: number; one: Case },
): void {
  const whole: NamedCase = isNamed(at.one) ? at.one : { is: at.one };
  const cells: readonly Cell[] = isList(whole.is) ? whole.is : [whole.is];
  const id = whole.id ?? `c${String(at.index).padStart(4, "0")}`;
  for (const [repeat, cell] of cells.entries()) {
    ledger.add({
      task: at.task,
      candidate: at.candidate,
      case_id: id,
      content: whole.content ?? `row of ${id}`,
      repeat,
      outcome: typeof cell === "string" ? cell : "scored",
      scores: typeof cell === "string" ? {} : typeof cell === "number" ? { em: cell } : cell,
      cluster: whole.cluster ?? null,
      slices: whole.slices ?? {},
      ...(whole.measured && { measured: whole.measured }),
      ...(whole.judgedBy !== undefined && { judged_by: whole.judgedBy }),
    });
  }
}

function isList(is: Cell | readonly Cell[]): is is readonly Cell[] {
  return Array.isArray(is);
}

/** `count` times the same. */
export function times<const T>(count: number, one: T): readonly T[] {
  return Array.from({ length: count }, () => one);
}

/** 0/1 pairs: so many that broke, were fixed, stayed right, stayed wrong. */
export function pairs(counts: {
  readonly broke: number;
  readonly fixed: number;
  readonly right: number;
  readonly wrong: number;
}): [Case[], Case[]] {
  const { broke, fixed, right, wrong } = counts;
  const before: Case[] = [
    ...times(broke, 1),
    ...times(fixed, 0),
    ...times(right, 1),
    ...times(wrong, 0),
  ];
  const after: Case[] = [
    ...times(broke, 0),
    ...times(fixed, 1),
    ...times(right, 1),
    ...times(wrong, 0),
  ];
  return [before, after];
}
