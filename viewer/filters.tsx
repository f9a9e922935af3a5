import { useRef } from "preact/hooks";
import { caseFlags, type PageCases, type PageRun } from "../src/model/page.ts";
import { ActiveFilters } from "./active-filters.tsx";
import { matches, patternOf } from "./matches.ts";
import { go, noFilter, route, type Route } from "./route.ts";
import { runAt, selected } from "./state.ts";
import { count, counted, filterWords } from "./words.ts";

/** The filters of the list, each of which is part of the address. */
export function Filters({ run }: { readonly run: PageRun }) {
  const { flags } = run.cases;
  const counts = filterWords
    .map(([flag, name]) => ({
      flag,
      name,
      cases: flags.reduce((sum, each) => sum + ((each & caseFlags[flag]) === 0 ? 0 : 1), 0),
    }))
    .filter(({ cases }) => cases > 0);
  const { show } = route.value;
  return (
    <div class="filters">
      <div class="chips" role="group" aria-label="What became of the cases">
        <Chip name="All" cases={flags.length} isOn={show === undefined} set={{ show: undefined }} />
        {counts.map(({ flag, name, cases }) => (
          <Chip key={flag} name={name} cases={cases} isOn={show === flag} set={{ show: flag }} />
        ))}
      </div>
      <div class="choices">
        <Search />
        <Choices run={run} />
      </div>
      <ActiveFilters run={run} />
      <Left run={run} />
    </div>
  );
}

function Chip(chip: {
  readonly name: string;
  readonly cases: number;
  readonly isOn: boolean;
  readonly set: Partial<Route>;
}) {
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={chip.isOn}
      onClick={() => go({ ...chip.set, view: "cases" }, false)}
    >
      {chip.name} <span class="number">{count(chip.cases)}</span>
    </button>
  );
}

function Search() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <input
      id="search"
      type="search"
      placeholder="Search texts, or /regex/"
      aria-label="Search in ids and texts; between slashes, a regular expression"
      value={route.value.text}
      onInput={({ currentTarget: { value } }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => go({ text: value, view: "cases" }, false), 120);
      }}
    />
  );
}

/** The filters that have more than one choice. */
function Choices({ run: { cases } }: { readonly run: PageRun }) {
  const slices = new Set(
    cases.sliceSets.flatMap((set) =>
      Object.entries(set).map(([field, value]) => `${field}=${value}`),
    ),
  );
  const metrics = new Set(
    Object.values(cases.changes).flatMap((changed) => changed.map(([id]) => id)),
  );
  const places = cases.places.map(({ task, candidate }, i) => [
    String(i),
    `${task} · ${candidate}`,
  ]);
  const { slice, metric, error, place } = route.value;
  return (
    <>
      <Choice
        name="Slice"
        value={slice}
        options={slices.size > 200 ? [] : [...slices].toSorted().map((each) => [each, each])}
        set={(chosen) => ({ slice: chosen })}
      />
      <Choice
        name="Metric changed"
        value={metric}
        options={metrics.size < 2 ? [] : [...metrics].toSorted().map((each) => [each, each])}
        set={(chosen) => ({ metric: chosen })}
      />
      <Choice
        name="Error"
        value={error}
        options={cases.errors.map((each) => [each, each])}
        set={(chosen) => ({ error: chosen })}
      />
      <Choice
        name="Task and candidate"
        value={place === undefined ? undefined : String(place)}
        options={places.length < 2 ? [] : places}
        set={(chosen) => ({ place: chosen === undefined ? undefined : Number(chosen) })}
      />
    </>
  );
}

function Choice(choice: {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly string[])[];
  readonly set: (value: string | undefined) => Partial<Route>;
}) {
  if (choice.options.length === 0) return null;
  return (
    <select
      aria-label={choice.name}
      value={choice.value ?? ""}
      onChange={({ currentTarget: { value } }) =>
        go({ ...choice.set(value === "" ? undefined : value), view: "cases" }, false)
      }
    >
      <option value="">{choice.name}: all</option>
      {choice.options.map(([value = "", name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Tells which cases the report lists, if the run has more. */
function choiceWords({ total, noted, flags }: PageCases): string {
  const listed = flags.filter((each) => each !== 0).length;
  const which = noted > listed ? `${count(listed)} of the ${count(noted)}` : `all ${count(noted)}`;
  return `a choice of ${count(total)}: ${which} that changed or failed, and ${count(flags.length - listed)} others`;
}

/** The state of a search by a regular expression, if it has no result yet. */
function searchWords(text: string): string {
  const pattern = patternOf(text);
  if (pattern === undefined) return "";
  const state = matches.value?.pattern === pattern ? matches.value.state : "searching";
  return stateWords[state];
}

const stateWords = {
  searching: " · searching …",
  found: "",
  "too slow": " · the expression takes too long and was stopped: try a simpler one, or a text",
  refused: " · this browser runs no search by expression here: try a text",
} as const;

/** The number of cases that match, and a link back to all. */
function Left({ run }: { readonly run: PageRun }) {
  const {
    view: _view,
    caseId: _caseId,
    casePlace: _casePlace,
    run: _run,
    ...filters
  } = route.value;
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== "");
  const { id, total } = run.cases;
  const choice = total > id.length ? ` (${choiceWords(run.cases)})` : "";
  return (
    <p class="left" aria-live="polite">
      {isFiltered
        ? `${count(selected.value.length)} of ${counted(id.length, "case")}`
        : counted(id.length, "case")}
      {choice}
      {searchWords(filters.text)}
      {isFiltered && (
        <button
          type="button"
          class="plain"
          onClick={() => go({ ...noFilter, view: "cases", run: runAt.value }, false)}
        >
          Clear filters
        </button>
      )}
    </p>
  );
}
