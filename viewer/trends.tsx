import { useSignal } from "@preact/signals";
import type { PageRun, PageTrend } from "../src/model/page.ts";
import { difference, figure } from "../src/report/words/figures.ts";
import { Chart } from "./chart.tsx";
import { addressOf, noFilter, route, type Move } from "./route.ts";
import { selectCases } from "./select.ts";
import { Plain } from "./text.tsx";
import { counted } from "./words.ts";

/** Metrics in the last runs of the base branch, and in this one. */
export function Trends({ run }: { readonly run: PageRun }) {
  const { trends } = run;
  if (trends.length === 0) return null;
  return (
    <Chart
      id="trends"
      title="Earlier runs"
      about={`The last runs of the base branch, the oldest first, then this one. A click on a point tells of its run.${
        trends.some(({ breaks }) => breaks.length > 0)
          ? " A dashed line: from there on the grader, the data set or the judge was another."
          : ""
      }`}
    >
      <div class="plots">
        {trends.map((trend) => (
          <Trend key={`${trend.place} ${trend.metric} ${trend.slice}`} run={run} trend={trend} />
        ))}
      </div>
    </Chart>
  );
}

interface Shown {
  readonly run: PageRun;
  readonly trend: PageTrend;
}

function Trend({ run, trend }: Shown) {
  const chosen = useSignal<number | undefined>(undefined);
  const { name, values } = trend;
  const numbers = values.flatMap((value, i) => (value === null ? [] : [i]));
  return (
    <figure>
      <figcaption>
        <Plain text={name} />
      </figcaption>
      <TrendLine trend={trend} chosen={chosen.value} choose={(i) => (chosen.value = i)} />
      <div aria-live="polite" class="run-told">
        {chosen.value !== undefined && <ToldRun run={run} trend={trend} at={chosen.value} />}
      </div>
      <details>
        <summary>These {counted(numbers.length, "run")} in words</summary>
        <ol class="runs">
          {numbers.toReversed().map((at) => (
            <li key={at}>
              <ToldRun run={run} trend={trend} at={at} />
            </li>
          ))}
        </ol>
      </details>
    </figure>
  );
}

/**
 * A run of a trend: its figure, the difference from the run before, its commit, and those of its cases that the report
 * has.
 */
function ToldRun({ run, trend, at }: Shown & { readonly at: number }) {
  const { values, unit, commits, times, breaks } = trend;
  const value = values[at] ?? 0;
  const earlier = values.slice(0, at).findLast((each) => each !== null) ?? null;
  const isLast = at === values.length - 1;
  const words = [
    ...(earlier === null ? [] : [`${difference(value - earlier, unit)} to the run before`]),
    ...(breaks.includes(at) ? ["the grader, the data set or the judge was another"] : []),
    isLast ? "this run" : (times[at]?.slice(0, 10) ?? ""),
    commits[at]?.slice(0, 7) ?? "",
  ];
  return (
    <>
      <strong>{figure(value, unit)}</strong>{" "}
      <span class="about">
        <Plain text={words.filter((word) => word !== "").join(" · ")} />
      </span>
      {isLast && <Worse run={run} trend={trend} />}
    </>
  );
}

/** The cases that got worse since the last run. The report has none of earlier runs. */
function Worse({ run, trend: { place, slice, metric } }: Shown) {
  const moved = worseWords(run, place, metric);
  if (moved === undefined) return null;
  const filter = { ...noFilter, ...moved, place, slice: slice ?? undefined };
  const cases = selectCases(run.cases, { ...route.value, ...filter }).length;
  if (cases === 0) return null;
  return (
    <>
      {" "}
      <a href={addressOf({ ...filter, view: "cases", caseId: undefined })}>
        {counted(cases, "case")} got {moved.moved}
      </a>
    </>
  );
}

function worseWords(
  { cases: { places } }: PageRun,
  place: number,
  metric: string,
): { readonly moved: Move; readonly metric?: string } | undefined {
  if (metric === "latency_seconds") return { moved: "slower" };
  if (metric === "usd") return { moved: "dearer" };
  const [main, ...others] = [places[place], ...(places[place]?.others ?? [])];
  if (main?.metric === metric) return { moved: "worse" };
  return others.some((other) => other?.metric === metric) ? { moved: "worse", metric } : undefined;
}

function TrendLine(line: {
  readonly trend: PageTrend;
  readonly chosen: number | undefined;
  readonly choose: (i: number) => void;
}) {
  const {
    trend: { values, commits, unit, breaks },
    chosen,
    choose,
  } = line;
  const there = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...there), Math.max(...there)];
  // The scale is never so narrow that small variations look like a fall.
  const span = Math.max(high - low, unit === "share" ? 0.1 : Math.abs(high) / 10 || 1);
  const middle = (high + low) / 2;
  const x = (i: number): number => 6 + (i / Math.max(1, values.length - 1)) * 188;
  const y = (value: number): number => 40 - ((value - middle) / span) * 64;
  const points = values.flatMap((value, i) => (value === null ? [] : [{ i, value }]));
  const last = values.length - 1;
  /** Finds the point that is horizontally nearest to a click. */
  const click = ({ currentTarget, clientX }: MouseEvent): void => {
    if (!(currentTarget instanceof Element)) return;
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = ((clientX - left) / width) * 200;
    const [nearest] = points.toSorted((a, b) => Math.abs(x(a.i) - at) - Math.abs(x(b.i) - at));
    if (nearest !== undefined) choose(nearest.i);
  };
  return (
    <svg
      viewBox="0 0 200 80"
      class="trend"
      role="img"
      aria-label={`${counted(points.length, "run")}: from ${figure(points[0]?.value ?? 0, unit)} to ${figure(points.at(-1)?.value ?? 0, unit)}`}
      onClick={click}
    >
      <rect class="ground" x="0" y="0" width="200" height="80" />
      {segments(points, breaks).map((some, at) => (
        <polyline key={at} points={some.map(({ i, value }) => `${x(i)},${y(value)}`).join(" ")} />
      ))}
      {breaks.map((i) => (
        <line key={i} class="break" x1={x(i - 0.5)} x2={x(i - 0.5)} y1={4} y2={76}>
          <title>From here on the grader, the data set or the judge was another</title>
        </line>
      ))}
      {points.map(({ i, value }) => (
        <circle
          key={i}
          cx={x(i)}
          cy={y(value)}
          r={i === last || i === chosen ? 4 : 2.5}
          class={`${i === last ? "last" : ""}${i === chosen ? " chosen" : ""}`}
        >
          <title>{`${figure(value, unit)}${i === last ? ", this run" : ""} ${(commits[i] ?? "").slice(0, 7)}`}</title>
        </circle>
      ))}
    </svg>
  );
}

/** Splits points into series whose values can be compared. */
function segments<Point extends { readonly i: number }>(
  points: readonly Point[],
  breaks: readonly number[],
): readonly (readonly Point[])[] {
  const parts = Map.groupBy(points, ({ i }) => breaks.filter((from) => from <= i).length);
  return [...parts.values()];
}
