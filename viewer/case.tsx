import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PageCase, PageMetric, PageRun, PageSample } from "../src/model/page.ts";
import { Actions } from "./actions.tsx";
import { Answer } from "./answer.tsx";
import { Asked, Expected } from "./asked.tsx";
import { Steps } from "./conversation.tsx";
import { openCase as openTexts, openedCase } from "./data.ts";
import { Grader } from "./grader.tsx";
import { More } from "./more.tsx";
import { Folded } from "./parts.tsx";
import { addressOf, go, noFilter } from "./route.ts";
import { listedMetric } from "./scores.ts";
import { markSeen, seen } from "./seen.ts";
import { openCaseAt, runAt, selected, step } from "./state.ts";
import { Plain } from "./text.tsx";
import { changeWords, keyOfCase, scoreWords, statusOf, statusWords } from "./words.ts";

/** The open case: prompt, target, answers before and now, the grader's message. */
export function CaseView({ run }: { readonly run: PageRun }) {
  const i = openCaseAt.value;
  if (i === undefined) return <NoSuchCase />;
  return <OpenCase key={`${runAt.value}/${i}`} run={run} i={i} />;
}

function NoSuchCase() {
  return (
    <p class="none">
      There is no case of this id in the report. It may be of another run, or not among those that
      the report holds.
    </p>
  );
}

function OpenCase({ run, i }: { readonly run: PageRun; readonly i: number }) {
  const at = runAt.value;
  const texts = useSignal<PageCase | undefined>(openedCase(at, i));
  const trouble = useSignal("");
  const hasTexts = i < run.cases.withTexts;
  useEffect(() => {
    markSeen(keyOfCase(run.cases, at, i), true);
    if (!hasTexts || texts.value !== undefined) return;
    openTexts(at, i).then(
      (one) => (texts.value = one),
      (error: unknown) => (trouble.value = error instanceof Error ? error.message : String(error)),
    );
  }, []);
  return (
    <article class="case" aria-labelledby="case-title">
      <CaseHead run={run} i={i} texts={texts.value} />
      {!hasTexts && (
        <p class="none">
          The texts of this case are left out to keep the file small: see samples.jsonl of the run.
        </p>
      )}
      {trouble.value !== "" && <p class="trouble">{trouble.value}</p>}
      {texts.value !== undefined && (
        <CaseTexts metric={listedMetric(run.cases, i)} texts={texts.value} />
      )}
    </article>
  );
}

interface ShownCase {
  readonly run: PageRun;
  readonly i: number;
  readonly texts: PageCase | undefined;
}

function CaseHead(open: ShownCase) {
  const { run, i } = open;
  const { cases } = run;
  const place = cases.places[cases.place[i] ?? 0];
  const status = statusOf(cases.flags[i] ?? 0);
  return (
    <header>
      <CaseNavigation {...open} />
      <h2 id="case-title">
        <Plain text={cases.id[i] ?? ""} />
      </h2>
      <p class="tags">
        {status !== undefined && <span class={`tag ${status}`}>{statusWords[status]}</span>}
        {place !== undefined && (
          <span class="tag">
            <Plain text={`${place.task}/${listedMetric(cases, i)?.metric ?? ""}`} />{" "}
            {changeWords(cases, i)}
          </span>
        )}
        {cases.places.length > 1 && place !== undefined && (
          <span class="tag">
            <Plain text={place.candidate} />
          </span>
        )}
        <SliceTags set={cases.sliceSets[cases.slices[i] ?? 0] ?? {}} />
      </p>
    </header>
  );
}

/** Links to the neighbours in the list, and the actions of the case. */
function CaseNavigation({ run, i, texts }: ShownCase) {
  const list = selected.value;
  const at = list.indexOf(i);
  const isSeen = seen.value.has(keyOfCase(run.cases, runAt.value, i));
  return (
    <nav class="steps" aria-label="Cases of the list">
      <button
        type="button"
        class="plain only-narrow"
        onClick={() => go({ caseId: undefined, view: "cases" })}
      >
        ← List
      </button>
      <button type="button" class="plain" disabled={at <= 0} onClick={() => step(-1)}>
        ↑ Previous
      </button>
      <button type="button" class="plain" disabled={at >= list.length - 1} onClick={() => step(1)}>
        ↓ Next
      </button>
      <span class="about">{at < 0 ? "not in the list" : `${at + 1} of ${list.length}`}</span>
      <Actions run={run} i={i} texts={texts} isSeen={isSeen} />
    </nav>
  );
}

function SliceTags({ set }: { readonly set: Readonly<Record<string, string>> }) {
  return (
    <>
      {Object.entries(set).map(([field, value]) => (
        <a
          key={field}
          class="tag"
          href={addressOf({
            ...noFilter,
            view: "cases",
            caseId: undefined,
            slice: `${field}=${value}`,
          })}
        >
          <Plain text={`${field}: ${value}`} />
        </a>
      ))}
    </>
  );
}

/** The repeats of a case, shown one pair of before and now at a time. */
function CaseTexts(open: { readonly metric: PageMetric | undefined; readonly texts: PageCase }) {
  const { metric, texts } = open;
  const repeats = [
    ...new Set([...texts.now, ...texts.before].map(({ repeat }) => repeat)),
  ].toSorted((a, b) => a - b);
  const chosen = useSignal(worstRepeat(texts, metric) ?? repeats[0] ?? 0);
  const now = texts.now.find(({ repeat }) => repeat === chosen.value);
  const before = texts.before.find(({ repeat }) => repeat === chosen.value) ?? texts.before[0];
  return (
    <>
      {repeats.length > 1 && (
        <div class="chips" role="group" aria-label="Repeats">
          {repeats.map((repeat) => (
            <button
              key={repeat}
              type="button"
              class="chip"
              aria-pressed={repeat === chosen.value}
              onClick={() => (chosen.value = repeat)}
            >
              Repeat {repeat + 1} <span class="number">{repeatWords(metric, texts, repeat)}</span>
            </button>
          ))}
        </div>
      )}
      <Grader now={now} before={before} />
      <Asked texts={texts} now={now} before={before} />
      <Expected texts={texts} />
      <Answer now={now} before={before} />
      {now !== undefined && <Steps sample={now} name="What happened on the way" />}
      {before !== undefined && (before.transcript ?? []).length > 0 && (
        <Folded title="What happened before">
          <Steps sample={before} name="" />
        </Folded>
      )}
      <More texts={texts} now={now} before={before} />
    </>
  );
}

/** The repeat with the worst score in the metric that the case is listed by, because that is why people open the case. */
function worstRepeat({ now }: PageCase, metric: PageMetric | undefined): number | undefined {
  const failed = now.find(({ error }) => error !== null);
  if (failed !== undefined) return failed.repeat;
  const sign = metric?.higherIsBetter === false ? -1 : 1;
  const rank = (sample: PageSample): number => sign * (scoreIn(sample, metric) ?? 0);
  return now.toSorted((a, b) => rank(a) - rank(b))[0]?.repeat;
}

function scoreIn({ scores }: PageSample, metric: PageMetric | undefined): number | undefined {
  const isThere = metric !== undefined && Object.hasOwn(scores, metric.metric);
  return isThere ? scores[metric.metric] : undefined;
}

function repeatWords(
  metric: PageMetric | undefined,
  { now, before }: PageCase,
  repeat: number,
): string {
  if (metric === undefined) return "";
  const scoreOf = (some: readonly PageSample[]): string => {
    const sample = some.find((each) => each.repeat === repeat);
    return scoreWords(metric, sample && scoreIn(sample, metric));
  };
  return before.length === 0 ? scoreOf(now) : `${scoreOf(before)} → ${scoreOf(now)}`;
}
