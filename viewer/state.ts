import { computed, effect, signal } from "@preact/signals";
import type { PageCases, PageIndex, PageRun } from "../src/model/page.ts";
import { openAll, opened } from "./data.ts";
import { patternOf, searchCases } from "./matches.ts";
import { go, noFilter, route, type Route } from "./route.ts";
import { selectCases } from "./select.ts";

/** The page's data; undefined until it is open. */
export const index = signal<PageIndex | undefined>(undefined);

/** The run that is shown. */
export const run = computed<PageRun | undefined>(() => {
  const runs = index.value?.runs ?? [];
  return runs[route.value.run] ?? runs[0];
});

/** The index of the run that is shown, because an address may name one that does not exist. */
export const runAt = computed(() => {
  const { length } = index.value?.runs ?? [];
  return route.value.run < length ? route.value.run : 0;
});

/** The indexes of the cases that the filters leave. */
export const selected = computed<readonly number[]>(() => {
  const shown = run.value;
  if (shown === undefined) return [];
  // Texts that were opened since may contain the search text.
  if (route.value.text !== "") void opened.value;
  return selectCases(shown.cases, { ...route.value, run: runAt.value });
});

/** The index of the open case; undefined if none is open, or if no case has that id. */
export const openCaseAt = computed<number | undefined>(() => {
  const { caseId, casePlace } = route.value;
  const shown = run.value;
  if (caseId === undefined || shown === undefined) return undefined;
  return findCase(shown.cases, { caseId, casePlace }, selected.value);
});

/** Finds a case by its id, first among the filtered ones, because several tasks may have the same id. */
function findCase(
  { id, place }: PageCases,
  { caseId, casePlace }: Pick<Route, "caseId" | "casePlace">,
  first: readonly number[],
): number | undefined {
  // Half a surrogate pair can't be part of an address.
  const isMeant = (i: number): boolean =>
    id[i]?.toWellFormed() === caseId && (casePlace === undefined || place[i] === casePlace);
  const found = first.find(isMeant) ?? id.findIndex((_, i) => isMeant(i));
  return found < 0 ? undefined : found;
}

const searched = computed(() => route.value.text);

/** A search needs all texts, so all of them are opened when a search begins. */
effect(() => {
  const [shown, at, text] = [run.value, runAt.value, searched.value];
  if (shown === undefined || text === "") return undefined;
  const { cases } = shown;
  let stop: (() => void) | undefined;
  let isOver = false;
  const search = (): void => {
    const pattern = patternOf(text);
    if (pattern !== undefined && !isOver) stop = searchCases(cases, at, pattern);
  };
  void openAll(at, cases.withTexts).then(search, search);
  return () => {
    isOver = true;
    stop?.();
  };
});

/** Opens the case this many positions after the open one in the list. */
export function step(by: number): void {
  const shown = run.value;
  const list = selected.value;
  if (shown === undefined || list.length === 0) return;
  const at = openCaseAt.value === undefined ? -1 : list.indexOf(openCaseAt.value);
  const next = at < 0 ? 0 : Math.min(list.length - 1, Math.max(0, at + by));
  openCase(list[next] ?? 0, at < 0);
}

/** Opens a case by its index. */
export function openCase(i: number, isStep = true): void {
  const shown = run.value;
  if (shown === undefined) return;
  const isAlone = shown.cases.places.length === 1;
  const casePlace = isAlone ? undefined : shown.cases.place[i];
  go({ view: "cases", caseId: shown.cases.id[i], casePlace }, isStep);
}

/** Leaves the case, then the filters, then the list. */
export function back(): void {
  const { caseId, view } = route.value;
  if (caseId !== undefined) go({ caseId: undefined, view: "cases" });
  else if (view === "cases") go({ ...noFilter, view: "overview" });
}
