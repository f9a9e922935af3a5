import { caseFlags, type PageCase, type PageCases } from "../src/model/page.ts";
import { openedCase } from "./data.ts";
import type { Route } from "./route.ts";

/** The numbers of the cases that the filters leave, in the order of the queue. */
export function selectCases(cases: PageCases, filter: Route): readonly number[] {
  const keeps = [
    flagTest,
    groupTest,
    placeTest,
    sliceTest,
    metricTest,
    errorTest,
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

/** Cases that changed in it. */
function metricTest({ changes }: PageCases, { metric }: Route): Test {
  if (metric === undefined) return undefined;
  return (i) => changes[i]?.some(([id]) => id === metric) === true;
}

function errorTest({ error, errors }: PageCases, filter: Route): Test {
  const wanted = filter.error;
  if (wanted === undefined) return undefined;
  return (i) => errors[error[i] ?? -1] === wanted;
}

/** Text in slashes is a regular expression; an invalid one is plain text. */
function textTest({ id }: PageCases, { run, text }: Route): Test {
  if (text === "") return undefined;
  const finds = finderOf(text);
  return (i) => finds((id[i] ?? "").toLowerCase()) || finds(haystackOf(run, i));
}

function finderOf(text: string): (haystack: string) => boolean {
  const [, pattern] = /^\/(.+)\/$/s.exec(text) ?? [];
  const expression = pattern === undefined ? undefined : compile(pattern);
  if (expression !== undefined) return (haystack) => expression.test(haystack);
  const needle = text.toLowerCase();
  return (haystack) => haystack.includes(needle);
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "iu");
  } catch {
    return undefined;
  }
}

const haystacks = new WeakMap<PageCase, string>();

/** All texts of a case, in small letters; empty if they have not been opened. */
function haystackOf(run: number, i: number): string {
  const one = openedCase(run, i);
  if (one === undefined) return "";
  const known = haystacks.get(one);
  if (known !== undefined) return known;
  const parts = [one.prompt, one.target ?? "", ...[...one.now, ...one.before].map(textOf)];
  const made = parts.join("\n").toLowerCase();
  haystacks.set(one, made);
  return made;
}

function textOf({ output, extracted, judge, error, printed }: PageCase["now"][number]): string {
  const words = judge === null ? "" : JSON.stringify(judge);
  return [output ?? "", extracted ?? "", words, error?.message ?? "", printed ?? ""].join("\n");
}
