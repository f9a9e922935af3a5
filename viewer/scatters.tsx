import type { PageCases, PagePlace, PageRun } from "../src/model/page.ts";
import { Chart } from "./chart.tsx";
import { openCase } from "./state.ts";
import { Plain } from "./text.tsx";

/** Graded metrics only: of right and wrong the groups say all. */
export function Scatters({ run }: { readonly run: PageRun }) {
  const graded = run.cases.places.flatMap((place, i) =>
    place.isBinary || !hasBoth(run.cases, i) ? [] : [{ place, i }],
  );
  if (graded.length === 0) return null;
  return (
    <Chart
      id="scatter"
      title="Each case before and now"
      about="Below the line is less than before. A click opens the case."
    >
      <div class="plots">
        {graded.map(({ place, i }) => (
          <figure key={i}>
            <figcaption>
              <Plain text={nameOf(run, place)} />
            </figcaption>
            <Scatter
              points={pointsOf(run.cases, i)}
              ids={run.cases.id}
              isUp={place.higherIsBetter}
            />
          </figure>
        ))}
      </div>
    </Chart>
  );
}

function pointsOf({ place, before, now }: PageCases, at: number): readonly Point[] {
  return paired(before, now).filter(({ i }) => place[i] === at);
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

function hasBoth({ place, before, now }: PageCases, at: number): boolean {
  return place.some((each, i) => each === at && before[i] !== null && now[i] !== null);
}

function nameOf(run: PageRun, { task, candidate, metric }: PagePlace): string {
  return run.cases.places.length > 1 ? `${task}/${metric} · ${candidate}` : `${task}/${metric}`;
}

const pointsShown = 2000;

interface Point {
  /** Number of the case. */
  readonly i: number;
  readonly was: number;
  readonly is: number;
}

function Scatter(plot: {
  readonly points: readonly Point[];
  readonly ids: readonly string[];
  readonly isUp: boolean;
}) {
  const { points, ids, isUp } = plot;
  const values = points.flatMap(({ was, is }) => [was, is]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const scale = (value: number): number => 6 + ((value - low) / (high - low || 1)) * 188;
  return (
    <svg
      viewBox="0 0 200 200"
      class="scatter"
      role="img"
      aria-label={`${points.length} cases, before and now`}
    >
      <rect x="0.5" y="0.5" width="199" height="199" />
      <line class="zero" x1="6" y1="194" x2="194" y2="6" />
      {points.slice(0, pointsShown).map(({ i, was, is }) => (
        <circle
          key={i}
          class={was === is ? "same" : is < was === isUp ? "worse" : "better"}
          cx={scale(was)}
          cy={200 - scale(is)}
          r="3"
          onClick={() => openCase(i)}
        >
          <title>{`${ids[i] ?? ""}: ${was} → ${is}`}</title>
        </circle>
      ))}
    </svg>
  );
}

/** Where each case takes its time and its money, before and now. */
export function TakenScatters({ run }: { readonly run: PageRun }) {
  const { seconds, secondsBefore, usd: cost, usdBefore, id } = run.cases;
  const plots = [
    { name: "Seconds", points: paired(secondsBefore, seconds) },
    { name: "Cost", points: paired(usdBefore, cost) },
  ].filter(({ points }) => points.some(({ was, is }) => was !== is));
  if (plots.length === 0) return null;
  return (
    <Chart
      id="taken"
      title="Time and cost, each case before and now"
      about="Above the line is more than before. A click opens the case."
    >
      <div class="plots">
        {plots.map(({ name, points }) => (
          <figure key={name}>
            <figcaption>{name}</figcaption>
            <Scatter points={points} ids={id} isUp={false} />
          </figure>
        ))}
      </div>
    </Chart>
  );
}
