import type { PageRun, PageSlice, PageTrend } from "../src/model/page.ts";
import { difference, figure, usd } from "../src/report/words/figures.ts";
import { Chart } from "./chart.tsx";
import { addressOf, noFilter } from "./route.ts";
import { Scatters, TakenScatters } from "./scatters.tsx";
import { Plain } from "./text.tsx";
import { count, counted } from "./words.ts";

/** Drawings that filter on a click: differences by slice, scores before and now, time and cost, earlier runs. */
export function Charts({ run }: { readonly run: PageRun }) {
  const parts = [
    <Slices key="slices" run={run} />,
    <Scatters key="scatters" run={run} />,
    <Takes key="takes" run={run} />,
    <TakenScatters key="taken" run={run} />,
    <Trends key="trends" trends={run.trends} />,
  ];
  return <>{parts}</>;
}

const slicesShown = 12;

/** Those that lost most first: a bar from the lower to the upper end, a point at the difference. */
function Slices({ run }: { readonly run: PageRun }) {
  const { slices } = run;
  if (slices.length < 2) return null;
  const shown = slices.slice(0, slicesShown);
  const ends = shown.flatMap(({ interval, difference: at }) => [...(interval ?? []), at]);
  const size = Math.max(...ends.map(Math.abs), 1e-9);
  const x = (value: number): number => 50 + (value / size) * 48;
  return (
    <Chart
      id="slices"
      title="Difference by slice"
      about="Now against before, with the 90% interval. Left of the line is worse. A click shows the slice's cases."
    >
      <ul class="bars">
        {shown.map((slice) => (
          <li key={`${slice.place} ${slice.field} ${slice.value}`}>
            <SliceBar run={run} slice={slice} x={x} />
          </li>
        ))}
      </ul>
      {slices.length > slicesShown && (
        <p class="about">{count(slices.length - slicesShown)} more slices lost less.</p>
      )}
    </Chart>
  );
}

function SliceBar(bar: {
  readonly run: PageRun;
  readonly slice: PageSlice;
  readonly x: (value: number) => number;
}) {
  const { run, slice, x } = bar;
  const place = run.cases.places[slice.place];
  const tone = toneOf(slice);
  const of = run.cases.places.length > 1 && place ? `${place.candidate} · ` : "";
  const ownPlace = run.cases.places.length > 1 ? { place: slice.place } : {};
  return (
    <a
      href={addressOf({
        ...noFilter,
        ...ownPlace,
        view: "cases",
        slice: `${slice.field}=${slice.value}`,
      })}
    >
      <span class="label">
        <Plain text={`${of}${slice.field}: ${slice.value}`} />{" "}
        <span class="number">{count(slice.cases)}</span>
      </span>
      <svg viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true" class={tone}>
        <line class="zero" x1="50" x2="50" y1="0" y2="16" />
        {slice.interval !== null && (
          <line class="span" x1={x(slice.interval[0])} x2={x(slice.interval[1])} y1="8" y2="8" />
        )}
        <line class="point" x1={x(slice.difference)} x2={x(slice.difference)} y1="3" y2="13" />
      </svg>
      <span class="number">{difference(slice.difference, place?.unit ?? "number")}</span>
    </a>
  );
}

/** Proven by the slice's own interval; nothing else in a drawing is. */
function toneOf({ interval }: PageSlice): string {
  if (interval === null) return "same";
  if (interval[1] < 0) return "worse";
  return interval[0] > 0 ? "better" : "same";
}

interface Taken {
  readonly name: string;
  readonly words: (value: number) => string;
  readonly before: readonly number[];
  readonly now: readonly number[];
}

/** Time and cost of a case, before and now: the middle and the slowest tenth. */
function Takes({ run }: { readonly run: PageRun }) {
  const { seconds, secondsBefore, usd: cost, usdBefore } = run.cases;
  const all: readonly Taken[] = [
    {
      name: "Seconds",
      words: (value: number) => figure(value, "seconds"),
      before: known(secondsBefore),
      now: known(seconds),
    },
    { name: "Cost", words: usd, before: known(usdBefore), now: known(cost) },
  ].filter(({ now }) => now.some((value) => value > 0));
  if (all.length === 0) return null;
  const isCompared = all.some(({ before }) => before.length > 0);
  return (
    <Chart
      id="takes"
      title="Time and cost of a case"
      about="The middle case, and the one that nine of ten stay under."
    >
      <table class="figures-table">
        <thead>
          <tr>
            <th scope="col">Figure</th>
            {isCompared && <th scope="col">Before</th>}
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {all.flatMap(({ name, words, before, now }) =>
            [0.5, 0.9].map((part) => (
              <tr key={`${name} ${part}`}>
                <th scope="row">
                  {name}, {part === 0.5 ? "middle" : "nine of ten"}
                </th>
                {isCompared && <td>{quantile(before, part, words)}</td>}
                <td>{quantile(now, part, words)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </Chart>
  );
}

function known(values: readonly (number | null)[]): readonly number[] {
  return values.filter((value) => value !== null).toSorted((a, b) => a - b);
}

function quantile(sorted: readonly number[], part: number, words: Taken["words"]): string {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return value === undefined ? "–" : words(value);
}

/** The metric in the last runs of the base branch, and in this one. */
function Trends({ trends }: { readonly trends: readonly PageTrend[] }) {
  if (trends.length === 0) return null;
  return (
    <Chart
      id="trends"
      title="Earlier runs"
      about={`The last runs of the base branch, the oldest first, then this one.${
        trends.some(({ breaks }) => breaks.length > 0)
          ? " A dashed line: from there on the grader, the data set or the judge was another."
          : ""
      }`}
    >
      <div class="plots">
        {trends.map((trend) => (
          <figure key={trend.name}>
            <figcaption>
              <Plain text={trend.name} />
            </figcaption>
            <Trend trend={trend} />
          </figure>
        ))}
      </div>
    </Chart>
  );
}

function Trend({ trend: { values, commits, unit, breaks } }: { readonly trend: PageTrend }) {
  const there = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...there), Math.max(...there)];
  // Never so narrow that a tremble looks like a fall.
  const span = Math.max(high - low, unit === "share" ? 0.1 : Math.abs(high) / 10 || 1);
  const middle = (high + low) / 2;
  const x = (i: number): number => 6 + (i / Math.max(1, values.length - 1)) * 188;
  const y = (value: number): number => 40 - ((value - middle) / span) * 64;
  const points = values.flatMap((value, i) => (value === null ? [] : [{ i, value }]));
  const last = values.length - 1;
  return (
    <svg
      viewBox="0 0 200 80"
      class="trend"
      role="img"
      aria-label={`${counted(points.length, "run")}: from ${figure(points[0]?.value ?? 0, unit)} to ${figure(points.at(-1)?.value ?? 0, unit)}`}
    >
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
          r={i === last ? 4 : 2.5}
          class={i === last ? "last" : ""}
        >
          <title>{`${figure(value, unit)}${i === last ? ", this run" : ""} ${(commits[i] ?? "").slice(0, 7)}`}</title>
        </circle>
      ))}
    </svg>
  );
}

/** Points that compare with each other. */
function segments<Point extends { readonly i: number }>(
  points: readonly Point[],
  breaks: readonly number[],
): readonly (readonly Point[])[] {
  const parts = Map.groupBy(points, ({ i }) => breaks.filter((from) => from <= i).length);
  return [...parts.values()];
}
