import type { PageSlice } from "../../model/page.ts";
import { caseSlices } from "../../gate/pairing/cases.ts";
import { statistics } from "../../stats/statistics.ts";
import { gainIn } from "./queue.ts";
import type { PlaceTable } from "./tables.ts";

/** Limit of slices that are drawn for a field: with more, the field identifies cases rather than slices. */
const mostSlices = 30;
const level = 0.9;

/** Differences of the deciding metric in each slice, with 90% intervals. */
export function pageSlicesOf(tables: readonly PlaceTable[]): readonly PageSlice[] {
  return tables.flatMap((table, place) => slicesOfPlace(table, place));
}

interface Found {
  readonly field: string;
  readonly value: string;
  readonly gains: number[];
}

function slicesOfPlace({ cell, metrics }: PlaceTable, place: number): readonly PageSlice[] {
  const [main] = metrics;
  if (main === undefined || cell.counterpart.kind === "absent") return [];
  const found = new Map<string, Found>();
  for (let position = 0; position < cell.cases.ids.length; position += 1) {
    if (!main.isPaired(position)) continue;
    const gain = gainIn(main, position);
    for (const [field, value] of Object.entries(caseSlices(cell.cases, position))) {
      const key = JSON.stringify([field, value]);
      const slice = found.get(key) ?? { field, value, gains: [] };
      slice.gains.push(gain);
      found.set(key, slice);
    }
  }
  const isDrawn = (field: string): boolean =>
    [...found.values()].filter((each) => each.field === field).length <= mostSlices;
  return [...found.values()]
    .filter(({ field }) => isDrawn(field))
    .map(({ field, value, gains }) => ({
      place,
      field,
      value,
      cases: gains.length,
      difference: statistics.mean(gains),
      interval: intervalOf(gains, main.metric.scale === "binary"),
    }))
    .toSorted((a, b) => a.difference - b.difference);
}

function intervalOf(gains: readonly number[], isBinary: boolean): readonly [number, number] | null {
  const isWhole = gains.every((gain) => gain === 0 || Math.abs(gain) === 1);
  const found =
    isBinary && isWhole
      ? statistics.tangoInterval(
          {
            broke: gains.filter((gain) => gain < 0).length,
            fixed: gains.filter((gain) => gain > 0).length,
            n: gains.length,
          },
          level,
        )
      : statistics.pairedT(gains, level).interval;
  return found === undefined ? null : [found.lower, found.upper];
}
