import type { PageRun } from "../src/model/page.ts";
import { figure, usd } from "../src/report/words/figures.ts";
import { Chart } from "./chart.tsx";
import { addressOf, noFilter, type RangeName } from "./route.ts";

interface Taken {
  readonly name: string;
  readonly words: (value: number) => string;
  /** A filter for the cases above the figure that nine of ten stay under. */
  readonly above: string;
  readonly before: RangeName & keyof PageRun["cases"];
  readonly now: RangeName & keyof PageRun["cases"];
}

const figures: readonly Taken[] = [
  {
    name: "Seconds",
    words: (value) => figure(value, "seconds"),
    above: "the slowest tenth",
    before: "secondsBefore",
    now: "seconds",
  },
  { name: "Cost", words: usd, above: "the dearest tenth", before: "usdBefore", now: "usd" },
];

/** Time and cost of a case, before and now: the median, and the 90th percentile. */
export function Takes({ run: { cases } }: { readonly run: PageRun }) {
  const shown = figures
    .map((taken) => ({ taken, before: known(cases[taken.before]), now: known(cases[taken.now]) }))
    .filter(({ now }) => now.some((value) => value > 0));
  if (shown.length === 0) return null;
  const isCompared = shown.some(({ before }) => before.length > 0);
  return (
    <Chart
      id="takes"
      title="Time and cost of a case"
      about="The middle case, and the one that nine of ten stay under. A click on the latter lists the cases from there on."
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
          {shown.flatMap(({ taken, before, now }) => [
            <tr key={`${taken.name} middle`}>
              <th scope="row">{taken.name}, middle</th>
              {isCompared && <td>{wordsAt(before, 0.5, taken)}</td>}
              <td>{wordsAt(now, 0.5, taken)}</td>
            </tr>,
            <tr key={`${taken.name} most`}>
              <th scope="row">{taken.name}, nine of ten</th>
              {isCompared && (
                <td>
                  <Above taken={taken} side="before" sorted={before} />
                </td>
              )}
              <td>
                <Above taken={taken} side="now" sorted={now} />
              </td>
            </tr>,
          ])}
        </tbody>
      </table>
    </Chart>
  );
}

/** The figure that nine of ten stay under, as a link to the cases above it. */
function Above(end: {
  readonly taken: Taken;
  readonly side: "before" | "now";
  readonly sorted: readonly number[];
}) {
  const { taken, side, sorted } = end;
  const from = quantile(sorted, 0.9);
  if (from === undefined) return <>–</>;
  const address = addressOf({ ...noFilter, view: "cases", [taken[side]]: [from, Infinity] });
  return (
    <a href={address} aria-label={`${taken.words(from)} ${side}: list ${taken.above}`}>
      {taken.words(from)}
    </a>
  );
}

function known(values: readonly (number | null)[]): readonly number[] {
  return values.filter((value) => value !== null).toSorted((a, b) => a - b);
}

function wordsAt(sorted: readonly number[], part: number, { words }: Taken): string {
  const value = quantile(sorted, part);
  return value === undefined ? "–" : words(value);
}

function quantile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
