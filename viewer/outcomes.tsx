import type { PageCases, PagePlace, PageRun } from "../src/model/page.ts";
import { Chart } from "./chart.tsx";
import type { Range } from "./range.ts";
import { addressOf, noFilter } from "./route.ts";
import { Plain } from "./text.tsx";
import { count, placeName } from "./words.ts";

/**
 * For metrics of right and wrong: the numbers of cases that passed and failed, before and now. A click on a number
 * lists its cases.
 */
export function Outcomes({ run: { cases } }: { readonly run: PageRun }) {
  const tables = cases.places.flatMap((place, at) => {
    const cells = place.isBinary ? cellsOf(cases, at) : [];
    return cells.length === 0 ? [] : [{ place, at, cells }];
  });
  if (tables.length === 0) return null;
  return (
    <Chart
      id="outcomes"
      title="Passed and failed, before and now"
      about="A click on a number lists its cases."
    >
      <div class="plots">
        {tables.map(({ place, at, cells }) => (
          <OutcomeTable key={at} cases={cases} place={place} at={at} cells={cells} />
        ))}
      </div>
    </Chart>
  );
}

/** `partly`: some of a case's repeats pass. */
type Outcome = "passed" | "partly" | "failed";
const outcomes: readonly Outcome[] = ["passed", "partly", "failed"];
const nowWords = { passed: "passes now", partly: "in part now", failed: "fails now" } as const;
const beforeWords = {
  passed: "passed before",
  partly: "in part before",
  failed: "failed before",
} as const;

interface Cell {
  readonly was: Outcome;
  readonly is: Outcome;
  /** The range of its cases' scores. */
  readonly before: Range;
  readonly now: Range;
  readonly cases: number;
}

function OutcomeTable(table: {
  readonly cases: PageCases;
  readonly place: PagePlace;
  readonly at: number;
  readonly cells: readonly Cell[];
}) {
  const { cases, place, at, cells } = table;
  const rows = outcomes.filter((was) => was !== "partly" || cells.some((cell) => cell.was === was));
  const columns = outcomes.filter((is) => is !== "partly" || cells.some((cell) => cell.is === is));
  return (
    <table class="outcomes">
      <caption>
        <Plain text={placeName(cases, place, place.metric)} />
      </caption>
      <thead>
        <tr>
          <td />
          {columns.map((is) => (
            <th key={is} scope="col">
              {nowWords[is]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((was) => (
          <tr key={was}>
            <th scope="row">{beforeWords[was]}</th>
            {columns.map((is) => (
              <td key={is} class={toneOf(was, is)}>
                <Count at={at} cell={cells.find((cell) => cell.was === was && cell.is === is)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Count({ at, cell }: { readonly at: number; readonly cell: Cell | undefined }) {
  if (cell === undefined) return <span class="number">0</span>;
  const { before, now } = cell;
  const address = addressOf({ ...noFilter, view: "cases", place: at, before, now });
  const told = `${count(cell.cases)}: ${beforeWords[cell.was]}, ${nowWords[cell.is]}`;
  return (
    <a href={address} aria-label={told}>
      {count(cell.cases)}
    </a>
  );
}

function toneOf(was: Outcome, is: Outcome): string {
  const by = outcomes.indexOf(is) - outcomes.indexOf(was);
  if (by === 0) return "same";
  return by > 0 ? "worse" : "better";
}

/** Cells with at least one case. Cases without a score on both sides are in no cell. */
function cellsOf({ place, before, now, places }: PageCases, at: number): readonly Cell[] {
  const isUp = places[at]?.higherIsBetter ?? true;
  const cells = new Map<string, Cell>();
  for (const [i, is] of now.entries()) {
    const was = before[i] ?? null;
    if (place[i] !== at || was === null || is === null) continue;
    const sides = { was: outcomeOf(was, isUp), is: outcomeOf(is, isUp) };
    const known = cells.get(`${sides.was} ${sides.is}`);
    cells.set(`${sides.was} ${sides.is}`, {
      ...sides,
      before: widened(known?.before, was),
      now: widened(known?.now, is),
      cases: (known?.cases ?? 0) + 1,
    });
  }
  return [...cells.values()];
}

function outcomeOf(score: number, isUp: boolean): Outcome {
  if (score === (isUp ? 1 : 0)) return "passed";
  return score === (isUp ? 0 : 1) ? "failed" : "partly";
}

function widened(range: Range | undefined, value: number): Range {
  return range === undefined
    ? [value, value]
    : [Math.min(range[0], value), Math.max(range[1], value)];
}
