/** Field and value, of what a task is sliced by. */
type Slices = Readonly<Record<string, string>>;

/** Combinations of slices, each held once and known by a number. */
export interface Interner {
  /** The number of a combination; of a new one, the next. */
  readonly place: (slices: Slices) => number;
  /** The same object for equal ones. */
  readonly at: (place: number) => Slices | undefined;
}

/** Cases share few combinations of slices. */
export function interner(): Interner {
  const known = new Map<string, number>();
  const all: Slices[] = [];
  return {
    at: (place) => all[place],
    place: (slices) => {
      const key = isEmpty(slices) ? "" : JSON.stringify(slices);
      const found = known.get(key);
      if (found !== undefined) return found;
      known.set(key, all.length);
      return all.push(slices) - 1;
    },
  };
}

function isEmpty(slices: Slices): boolean {
  for (const field in slices) if (Object.hasOwn(slices, field)) return false;
  return true;
}
