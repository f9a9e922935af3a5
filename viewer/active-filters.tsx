import type { PageCases, PageRun } from "../src/model/page.ts";
import { figure, usd } from "../src/report/words/figures.ts";
import type { Range } from "./range.ts";
import { go, rangeNames, route, type Move, type RangeName, type Route } from "./route.ts";
import { scoreWords } from "./words.ts";
import { Plain } from "./text.tsx";

/** Filters that have no field of their own, set by a group or a drawing. Each has a button that removes it. */
export function ActiveFilters({ run }: { readonly run: PageRun }) {
  const { group, moved } = route.value;
  const found = group === undefined ? undefined : run.groups[group];
  const active: readonly Active[] = [
    ...(group === undefined
      ? []
      : [
          {
            name: `reason: ${found === undefined ? "not in this report" : (found.reason ?? found.metric)}`,
            without: { group: undefined },
          },
        ]),
    ...(moved === undefined ? [] : [{ name: moveWords[moved], without: { moved: undefined } }]),
    ...rangeNames.flatMap((name) => {
      const range = route.value[name];
      if (range === undefined) return [];
      return [{ name: rangeWords(run.cases, name, range), without: { [name]: undefined } }];
    }),
  ];
  if (active.length === 0) return null;
  return (
    <div class="chips active" role="group" aria-label="Filters of a reason or a drawing">
      {active.map(({ name, without }) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`Without the filter ${name}`}
          onClick={() => go({ ...without, view: "cases" }, false)}
        >
          <span class="filter-name">
            <Plain text={name} />
          </span>{" "}
          ×
        </button>
      ))}
    </div>
  );
}

interface Active {
  readonly name: string;
  readonly without: Partial<Route>;
}

const moveWords: Readonly<Record<Move, string>> = {
  worse: "score got worse",
  better: "score got better",
  same: "score as before",
  slower: "slower than before",
  faster: "faster than before",
  dearer: "dearer than before",
  cheaper: "cheaper than before",
};

const rangeTitles: Readonly<Record<RangeName, string>> = {
  before: "score before",
  now: "score now",
  secondsBefore: "time before",
  seconds: "time now",
  usdBefore: "cost before",
  usd: "cost now",
};

function rangeWords(cases: PageCases, name: RangeName, [low, high]: Range): string {
  const words = (value: number): string => endWords(cases, name, value);
  const title = rangeTitles[name];
  if (low === high) return `${title}: ${words(low)}`;
  if (low === -Infinity) return `${title}: up to ${words(high)}`;
  return high === Infinity
    ? `${title}: from ${words(low)}`
    : `${title}: ${words(low)} to ${words(high)}`;
}

function endWords({ places }: PageCases, name: RangeName, value: number): string {
  switch (name) {
    case "before":
    case "now": {
      const place = places[route.value.place ?? 0] ?? places[0];
      const { metric } = route.value;
      const other = place?.others.find((each) => each.metric === metric);
      return scoreWords(other ?? place ?? { unit: "number" }, value);
    }
    case "seconds":
    case "secondsBefore":
      return figure(value, "seconds");
    case "usd":
    case "usdBefore":
      return usd(value);
  }
}
