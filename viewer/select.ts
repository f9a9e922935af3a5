import { caseFlags, type PageCases } from "../src/model/page.ts";
import { haystackOf } from "./haystack.ts";
import { matches, patternOf } from "./matches.ts";
import { isWithin } from "./range.ts";
import { rangeNames, type Move, type RangeName, type Route } from "./route.ts";
import { metricOf, scoresIn, type Change } from "./scores.ts";

/** The indexes of the cases that the filters leave, in the order of the queue. */
export function selectCases(cases: PageCases, filter: Route): readonly number[] {
  const keeps = [
    flagTest,
    groupTest,
    placeTest,
    sliceTest,
    metricTest,
    errorTest,
    movedTest,
    ...rangeNames.map(rangeTest),
    textTest,
  ].flatMap((make) => make(cases, filter) ?? []);
  const kept: number[] = [];
  for (let i = 0; i < cases.id.length; i += 1) if (keeps.every((keep) => keep(i))) kept.push(i);
  return kept;
}

type Test = ((i: number) => boolean) | undefined;

function flagTest({ flags }: PageCases, { show }: Route): Test {
  if (show === undefined) return undefined;
  return (i) => ((flags[i] ?? 0) & caseFlags[show]) !== 0;
}

function groupTest({ group }: PageCases, filter: Route): Test {
  return filter.group === undefined ? undefined : (i) => group[i] === filter.group;
}

function placeTest({ place }: PageCases, filter: Route): Test {
  return filter.place === undefined ? undefined : (i) => place[i] === filter.place;
}

/** `field=value` */
function sliceTest({ slices, sliceSets }: PageCases, { slice }: Route): Test {
  if (slice === undefined) return undefined;
  const at = slice.indexOf("=");
  const [field, value] = [slice.slice(0, at), slice.slice(at + 1)];
  const kept = sliceSets.map((set) => set[field] === value);
  return (i) => kept[slices[i] ?? -1] === true;
}

/** Whether a case changed in the metric. */
function metricTest({ changes }: PageCases, { metric }: Route): Test {
  if (metric === undefined) return undefined;
  return (i) => changes[i]?.some(([id]) => id === metric) === true;
}

function errorTest({ error, errors }: PageCases, filter: Route): Test {
  const wanted = filter.error;
  if (wanted === undefined) return undefined;
  return (i) => errors[error[i] ?? -1] === wanted;
}

function rangeTest(name: RangeName): (cases: PageCases, filter: Route) => Test {
  return (cases, filter) => {
    const range = filter[name];
    if (range === undefined) return undefined;
    const figure = figureOf(cases, name, filter.metric);
    return (i) => isWithin(figure(i), range);
  };
}

function figureOf(
  cases: PageCases,
  name: RangeName,
  metric: string | undefined,
): (i: number) => number | null {
  switch (name) {
    case "before":
      return (i) => scoresIn(cases, i, metric).was;
    case "now":
      return (i) => scoresIn(cases, i, metric).is;
    case "secondsBefore":
    case "seconds":
    case "usdBefore":
    case "usd":
      return (i) => cases[name][i] ?? null;
  }
}

function movedTest(cases: PageCases, { moved, metric }: Route): Test {
  if (moved === undefined) return undefined;
  return (i) => moveTests[moved](cases, i, metric);
}

type MoveTest = (cases: PageCases, i: number, metric: string | undefined) => boolean;

const moveTests: Readonly<Record<Move, MoveTest>> = {
  worse: (...of) => gain(...of) < 0,
  better: (...of) => gain(...of) > 0,
  same: (...of) => gain(...of) === 0,
  slower: (cases, i) => rise(secondsOf(cases, i)) > 0,
  faster: (cases, i) => rise(secondsOf(cases, i)) < 0,
  dearer: (cases, i) => rise(usdOf(cases, i)) > 0,
  cheaper: (cases, i) => rise(usdOf(cases, i)) < 0,
};

function gain(cases: PageCases, i: number, metric: string | undefined): number {
  const isUp = metricOf(cases, i, metric ?? mainOf(cases, i))?.higherIsBetter ?? true;
  const by = rise(scoresIn(cases, i, metric));
  return isUp ? by : -by;
}

function mainOf({ places, place }: PageCases, i: number): string {
  return places[place[i] ?? 0]?.metric ?? "";
}

function secondsOf({ secondsBefore, seconds }: PageCases, i: number): Change {
  return { was: secondsBefore[i] ?? null, is: seconds[i] ?? null };
}

function usdOf({ usdBefore, usd }: PageCases, i: number): Change {
  return { was: usdBefore[i] ?? null, is: usd[i] ?? null };
}

/** NaN if there is nothing to compare, so that it is neither above 0, nor below, nor 0. */
function rise({ was, is }: Change): number {
  return was === null || is === null ? Number.NaN : is - was;
}

/** Text in slashes is a regular expression; an invalid one is plain text. */
function textTest({ id }: PageCases, { run, text }: Route): Test {
  if (text === "") return undefined;
  const pattern = patternOf(text);
  if (pattern !== undefined) {
    const found = matches.value;
    return (i) => found?.pattern === pattern && found.cases.has(i);
  }
  const needle = text.toLowerCase();
  return (i) =>
    id[i]?.toLowerCase().includes(needle) === true || haystackOf(run, i).includes(needle);
}
