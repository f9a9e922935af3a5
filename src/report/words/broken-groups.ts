import type {
  BrokenCase,
  BrokenGroup,
  SliceCount,
  WorseCase,
} from "../../model/outcomes/broken.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { answerReasons } from "./answer-reasons.ts";
import { callReasons } from "./call-reasons.ts";
import { worseKey } from "./worse-cases.ts";
import { sharedWords, spokenReason, type Reason } from "./grader-words.ts";

/**
 * Cases that got worse, or that are beyond a limit, grouped by the grader's message in their first metric; cases without
 * a message are grouped by the slice that contains most of them. Groups with a case that must pass come first, then those
 * with the largest loss. `texts`: known texts of the cases that may be shown.
 */
export function groupBroken(
  run: Run,
  cases: readonly WorseCase[],
  texts: readonly BrokenCase[],
): readonly BrokenGroup[] {
  const find = findTexts(texts);
  const told = cases.map((one) => keyedCase(one, find));
  const places = [...Map.groupBy(told, placeKey).values()];
  const groups = places.flatMap((some) => groupsOfPlace(run, some));
  // Sorting keeps the order of equal groups: that of the metrics, with the deciding one first.
  return groups.toSorted(
    (a, b) => Number(b.mustPass > 0) - Number(a.mustPass > 0) || b.loss - a.loss,
  );
}

/** A case with its known texts. */
interface Told {
  readonly one: WorseCase;
  readonly metric: string;
  readonly known: BrokenCase | undefined;
  readonly reason: Reason | undefined;
  readonly slices: Readonly<Record<string, string>>;
}

type Find = (one: Parameters<typeof worseKey>[0], metric: string) => BrokenCase | undefined;

/** Finds the texts of a case; if it has several, those of the metric. */
export function findTexts(texts: readonly BrokenCase[]): Find {
  const byMetric = new Map(texts.map((each) => [textKey(each, each.metric), each]));
  const byCase = new Map(texts.map((each) => [worseKey(each), each]));
  return (one, metric) => byMetric.get(textKey(one, metric)) ?? byCase.get(worseKey(one));
}

function textKey(one: Parameters<typeof worseKey>[0], metric: string): string {
  return JSON.stringify([worseKey(one), metric]);
}

function keyedCase(one: WorseCase, find: Find): Told {
  const metric = one.changes[0]?.metric ?? "";
  const known = find(one, metric);
  return { one, metric, known, reason: known && spokenReason(known), slices: known?.slices ?? {} };
}

function placeKey({ one: { task, candidate, against }, metric }: Told): string {
  return JSON.stringify([task, candidate, metric, against]);
}

/** Groups for a metric of a task and candidate. */
function groupsOfPlace(run: Run, told: readonly Told[]): readonly BrokenGroup[] {
  const parts = Map.groupBy(withMadeReasons(told), ({ reason }) => reason?.key);
  const silent = parts.get(undefined) ?? [];
  parts.delete(undefined);
  const shares = sharesOf(run, told);
  return [...parts.values(), ...bySlice(silent, shares)].map((some) => groupOf(run, some, shares));
}

/**
 * If no grader gives a reason, reasons are made from answers and targets. A reason for a single case counts only if
 * just one case has none.
 */
function withMadeReasons(told: readonly Told[]): readonly Told[] {
  const less = addReasons(told, 2);
  return less.filter(({ reason }) => reason === undefined).length === 1
    ? addReasons(less, 1)
    : less;
}

function addReasons(told: readonly Told[], least: number): readonly Told[] {
  const silent = told.flatMap(({ known, reason, metric }) =>
    known === undefined || reason !== undefined || isSampleMetric(metric) ? [] : [known],
  );
  const byCalls = callReasons(silent, least);
  const byAnswers = answerReasons(
    silent.filter((known) => !byCalls.has(known)),
    least,
  );
  return told.map((one) =>
    one.reason === undefined && one.known
      ? Object.assign({}, one, { reason: byCalls.get(one.known) ?? byAnswers.get(one.known) })
      : one,
  );
}

function bySlice(silent: readonly Told[], shares: Shares): readonly (readonly Told[])[] {
  const field = tellingFields(silent, shares)[0];
  if (field === undefined) return silent.length === 0 ? [] : [silent];
  return [...Map.groupBy(silent, ({ slices }) => slices[field]).values()];
}

function groupOf(run: Run, told: readonly Told[], shares: Shares): BrokenGroup {
  const [first] = told;
  const reasons = told.flatMap(({ reason }) => reason ?? []);
  const lost = lossIn(run, told);
  const cases = told
    .map(({ one }) => one)
    .toSorted((a, b) => Number(b.mustPass) - Number(a.mustPass) || lost(b) - lost(a));
  return {
    kind: first?.one.beyondBy === undefined ? "broke" : "beyond",
    task: first?.one.task ?? "",
    candidate: first?.one.candidate ?? "",
    against: first?.one.against,
    metric: first?.metric ?? "",
    reason: reasons.length === 0 ? undefined : sharedWords(reasons),
    where: whereIn(told, shares),
    cases,
    mustPass: cases.filter(({ mustPass }) => mustPass).length,
    loss: cases.reduce((sum, one) => sum + lost(one), 0),
  };
}

/** Loss of a case in its first metric, or its distance from the limit: as a share of the range, else of the largest. */
function lossIn(run: Run, told: readonly Told[]): (one: WorseCase) => number {
  const [first] = told;
  const range = run.metrics.find(
    ({ task, metric }) => task === first?.one.task && metric === first.metric,
  )?.range;
  const largest = Math.max(...told.map(({ one }) => size(one)).filter(Number.isFinite), 0);
  const span = (range ? range[1] - range[0] : largest) || 1;
  // A case without a score on one side counts as a total loss.
  return (one) => (Number.isFinite(size(one)) ? size(one) / span : 1);
}

/** NaN if one side has no score. */
function size({ changes: [change], beyondBy }: WorseCase): number {
  return beyondBy ?? Math.abs((change?.before ?? Number.NaN) - (change?.after ?? Number.NaN));
}

/** The share of all cases that are in a slice; undefined if the run does not tell. */
type Shares = (field: string, value: string) => number | undefined;

function sharesOf({ metrics }: Run, told: readonly Told[]): Shares {
  const [first] = told;
  const all = metrics.filter(
    ({ task, candidate, metric }) =>
      task === first?.one.task && candidate === first.one.candidate && metric === first.metric,
  );
  const whole = all.find(({ slice }) => slice === null)?.n ?? 0;
  const bySliceName = new Map(all.map(({ slice, n }) => [slice, n]));
  return (field, value) => {
    const n = bySliceName.get(`${field}=${value}`);
    return n === undefined || whole === 0 ? undefined : n / whole;
  };
}

/** A slice is named if its share of a group exceeds its share of all cases by this much. */
const leastLift = 0.15;

/** The fields whose slices distinguish the cases best, best first. */
function tellingFields(told: readonly Told[], shares: Shares): readonly string[] {
  const fields = [...new Set(told.flatMap(({ slices }) => Object.keys(slices)))];
  const lift = (field: string): number =>
    Math.max(
      ...countsOf(told, field).map(
        ({ value, cases }) => cases / told.length - (shares(field, value) ?? 0),
      ),
    );
  return fields
    .map((field) => ({ field, lift: lift(field) }))
    .filter((each) => each.lift >= leastLift)
    .toSorted((a, b) => b.lift - a.lift)
    .map(({ field }) => field);
}

function countsOf(told: readonly Told[], field: string): readonly SliceCount[] {
  const values = Map.groupBy(told, ({ slices }) => slices[field]);
  return [...values]
    .flatMap(([value, some]) =>
      value === undefined ? [] : [{ field, value, cases: some.length } satisfies SliceCount],
    )
    .toSorted((a, b) => b.cases - a.cases);
}

/** The slices of the best field, and those of other fields that contain all cases. */
function whereIn(told: readonly Told[], shares: Shares): readonly SliceCount[] {
  const [first, ...others] = tellingFields(told, shares);
  if (first === undefined) return [];
  const whole = others.flatMap((field) =>
    countsOf(told, field).filter(({ cases }) => cases === told.length),
  );
  return [...countsOf(told, first), ...whole];
}
