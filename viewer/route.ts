import { computed, signal } from "@preact/signals";
import type { CaseFlag } from "../src/model/page.ts";
import { type Range, readRange, writeRange } from "./range.ts";

/** The view that the page's address names: every view can be linked to. */
export interface Route extends Ranges {
  readonly run: number;
  readonly view: "overview" | "cases";
  /** The id of the open case. */
  readonly caseId: string | undefined;
  /** For the open case: the index of its task and candidate, if several have its id. */
  readonly casePlace: number | undefined;
  /** Index of a task and candidate. */
  readonly place: number | undefined;
  readonly show: CaseFlag | undefined;
  /** 0-based; the address counts from 1. */
  readonly group: number | undefined;
  readonly slice: string | undefined;
  readonly metric: string | undefined;
  readonly error: string | undefined;
  /** The direction in which a case's score, time or cost changed. */
  readonly moved: Move | undefined;
  readonly text: string;
}

/** Figures of a case that can be filtered by a range; the scores are those of `metric`, or of the case's place. */
export const rangeNames = [
  "before",
  "now",
  "secondsBefore",
  "seconds",
  "usdBefore",
  "usd",
] as const;
export type RangeName = (typeof rangeNames)[number];
type Ranges = { readonly [Name in RangeName]: Range | undefined };

const moves = ["worse", "better", "same", "slower", "faster", "dearer", "cheaper"] as const;
export type Move = (typeof moves)[number];

const address = signal(location.hash);
addEventListener("hashchange", () => {
  address.value = location.hash;
});

/** The view that the address names. Unknown parts of the address are ignored. */
export const route = computed(() => readRoute(address.value));

/** Reads an address. Pure. */
export function readRoute(hash: string): Route {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  const group = count(found.get("group"));
  const filters = {
    place: count(found.get("place")),
    show: flagOf(found.get("show")),
    group: group === undefined || group < 1 ? undefined : group - 1,
    slice: found.get("slice") ?? undefined,
    metric: found.get("metric") ?? undefined,
    error: found.get("error") ?? undefined,
    moved: moves.find((move) => move === found.get("moved")),
    ...rangesOf((name) => readRange(found.get(name))),
    text: found.get("text") ?? "",
  };
  const caseId = found.get("case") ?? undefined;
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== "");
  const isCases = caseId !== undefined || isFiltered || found.get("view") === "cases";
  return {
    run: (count(found.get("run")) ?? 1) - 1,
    view: isCases ? "cases" : "overview",
    caseId,
    casePlace: count(found.get("in")),
    ...filters,
  };
}

/** Writes an address. Pure; `readRoute` reads it back. */
export function writeRoute(to: Route): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== "") params.set(name, String(value));
  };
  if (to.run > 0) put("run", to.run + 1);
  put("show", to.show);
  put("group", to.group === undefined ? undefined : to.group + 1);
  put("place", to.place);
  put("slice", to.slice);
  put("metric", to.metric);
  put("error", to.error);
  put("moved", to.moved);
  for (const name of rangeNames) put(name, writeRange(to[name]));
  put("text", to.text);
  put("case", to.caseId);
  put("in", to.caseId === undefined ? undefined : to.casePlace);
  if (to.view === "cases" && params.size === (to.run > 0 ? 1 : 0)) put("view", "cases");
  return `#${params.toString()}`;
}

export const noFilter = {
  place: undefined,
  show: undefined,
  group: undefined,
  slice: undefined,
  metric: undefined,
  error: undefined,
  moved: undefined,
  ...rangesOf(() => undefined),
  text: "",
} as const;

function rangesOf(of: (name: RangeName) => Range | undefined): Ranges {
  return {
    before: of("before"),
    now: of("now"),
    secondsBefore: of("secondsBefore"),
    seconds: of("seconds"),
    usdBefore: of("usdBefore"),
    usd: of("usd"),
  };
}

/** The address of the present view with some changes. */
export function addressOf(change: Partial<Route>): string {
  return writeRoute({ ...route.value, ...change });
}

/** Goes to a view. `isStep`: the browser's back button then returns to the present view. */
export function go(change: Partial<Route>, isStep = true): void {
  const next = addressOf(change);
  try {
    history[isStep ? "pushState" : "replaceState"](null, "", next);
    address.value = next;
  } catch {
    // If the browser refuses to change the history (a frame without an origin), the view is shown nevertheless.
    address.value = next;
  }
}

addEventListener("popstate", () => {
  address.value = location.hash;
});

function flagOf(text: string | null): CaseFlag | undefined {
  return flags.find((flag) => flag === text);
}

const flags = [
  "broke",
  "fixed",
  "failing",
  "fresh",
  "ungraded",
  "error",
  "mustPass",
  "worse",
  "beyond",
] as const;

function count(text: string | null): number | undefined {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
