/** Field and value, of what a task is sliced by. */
type Slices = Readonly<Record<string, string>>;

/** Gives equal combinations as one object. */
export type Intern = (slices: Slices) => Slices;

/** Cases share few combinations of slices: one object each. */
export function interner(): Intern {
  const known = new Map<string, Slices>();
  const none = {};
  return (slices) => {
    if (isEmpty(slices)) return none;
    const key = JSON.stringify(slices);
    const found = known.get(key);
    if (found) return found;
    known.set(key, slices);
    return slices;
  };
}

function isEmpty(slices: Slices): boolean {
  for (const field in slices) if (Object.hasOwn(slices, field)) return false;
  return true;
}
