import { ownValue } from "../model/own-value.ts";
import { matchesName } from "../base/glob.ts";
import { nearest } from "../base/nearest.ts";
import { rowWords } from "../base/row-words.ts";
import { claimsOf } from "../model/claims.ts";
import type { CaseEntry, CaseFilter, CaseList, EntryKind } from "../model/outcomes/shown-case.ts";
import type { Ledger, LedgerGroup } from "../model/figures/ledger.ts";
import { withSampleMetrics } from "../model/definition/metric.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import type { RuleResult } from "../model/outcomes/rule-result.ts";
import type { Run } from "../model/outcomes/run.ts";
import { limitRules } from "../report/words/beyond-cases.ts";
import { outcomeOf, type Sample } from "../model/outcomes/sample.ts";
import type { StoredRun } from "../model/ports/store.ts";
import type { Tools } from "../tools.ts";

/**
 * Lists the cases of a run that broke, were fixed or failed, or that have unverified claims. `filter` selects among
 * them.
 */
export async function listCases(
  directory: string,
  filter: CaseFilter,
  tools: Tools,
): Promise<CaseList> {
  const stored = await tools.readRun(directory);
  const unknown = unknownFilters(stored, filter);
  if (unknown.length > 0) throw new Refusal(unknown);
  const facts = await readSampleFacts(directory, tools);
  const { claims } = facts;
  const listed = entriesOf(stored).map((entry) => withFacts(entry, facts));
  const claimed = filter.kinds.includes("claims") ? claimEntries(claims, stored) : [];
  const all = [...listed, ...claimed];
  const { gate } = stored.run;
  const isCut = gate.rules.some(
    ({ broke, fixed, changed, beyond }) =>
      (broke ?? 0) > changed.broke.length ||
      (fixed ?? 0) > changed.fixed.length ||
      (beyond?.count ?? 0) > (beyond?.cases.length ?? 0),
  );
  const entries = all.filter((entry) => passes(entry, filter));
  return { run: stored.run, entries: filter.kinds.length > 0 ? entries : once(entries), isCut };
}

/** Filters that no case of the run can pass, because it has no such task, candidate, metric, field or value. */
function unknownFilters(
  { run, ledger }: StoredRun,
  { task, candidate, metric, slices }: Omit<CaseFilter, "kinds" | "error">,
): readonly Problem[] {
  const tasks = Object.entries(run.suite.tasks);
  const declared = tasks.flatMap(([id, spec]) =>
    withSampleMetrics(spec.metrics).map((one) => ({ task: id, metric: one.id })),
  );
  const all = [...declared, ...run.metrics];
  const isMetric = metric === undefined || all.some((one) => isOfMetric(one, metric));
  const metrics = new Set(all.map((one) => one.metric));
  const names = tasks.map(([id]) => id);
  const candidates = run.candidates.map(({ id }) => id);
  return [
    ...unknownName("--task", task, names),
    ...unknownName("--candidate", candidate, candidates),
    ...(isMetric ? [] : unknownName("--metric", metric, [...metrics])),
    ...unknownSlices(slices, ledger),
  ];
}

/** As in a rule: a metric's id, or `task/metric`, as tables name it. */
function isOfMetric(
  { task, metric = "" }: { readonly task: string; readonly metric?: string | undefined },
  glob: string,
): boolean {
  return matchesName(metric, glob) || matchesName(`${task}/${metric}`, glob);
}

function unknownSlices(asked: CaseFilter["slices"], ledger: Ledger): readonly Problem[] {
  const known = new Map<string, Set<string>>();
  for (const values of ledger.groups().flatMap((group) => group.sliceCombinations()))
    for (const [field, value] of Object.entries(values))
      known.set(field, (known.get(field) ?? new Set()).add(value));
  return asked.flatMap(([field, value]) => {
    const values = known.get(field);
    if (values !== undefined)
      return unknownName(`--slice ${field}=`, value, [...values].toSorted());
    return unknownName("--slice", field, [...known.keys()]);
  });
}

function unknownName(
  flag: string,
  name: string | undefined,
  known: readonly string[],
): readonly Problem[] {
  if (name === undefined || known.includes(name)) return [];
  const found = { flag, name, nearest: nearest(name, known), known: known.slice(0, 10) };
  return [problem("filter_unknown", found)];
}

/** Removes the entries "worst" of cases that are listed as beyond a limit. */
function once(entries: readonly CaseEntry[]): readonly CaseEntry[] {
  const beyond = new Set(entries.filter(({ kind }) => kind === "beyond").map(metricKey));
  return entries.filter((one) => one.kind !== "worst" || !beyond.has(metricKey(one)));
}

function metricKey(one: CaseEntry): string {
  return JSON.stringify([keyOf(one), one.metric]);
}

function withFacts(entry: CaseEntry, { errors, rows }: SampleFacts): CaseEntry {
  const row = rows.get(entry.caseId);
  return { ...entry, error: errors.get(keyOf(entry)), ...(row !== undefined && { row }) };
}

/** Ids of the cases that broke or failed in a run, or have the worst score in one without a baseline. */
export function brokenOrFailed(stored: StoredRun): readonly string[] {
  const again: readonly EntryKind[] = ["broken", "failed", "worst"];
  const wanted = entriesOf(stored).filter(({ kind }) => again.includes(kind));
  return [...new Set(wanted.map(({ caseId }) => caseId))];
}

function entriesOf({ run, ledger }: StoredRun): readonly CaseEntry[] {
  const changed = (["broken", "fixed"] as const).flatMap((kind) =>
    run.gate.rules.flatMap((rule) => changedEntries(rule, kind, ledger)),
  );
  const beyond = limitRules(run).flatMap((rule) => beyondEntries(rule, ledger));
  const failed = ledger.groups().flatMap((group) => failedEntries(run, group));
  const byKey = new Map<string, CaseEntry>();
  for (const entry of [...changed, ...beyond, ...failed]) {
    const key = JSON.stringify([entry.kind, keyOf(entry), entry.metric, entry.against]);
    if (!byKey.has(key)) byKey.set(key, entry);
  }
  return [...byKey.values()];
}

function changedEntries(
  { task, candidate, against, metric, changed }: RuleResult,
  kind: "broken" | "fixed",
  ledger: Ledger,
): readonly CaseEntry[] {
  const group = ledger.group(task, candidate);
  const cases = kind === "broken" ? changed.broke : changed.fixed;
  return cases.map(({ case_id: caseId, before, after }) => {
    const slices = slicesOf(group, caseId);
    const values = { before, after, slices, error: undefined, claims: [] };
    return Object.assign(values, { kind, task, candidate, against, caseId, metric });
  });
}

function beyondEntries(
  { task, candidate, metric, beyond }: ReturnType<typeof limitRules>[number],
  ledger: Ledger,
): readonly CaseEntry[] {
  const group = ledger.group(task, candidate);
  return beyond.cases.map(({ case_id: caseId, value: after, before }) => {
    const slices = slicesOf(group, caseId);
    const values = { before, after, slices, error: undefined, claims: [] };
    return Object.assign(values, { kind: "beyond" as const, task, candidate, caseId, metric });
  });
}

function slicesOf(group: LedgerGroup | undefined, caseId: string): CaseEntry["slices"] {
  const wanted = group?.positions().get(caseId);
  const size = group?.size ?? 0;
  for (let i = 0; i < size; i += 1) if (group?.caseAt(i) === wanted) return group?.slices(i) ?? {};
  return {};
}

/** Cases without an answer or a score; without a baseline, also the worst scores of the first metric. */
function failedEntries(run: Run, group: LedgerGroup): readonly CaseEntry[] {
  const { task, candidate } = group;
  const worst = run.baseline === null ? worstOf(run, task) : undefined;
  const found: CaseEntry[] = [];
  for (let i = 0; i < group.size; i += 1) {
    const score = worst && group.score(i, worst.metric);
    const isWorst = worst !== undefined && score === worst.score;
    if (group.outcome(i) === "scored" && !isWorst) continue;
    const [caseId, slices] = [group.caseId(i), group.slices(i)];
    const metric = isWorst ? worst.metric : undefined;
    const kind = group.outcome(i) === "scored" ? "worst" : "failed";
    const common = { kind, task, candidate, caseId, metric, slices } as const;
    found.push({ ...common, before: undefined, after: score, error: undefined, claims: [] });
  }
  return found;
}

function worstOf(
  { suite }: Run,
  task: string,
): { readonly metric: string; readonly score: number } | undefined {
  const [first] = ownValue(suite.tasks, task)?.metrics ?? [];
  if (first?.range === undefined || first.range === null) return undefined;
  const score = first.higher_is_better ? first.range[0] : first.range[1];
  return score === null ? undefined : { metric: first.id, score };
}

interface SampleFacts {
  /** Errors by case. */
  readonly errors: ReadonlyMap<string, string>;
  /** Row summaries of cases whose id is a hash. */
  readonly rows: ReadonlyMap<string, string>;
  /** Claims that judges could not verify, by case; each claim once. */
  readonly claims: ReadonlyMap<string, ReadonlySet<string>>;
}

async function readSampleFacts(directory: string, { visitSamples }: Tools): Promise<SampleFacts> {
  const errors = new Map<string, string>();
  const rows = new Map<string, string>();
  const claims = new Map<string, Set<string>>();
  for await (const sample of visitSamples(directory)) {
    const key = keyOf(nameOf(sample));
    if (sample.error !== null) errors.set(key, `${sample.error.type}: ${sample.error.message}`);
    else if (outcomeOf(sample) !== "ungraded") errors.delete(key);
    const row = rows.size < rowsKept ? rowWords(sample) : undefined;
    if (row !== undefined) rows.set(sample.case_id, row);
    for (const claim of claimsOf(sample.judge)) {
      const known = claims.get(key) ?? new Set();
      claims.set(key, known.add(claim));
    }
  }
  return { errors, rows, claims };
}

const rowsKept = 20_000;
/** Cases with unverified claims, in the run's order. */
function claimEntries(all: SampleFacts["claims"], { ledger }: StoredRun): readonly CaseEntry[] {
  const found = new Map<string, CaseEntry>();
  for (const group of ledger.groups()) {
    const { task, candidate } = group;
    for (let i = 0; i < group.size; i += 1) {
      const caseId = group.caseId(i);
      const key = keyOf({ task, candidate, caseId });
      const claims = [...(all.get(key) ?? [])];
      if (claims.length === 0 || found.has(key)) continue;
      const slices = group.slices(i);
      const unchanged = {
        metric: undefined,
        before: undefined,
        after: undefined,
        error: undefined,
      };
      found.set(key, { kind: "claims", task, candidate, caseId, ...unchanged, slices, claims });
    }
  }
  return [...found.values()];
}

function nameOf({ task_id, model, case_id }: Sample): Parameters<typeof keyOf>[0] {
  return { task: task_id, candidate: model, caseId: case_id };
}

function keyOf({
  task,
  candidate,
  caseId,
}: {
  readonly task: string;
  readonly candidate: string;
  readonly caseId: string;
}): string {
  return JSON.stringify([task, candidate, caseId]);
}

function passes(entry: CaseEntry, filter: CaseFilter): boolean {
  const kinds: readonly EntryKind[] = filter.kinds;
  return (
    (kinds.length === 0 || kinds.includes(entry.kind)) &&
    (filter.task === undefined || entry.task === filter.task) &&
    (filter.candidate === undefined || entry.candidate === filter.candidate) &&
    (filter.metric === undefined || isOfMetric(entry, filter.metric)) &&
    (filter.error === undefined || (entry.error ?? "").includes(filter.error)) &&
    filter.slices.every(([field, value]) => entry.slices[field] === value)
  );
}
