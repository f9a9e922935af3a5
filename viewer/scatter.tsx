import type { Range } from "./range.ts";
import { go, type Route } from "./route.ts";
import { openCase } from "./state.ts";
import { counted } from "./words.ts";

/** A case's figure before and now. */
export interface Point {
  /** Index of the case. */
  readonly i: number;
  readonly was: number;
  readonly is: number;
}

/** Cases that are drawn as one point, with the ranges of their figures. */
interface Spot {
  readonly cases: readonly number[];
  readonly before: Range;
  readonly now: Range;
}

interface Drawing {
  readonly points: readonly Point[];
  readonly isUp: boolean;
  readonly words: (value: number) => string;
  readonly idOf: (i: number) => string;
  readonly filterOf: (spot: Spot) => Partial<Route>;
}

const size = 200;
const edge = 10;
/** Number of points across the drawing: cases that are closer than that could not be told apart. */
const spotsAcross = 32;
/** A click may miss a point by this much, because fingers are not precise. */
const reach = 14;

/** Cases by their figure before (to the right) and now (upwards). A click lists those of the nearest point. */
export function Scatter(drawing: Drawing) {
  const { points, isUp, words, idOf } = drawing;
  const values = points.flatMap(({ was, is }) => [was, is]);
  const [low, high] = endsOf(values);
  const scale = (value: number): number =>
    edge + ((value - low) / (high - low || 1)) * (size - 2 * edge);
  const spots = spotsOf(points, scale).map((spot) => ({
    spot,
    x: scale(middle(spot.before)),
    y: size - scale(middle(spot.now)),
  }));
  const click = ({ currentTarget, clientX, clientY }: MouseEvent): void => {
    if (!(currentTarget instanceof Element)) return;
    const box = currentTarget.getBoundingClientRect();
    const at = { x: clientX - box.left, y: clientY - box.top };
    const far = ({ x, y }: { readonly x: number; readonly y: number }): number =>
      Math.hypot(x - (at.x / box.width) * size, y - (at.y / box.height) * size);
    const [nearest] = spots.toSorted((a, b) => far(a) - far(b));
    if (nearest !== undefined && far(nearest) <= reach) show(nearest.spot, drawing);
  };
  return (
    <div class="axes">
      <span class="up" aria-hidden="true">
        now
      </span>
      <svg
        viewBox={`0 0 ${size} ${size}`}
        class="scatter"
        role="img"
        aria-label={`${counted(points.length, "case")}, before and now, from ${words(low)} to ${words(high)}`}
        onClick={click}
      >
        <rect x="0.5" y="0.5" width={size - 1} height={size - 1} />
        <line class="zero" x1={edge} y1={size - edge} x2={size - edge} y2={edge} />
        {spots.map(({ spot, x, y }) => (
          <circle key={spot.cases[0]} class={toneOf(spot, isUp)} cx={x} cy={y} r={radiusOf(spot)}>
            <title>{`${nameOf(spot, idOf)}: ${wordsOf(spot.before, words)} → ${wordsOf(spot.now, words)}`}</title>
          </circle>
        ))}
      </svg>
      <span class="along" aria-hidden="true">
        <span>{words(low)}</span>
        <span>before</span>
        <span>{words(high)}</span>
      </span>
    </div>
  );
}

/** Lists the cases of a point; opens the case if it is the only one. */
function show({ cases, ...ends }: Spot, { filterOf }: Drawing): void {
  go({ ...filterOf({ cases, ...ends }), view: "cases", caseId: undefined });
  const [only] = cases;
  if (only !== undefined && cases.length === 1) openCase(only, false);
}

/** A loop, because there may be 40,000 values, too many for spread arguments. */
function endsOf(values: readonly number[]): Range {
  return values.reduce<Range>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}

function spotsOf(points: readonly Point[], scale: (value: number) => number): readonly Spot[] {
  const cell = (value: number): number => Math.round((scale(value) / size) * spotsAcross);
  // Unchanged cases stay on the diagonal: they are not combined with changed ones beside it.
  const near = Map.groupBy(points, ({ was, is }) => `${cell(was)} ${cell(is)} ${was === is}`);
  return [...near.values()].map((some) => ({
    cases: some.map(({ i }) => i),
    before: endsOf(some.map(({ was }) => was)),
    now: endsOf(some.map(({ is }) => is)),
  }));
}

function middle([low, high]: Range): number {
  return (low + high) / 2;
}

function radiusOf({ cases }: Spot): number {
  return Math.min(9, 2 + Math.sqrt(cases.length));
}

function toneOf({ before, now }: Spot, isUp: boolean): string {
  const by = middle(now) - middle(before);
  if (by === 0) return "same";
  return by < 0 === isUp ? "worse" : "better";
}

function nameOf({ cases }: Spot, idOf: Drawing["idOf"]): string {
  const [only] = cases;
  return cases.length === 1 && only !== undefined ? idOf(only) : counted(cases.length, "case");
}

function wordsOf([low, high]: Range, words: Drawing["words"]): string {
  return low === high ? words(low) : `${words(low)} to ${words(high)}`;
}
