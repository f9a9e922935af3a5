import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { caseFlags, type PageRun } from "../src/model/page.ts";
import { addressOf } from "./route.ts";
import { openCase, openCaseAt, runAt, selected } from "./state.ts";
import { seen } from "./seen.ts";
import { Plain } from "./text.tsx";
import { changeWords, keyOfCase, placeWords, statusOf, statusWords } from "./words.ts";

const rowHeight = 52;

/** The filtered list of cases. Only the visible ones are drawn, because there may be ten thousand. */
export function CaseList({ run }: { readonly run: PageRun }) {
  const scroller = useRef<HTMLDivElement>(null);
  const drawn = useSignal(0);
  const virtual = useVirtualizer(scroller, () => (drawn.value += 1));
  // The value is read, so that scrolling draws the list again.
  void drawn.value;
  const list = selected.value;
  attach(virtual, list.length);
  const openAt = openCaseAt.value;
  useEffect(() => {
    const at = openAt === undefined ? -1 : list.indexOf(openAt);
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
  }, [openAt, list]);
  return (
    <div class="list" ref={scroller} tabIndex={0} role="region" aria-label="Cases">
      {list.length === 0 && <p class="none">No case is left by these filters.</p>}
      <ul style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <li
            key={index}
            style={{ transform: `translateY(${start}px)`, height: `${rowHeight}px` }}
            aria-setsize={list.length}
            aria-posinset={index + 1}
          >
            <CaseRow run={run} i={list[index] ?? 0} isOpen={list[index] === openAt} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function useVirtualizer(
  scroller: { readonly current: HTMLDivElement | null },
  changed: () => void,
): Virtualizer<HTMLDivElement, HTMLElement> {
  const made = useRef<Virtualizer<HTMLDivElement, HTMLElement>>(undefined);
  made.current ??= new Virtualizer<HTMLDivElement, HTMLElement>({
    count: 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: changed,
  });
  const virtual = made.current;
  useEffect(() => {
    attach(virtual, virtual.options.count);
    changed();
    // oxlint-disable-next-line no-underscore-dangle -- what an adapter of the library calls
    return virtual._didMount();
  }, []);
  return virtual;
}

/** Passes the list's length and its element to the library, as its adapters do. */
function attach(virtual: Virtualizer<HTMLDivElement, HTMLElement>, count: number): void {
  virtual.setOptions({ ...virtual.options, count });
  // oxlint-disable-next-line no-underscore-dangle -- what an adapter of the library calls
  virtual._willUpdate();
}

/** One case in a list: its status, its id, its score before and now. */
export function CaseRow({
  run: { cases },
  i,
  isOpen,
}: {
  readonly run: PageRun;
  readonly i: number;
  readonly isOpen: boolean;
}) {
  const flags = cases.flags[i] ?? 0;
  const status = statusOf(flags);
  const isSeen = seen.value.has(keyOfCase(cases, runAt.value, i));
  const set = cases.sliceSets[cases.slices[i] ?? 0] ?? {};
  const place = cases.places[cases.place[i] ?? 0];
  const about = [...(place ? placeWords(cases, place) : []), ...Object.values(set)];
  const address = addressOf({ view: "cases", caseId: cases.id[i], casePlace: cases.place[i] });
  return (
    <a
      href={address}
      class={`row${isOpen ? " open" : ""}${isSeen ? " seen" : ""}`}
      aria-current={isOpen ? "true" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        openCase(i);
      }}
    >
      <span class={`mark ${status ?? "same"}`} aria-hidden="true" />
      <span class="who">
        <span class="id">
          <Plain text={cases.rows[i] ?? cases.id[i] ?? ""} />
        </span>
        <span class="about">
          {[
            ...((flags & caseFlags.mustPass) === 0 ? [] : ["must pass"]),
            ...(status === undefined ? [] : [statusWords[status]]),
            ...(isSeen ? ["seen"] : []),
          ].join(", ")}
          {about.length > 0 && status !== undefined ? " · " : ""}
          <Plain text={about.join(" · ")} />
        </span>
      </span>
      <span class="figures">{changeWords(cases, i)}</span>
    </a>
  );
}
