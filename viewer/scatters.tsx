import type { PageCases, PageMetric, PageRun } from "../src/model/page.ts";
import { Chart } from "./chart.tsx";
import { addressOf, noFilter, type Move, type RangeName, type Route } from "./route.ts";
import { Scatter, type Point } from "./scatter.tsx";
import { scoresIn } from "./scores.ts";
import { Plain } from "./text.tsx";
import { count, placeName, scoreWords } from "./words.ts";
import { figure, usd } from "../src/report/words/figures.ts";

/** A drawing of cases before and now, and the filter that a click sets. */
interface Plot {
  readonly name: string;
  readonly points: readonly Point[];
  readonly isUp: boolean;
  readonly words: (value: number) => string;
  /** The filter that every click sets. */
  readonly within: Partial<Route>;
  readonly ranges: readonly [before: RangeName, now: RangeName];
  readonly moves: readonly (readonly [move: Move, name: string])[];
}

const scoreMoves = [
  ["worse", "worse"],
  ["better", "better"],
  ["same", "the same"],
] as const;

/** Scores of graded metrics; for metrics of right and wrong the table of outcomes says everything. */
export function Scatters({ run: { cases } }: { readonly run: PageRun }) {
  const plots = cases.places.flatMap((place, at) => [
    plotOf(cases, at, place),
    ...place.others.map((other) => plotOf(cases, at, other)),
  ]);
  const shown = plots.filter(({ points }) => points.length > 0);
  return (
    <Plots
      id="scatter"
      title="Each case before and now"
      about="Below the line is less than before. A click lists the cases of a point."
      plots={shown}
      ids={cases.id}
    />
  );
}

/** The drawing of a metric. For one that does not decide, it has only the cases that changed. */
function plotOf(cases: PageCases, at: number, metric: PageMetric): Plot {
  const place = cases.places[at];
  const isMain = place?.metric === metric.metric;
  const name = place === undefined ? "" : placeName(cases, place, metric.metric);
  return {
    name: isMain ? name : `${name}, cases that changed`,
    points: metric.isBinary ? [] : pointsOf(cases, at, metric.metric),
    isUp: metric.higherIsBetter,
    words: (value) => scoreWords(metric, value),
    within: { place: at, ...(isMain ? {} : { metric: metric.metric }) },
    ranges: ["before", "now"],
    moves: isMain ? scoreMoves : scoreMoves.slice(0, 2),
  };
}

function pointsOf(cases: PageCases, at: number, metric: string): readonly Point[] {
  return cases.place.flatMap((place, i) => {
    if (place !== at) return [];
    const { was, is } = scoresIn(cases, i, metric);
    return was === null || is === null ? [] : [{ i, was, is }];
  });
}

/** The time and the cost of each case, before and now. */
export function TakenScatters({ run: { cases } }: { readonly run: PageRun }) {
  const plots: readonly Plot[] = [
    {
      name: "Seconds",
      points: paired(cases.secondsBefore, cases.seconds),
      isUp: false,
      words: (value) => figure(value, "seconds"),
      within: {},
      ranges: ["secondsBefore", "seconds"],
      moves: [
        ["slower", "slower"],
        ["faster", "faster"],
      ],
    },
    {
      name: "Cost",
      points: paired(cases.usdBefore, cases.usd),
      isUp: false,
      words: usd,
      within: {},
      ranges: ["usdBefore", "usd"],
      moves: [
        ["dearer", "dearer"],
        ["cheaper", "cheaper"],
      ],
    },
  ];
  return (
    <Plots
      id="taken"
      title="Time and cost, each case before and now"
      about="Above the line is more than before. A click lists the cases of a point."
      plots={plots.filter(({ points }) => points.some(({ was, is }) => was !== is))}
      ids={cases.id}
    />
  );
}

/** Cases with a figure on both sides. */
function paired(
  before: readonly (number | null)[],
  now: readonly (number | null)[],
): readonly Point[] {
  return now.flatMap((is, i) => {
    const was = before[i] ?? null;
    return was === null || is === null ? [] : [{ i, was, is }];
  });
}

function Plots(drawn: {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly plots: readonly Plot[];
  readonly ids: readonly string[];
}) {
  const { id, title, about, plots, ids } = drawn;
  if (plots.length === 0) return null;
  return (
    <Chart id={id} title={title} about={about}>
      <div class="plots">
        {plots.map((plot) => (
          <figure key={plot.name}>
            <figcaption>
              <Plain text={plot.name} />
            </figcaption>
            <Scatter
              points={plot.points}
              isUp={plot.isUp}
              words={plot.words}
              idOf={(i) => ids[i] ?? ""}
              filterOf={({ before, now }) => ({
                ...noFilter,
                ...plot.within,
                [plot.ranges[0]]: before,
                [plot.ranges[1]]: now,
              })}
            />
            <Moves plot={plot} />
          </figure>
        ))}
      </div>
    </Chart>
  );
}

/** The drawing in words, for the keyboard and screen readers too: how many cases moved in which direction. */
function Moves({ plot: { points, isUp, moves, within } }: { readonly plot: Plot }) {
  const numberOf = (at: number): number =>
    points.filter(({ was, is }) => {
      if (at === 2) return is === was;
      // The first entry is the undesired direction.
      return is !== was && is < was === (isUp === (at === 0));
    }).length;
  const shown = moves
    .map(([move, name], at) => ({ move, name, cases: numberOf(at) }))
    .filter(({ cases }) => cases > 0);
  return (
    <p class="moves">
      {shown.map(({ move, name, cases }) => (
        <a
          key={move}
          href={addressOf({ ...noFilter, ...within, view: "cases", moved: move })}
        >{`${count(cases)} ${name}`}</a>
      ))}
    </p>
  );
}
