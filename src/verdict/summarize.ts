import type { Ledger } from "../model/figures/ledger.ts";
import type { BrokenCase, MetricChange, WorseCase } from "../model/outcomes/broken.ts";
import { rowWords } from "../base/row-words.ts";
import { textOfMessages } from "../model/models/message.ts";
import type { Run } from "../model/outcomes/run.ts";
import { caseKey } from "../model/outcomes/sample.ts";
import type { Sample, ScoreRow } from "../model/outcomes/sample.ts";
import { answerText, toolCallsOf } from "../model/models/transcript.ts";
import { renderSummary } from "../report/markdown/markdown.ts";
import { casesBeyond, limitRules } from "../report/words/beyond-cases.ts";
import { asExplained } from "../report/words/relaxed.ts";
import { worseCases } from "../report/words/worse-cases.ts";
import type { BaselineSource } from "./baseline.ts";
import { createErrorGroups } from "./error-groups.ts";
import { createShownRepeats } from "./shown-repeat.ts";
import type { ErrorGroups } from "./error-groups.ts";

/** Source of a summary's texts. */
interface SummarySources {
  readonly directory: string;
  readonly baseline: BaselineSource | undefined;
  readonly ledger: Ledger;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
}

/** Texts of a run that its report may show: of broken cases, and of errors. */
export interface RunTexts {
  readonly broken: readonly BrokenCase[];
  readonly errors: ReturnType<ErrorGroups["groups"]>;
  /** Why the baseline's texts are missing, if they were needed: a clause. */
  readonly beforeGone?: string;
}

/** The markdown summary of a run, with the texts of the cases that broke. */
export async function summarize(run: Run, sources: SummarySources): Promise<string> {
  return renderRun(run, await readTexts(run, sources), sources);
}

/** Reads the texts of a run's report from its journal and the baseline's. */
export async function readTexts(run: Run, sources: SummarySources): Promise<RunTexts> {
  const { cases, others } = worseCases(run);
  const beyond = casesBeyond(limitRules(asExplained(run)));
  const changes = [...cases, ...others, ...beyond].flatMap((one) =>
    one.changes.map((change): Change => ({ one, change })),
  );
  const slices = slicesOf(sources.ledger, changes);
  const errors = createErrorGroups();
  const after = await readAfter(run, { sources, changes, errors });
  // Whether texts of the baseline are needed: texts that may not be shown are not fetched.
  const isOld = changes.some(({ one }) => one.against === undefined);
  const isWanted = isOld && run.suite.publish !== "ids";
  const fetched = isWanted ? await sources.baseline?.fetchTexts?.() : undefined;
  const before = await readBefore(run, sources, changes);
  const broken = changes.map((change) => brokenCase(change, { slices, before, after }));
  const gone = fetched?.kind === "gone" && { beforeGone: fetched.reason };
  return { broken, errors: errors.groups(), ...gone };
}

/** The summary of a run with loaded texts. */
export function renderRun(
  run: Run,
  texts: RunTexts,
  { directory, baseline }: Pick<SummarySources, "directory" | "baseline">,
): string {
  return renderSummary({
    run,
    content: run.suite.publish,
    ...texts,
    directories: { run: directory, ...(baseline !== undefined && { baseline: baseline.shown }) },
  });
}

/** A case in one of the metrics in which it got worse. */
interface Change {
  readonly one: WorseCase;
  readonly change: MetricChange;
}

type Samples = Pick<ReturnType<typeof createShownRepeats>, "get">;

function brokenCase(
  change: Change,
  known: { slices: ReadonlyMap<string, ScoreRow["slices"]>; before: Samples; after: Samples },
): BrokenCase {
  const {
    one: { task, candidate, against, caseId },
    change: { metric, before: scoreBefore, after: scoreAfter },
  } = change;
  const key = keyOf(change);
  const after = known.after.get(key);
  const before =
    against === undefined ? known.before.get(key) : known.after.get(referenceKey(change));
  return {
    task,
    candidate,
    against,
    metric,
    caseId,
    slices: known.slices.get(key) ?? {},
    ...rowOf(after ?? before),
    ...(after && {
      asked: keptText(askedIn(after)),
      target: after.target && keptText(after.target),
    }),
    before: {
      score: scoreBefore,
      ...(before && { output: outputOf(before), calls: callsOf(before) }),
    },
    after: { score: scoreAfter, ...(after && wordsOf(after)) },
  };
}

function rowOf(sample: Sample | undefined): Pick<BrokenCase, "row"> {
  const row = sample && rowWords(sample);
  return row === undefined ? {} : { row };
}

function wordsOf(sample: Sample): Omit<BrokenCase["after"], "score"> {
  const { judge, scores, error, printed, extracted_output } = sample;
  const [output, calls] = [outputOf(sample), callsOf(sample)];
  return { output, extracted: extracted_output, judge, scores, error, printed, calls };
}

/** The conversation before the last answer, if there was one. */
function askedIn({ prompt, messages }: Sample): string {
  return messages === undefined ? prompt : textOfMessages(messages);
}

/** An agent may call a tool a thousand times: each name is kept once, and so many of them. */
const callsKept = 50;

function callsOf({ transcript }: Sample): readonly string[] {
  const names = toolCallsOf(transcript).map(({ name }) => name);
  return [...new Set(names)].slice(0, callsKept);
}

function outputOf(sample: Sample): string | null {
  const text = answerText(sample);
  return text === null ? null : keptText(text);
}

/** Limit of a case's text in UTF-16 units: no report shows more, and a thousand cases may have broken. */
const longestKept = 20_000;

function keptText(text: string): string {
  return text.slice(0, longestKept);
}

function keyOf({ one }: Change): string {
  return caseKey(one);
}

/** Key of the same case for the candidate that it is compared with, because that side shows another repeat. */
function referenceKey({ one: { task, against = "", caseId } }: Change): string {
  return `reference ${caseKey({ task, candidate: against, caseId })}`;
}

function slicesOf(
  ledger: Ledger,
  changes: readonly Change[],
): ReadonlyMap<string, ScoreRow["slices"]> {
  const wanted = new Set(changes.map(keyOf));
  const found = new Map<string, ScoreRow["slices"]>();
  for (const group of wanted.size === 0 ? [] : ledger.groups()) {
    for (let i = 0; i < group.size; i += 1) {
      const key = caseKey({ ...group, caseId: group.caseId(i) });
      if (wanted.has(key)) found.set(key, group.slices(i));
    }
  }
  return found;
}

/**
 * A sample of each changed case, for both candidates if two are compared, and the errors. The journal is read only if
 * needed.
 */
async function readAfter(
  run: Run,
  {
    sources,
    changes,
    errors,
  }: { sources: SummarySources; changes: readonly Change[]; errors: ErrorGroups },
): Promise<Samples> {
  const wanted = new Map<string, Change>();
  for (const change of changes) {
    if (!wanted.has(keyOf(change))) wanted.set(keyOf(change), change);
    if (change.one.against !== undefined) wanted.set(referenceKey(change), change);
  }
  const found = createShownRepeats(run.metrics);
  const { invalid, failed, ungraded } = run.cases;
  if (wanted.size + invalid + failed + ungraded === 0) return found;
  for await (const sample of sources.visitSamples(sources.directory)) {
    errors.add(sample);
    const key = sampleKey(sample);
    const sides = [[key, "now"] as const, [`reference ${key}`, "before"] as const];
    for (const [as, side] of sides) {
      const metric = wanted.get(as)?.change.metric;
      if (metric !== undefined) found.take(as, sample, { metric, side });
    }
  }
  return found;
}

/** The texts of the baseline. Its candidate may have another name if each side has only one. */
async function readBefore(
  run: Run,
  sources: SummarySources,
  all: readonly Change[],
): Promise<Samples> {
  const [own, others] = [createShownRepeats(run.metrics), createShownRepeats(run.metrics)];
  const found: Samples = { get: (key) => own.get(key) ?? others.get(key) };
  const changes = all.filter(({ one }) => one.against === undefined);
  if (sources.baseline === undefined || changes.length === 0) return found;
  const byCase = Map.groupBy(changes, ({ one }) => caseKey({ ...one, candidate: "" }));
  for await (const sample of sources.visitSamples(sources.baseline.directory)) {
    const key = caseKey({ task: sample.task_id, candidate: "", caseId: sample.case_id });
    const asked = byCase.get(key) ?? [];
    const same = asked.find(({ one }) => one.candidate === sample.model);
    for (const change of same ? [same] : asked) {
      const { metric } = change.change;
      (same ? own : others).take(keyOf(change), sample, { metric, side: "before" });
    }
  }
  return found;
}

function sampleKey(sample: Sample): string {
  return caseKey({ task: sample.task_id, candidate: sample.model, caseId: sample.case_id });
}
