import { join } from "node:path";
import { ownPolicyFolder } from "../../model/outcomes/policy.ts";
import type { BrokenGroup, WorseCases } from "../../model/outcomes/broken.ts";
import { pageFormat } from "../../model/page.ts";
import type { PageCase, PageRun } from "../../model/page.ts";
import { Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { FetchedTexts, SampleReader } from "../../model/ports/store.ts";
import { renderPage, type PagePiece } from "../../report/html/page.ts";
import {
  pageFacts,
  pageGroups,
  pagePolicy,
  pageRules,
  pageTrends,
  pageVerdict,
  whichRun,
} from "../../report/html/run-words.ts";
import { explainingGroups } from "../../report/words/explaining-groups.ts";
import { casesBeyond, limitRules } from "../../report/words/beyond-cases.ts";
import type { Consequence } from "../../report/words/titles.ts";
import { worseCases } from "../../report/words/worse-cases.ts";
import { baselineSource } from "../../verdict/baseline.ts";
import type { Baseline } from "../../verdict/conclude.ts";
import { readTexts, type RunTexts } from "../../verdict/summarize.ts";
import type { FinishedRun } from "../../run/finish.ts";
import type { Tools } from "../../tools.ts";
import { findAgain, readComparedWith } from "../compare.ts";
import { createColumns } from "./columns.ts";
import { queueCases } from "./queue.ts";
import { pageSlicesOf } from "./slices.ts";
import { tabulate, type PlaceTable } from "./tables.ts";
import { textChunks } from "./texts.ts";

/** A run to be shown on a page, and the facts known about it. */
export interface PageSource {
  readonly directory: string;
  /** The run's name in the commands that the page suggests (`regrade show NAME`). */
  readonly shownAs: string;
  /** Directory of the baseline, if it is not at the recorded place. */
  readonly baseline?: string | undefined;
  /** Downloads the baseline's texts into that directory, if they are elsewhere. */
  readonly fetchTexts?: (() => Promise<FetchedTexts>) | undefined;
  readonly isOwnPolicy?: boolean;
  /** Consequence of the verdict, if the run alone does not tell it: `fail-on` may let the verdict pass. */
  readonly follows?: Consequence | undefined;
  /** True if the next source is the same run, judged by the change's own policy. */
  readonly hasOwnPolicy?: boolean;
}

/** The source of a run that has just ended. */
export function pageSource({ directory, baseline }: FinishedRun): PageSource {
  const source = { directory, shownAs: directory };
  if (baseline.kind === "none") return source;
  return { ...source, baseline: baseline.directory, fetchTexts: baseline.fetchTexts };
}

/** Writes runs as one self-contained HTML file: verdict, rules, groups, and every case with its texts. */
export async function writePage(
  sources: readonly PageSource[],
  file: string,
  tools: Tools,
): Promise<void> {
  const template = await tools.readPageTemplate();
  await tools.writeText(file, renderPage(template, piecesOf(sources, tools)));
}

async function* piecesOf(sources: readonly PageSource[], tools: Tools): AsyncGenerator<PagePiece> {
  const { stringify } = tools.secrets;
  const runs: PageRun[] = [];
  for (const source of await withOwnPolicies(sources, tools)) {
    const writing = writeRun(source, tools);
    let at = 0;
    for (let next = await writing.next(); ; next = await writing.next()) {
      if (next.done === true) {
        runs.push(next.value);
        break;
      }
      yield { kind: "chunk", run: runs.length, at, json: stringify(next.value) };
      at += 1;
    }
  }
  yield { kind: "index", json: stringify({ format: pageFormat, runs }) };
}

/** Adds, after each run that was judged by two policies, the run of the change's own policy. */
async function withOwnPolicies(
  sources: readonly PageSource[],
  { files }: Tools,
): Promise<readonly PageSource[]> {
  const all: PageSource[] = [];
  for (const source of sources) {
    const own = join(source.directory, ownPolicyFolder);
    const { kind } = await files.inspectPath(join(own, "run.json"));
    const hasOwnPolicy = kind === "file";
    all.push({ ...source, hasOwnPolicy });
    if (hasOwnPolicy) all.push({ ...source, directory: own, isOwnPolicy: true });
  }
  return all;
}

/** Writes the texts of a run's cases in chunks; returns the data that is shown before a case is opened. */
async function* writeRun(
  source: PageSource,
  tools: Tools,
): AsyncGenerator<readonly PageCase[], PageRun> {
  const { directory } = source;
  const { run, ledger } = await tools.readRun(directory);
  const baseline = await baselineOf(source, run, tools);
  const beforeFrom = baselineSource(baseline);
  const isExplained = run.gate.rules.some(({ broke, beyond }) => (broke ?? 0) > 0 || beyond);
  // If no case explains the verdict, don't wait for downloading the earlier answers.
  const fetched = isExplained ? await source.fetchTexts?.() : undefined;
  const texts = await readTexts(run, {
    directory,
    baseline: beforeFrom,
    ledger,
    visitSamples: tools.visitSamples,
  });
  const worse = worseCases(run);
  const groups = explainingGroups(run, texts.broken);
  const tables = [...tabulate(run, ledger, baseline)];
  const beyond = casesBeyond(limitRules(run));
  const queue = queueCases(tables, { worse, beyond, groups });
  const now = await tools.openSamples(directory);
  const before =
    beforeFrom === undefined ? noSamples : await tools.openSamples(beforeFrom.directory);
  const columns = createColumns(run, tables, queue);
  try {
    const from = { now, before, hashText: tools.files.hashText };
    for await (const chunk of textChunks(queue.cases, from)) {
      for (const one of chunk) columns.sawTexts(one);
      yield chunk;
    }
  } finally {
    await now.close();
    await before.close();
  }
  const gone = fetched?.kind === "gone" ? fetched.reason : goneOf(run, baseline, texts);
  const which = whichRun(run, source.isOwnPolicy === true);
  const { shownAs } = source;
  const policy = source.isOwnPolicy === true ? undefined : pagePolicy(run);
  const cases = columns.whole();
  return {
    ...wordsOf(run, { tables, groups, worse, follows: source.follows }),
    which,
    cases,
    shownAs,
    ...(policy !== undefined && source.hasOwnPolicy === true && { policy }),
    ...(source.isOwnPolicy === true && { isByOwnRules: true as const }),
    ...(gone !== undefined && { beforeGone: gone }),
  };
}

type Words = Omit<
  PageRun,
  "which" | "cases" | "shownAs" | "beforeGone" | "policy" | "isByOwnRules"
>;

function wordsOf(
  run: Run,
  found: {
    readonly tables: readonly PlaceTable[];
    readonly groups: readonly BrokenGroup[];
    readonly worse: WorseCases;
    readonly follows: Consequence | undefined;
  },
): Words {
  const placeOf = placeFinder(found.tables);
  return {
    suite: run.suite.name,
    id: run.id,
    verdict: pageVerdict(run, found.worse, found.follows),
    rules: pageRules(run),
    groups: pageGroups(found.groups, placeOf),
    slices: pageSlicesOf(found.tables),
    trends: pageTrends(run, placeOf),
    facts: pageFacts(run),
  };
}

const noSamples: SampleReader = { read: async () => undefined, close: async () => undefined };

function goneOf(run: Run, baseline: Baseline, texts: RunTexts): string | undefined {
  if (texts.beforeGone !== undefined) return texts.beforeGone;
  if (run.baseline === null || baseline.kind === "run") return undefined;
  return `the baseline ${run.baseline.source} is not here any more`;
}

/** The run's baseline, or none if it was deleted or if another run is in its place. */
async function baselineOf(source: PageSource, run: Run, tools: Tools): Promise<Baseline> {
  if (source.baseline === undefined) return findAgain(run, tools);
  try {
    const sides = { base: [source.baseline] as const, head: source.directory };
    const found = await readComparedWith(sides, run, tools);
    const isSame = found.kind === "run" && found.stored.run.id === run.baseline?.run_id;
    return isSame ? found : { kind: "none", reason: "another run is in its place" };
  } catch (error) {
    if (error instanceof Refusal) return { kind: "none", reason: "it can't be read" };
    throw error;
  }
}

function placeFinder(tables: readonly PlaceTable[]) {
  return ({ task, candidate }: { readonly task: string; readonly candidate: string }): number =>
    tables.findIndex(({ cell }) => cell.task === task && cell.candidate === candidate);
}
