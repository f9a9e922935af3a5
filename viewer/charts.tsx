import type { PageRun, PageSlice } from "../src/model/page.ts";
import { difference } from "../src/report/words/figures.ts";
import { Chart } from "./chart.tsx";
import { Outcomes } from "./outcomes.tsx";
import { addressOf, noFilter } from "./route.ts";
import { Scatters, TakenScatters } from "./scatters.tsx";
import { Takes } from "./takes.tsx";
import { Plain } from "./text.tsx";
import { Trends } from "./trends.tsx";
import { count } from "./words.ts";

/** Drawings that set filters on a click: differences by slice, scores before and now, time and cost, earlier runs. */
export function Charts({ run }: { readonly run: PageRun }) {
  return (
    <>
      <Slices run={run} />
      <Outcomes run={run} />
      <Scatters run={run} />
      <Takes run={run} />
      <TakenScatters run={run} />
      <Trends run={run} />
    </>
  );
}

const slicesShown = 12;

/** The slices with the largest losses first: a bar from the lower to the upper end, and a point at the difference. */
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

/** The tone of a slice: a difference counts as proven only by the slice's own interval. */
function toneOf({ interval }: PageSlice): string {
  if (interval === null) return "same";
  if (interval[1] < 0) return "worse";
  return interval[0] > 0 ? "better" : "same";
}
