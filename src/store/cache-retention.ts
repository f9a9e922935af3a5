/** Older answers are asked for again, because a model may change behind its name. */
const daysKept = 30;
const bytesKept = 1024 ** 3;
/** Limit of files; each run that stores answers makes one. */
const filesKept = 1000;

/** A file of the cache. */
export interface Segment {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly changed: number;
}

/** Divides the cache's files into kept ones, oldest first, and removed ones. */
export function prune(
  segments: readonly Segment[],
  now: number,
): { readonly kept: readonly Segment[]; readonly removed: readonly Segment[] } {
  const newestFirst = segments.toSorted(
    (a, b) => b.changed - a.changed || (a.name < b.name ? 1 : -1),
  );
  const oldest = oldestKept(now);
  let bytes = 0;
  const isKept = (segment: Segment, i: number): boolean => {
    // A file that is too large does not use up the space of the others.
    const isTooMuch = bytes + segment.bytes > bytesKept;
    if (i >= filesKept || isTooMuch || segment.changed < oldest) return false;
    bytes += segment.bytes;
    return true;
  };
  const kept = newestFirst.filter(isKept);
  return { kept: kept.toReversed(), removed: newestFirst.filter((each) => !kept.includes(each)) };
}

/** Time of the oldest answer that is still kept, in milliseconds since 1970. */
export function oldestKept(now: number): number {
  return now - daysKept * 86_400_000;
}
