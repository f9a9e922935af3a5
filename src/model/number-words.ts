/** `1,000,000`: the digits of a whole number, and of what stands before a point. */
export function groupedDigits(value: number | string): string {
  const [whole = "", fraction] = String(value).split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

/** The noun for so many: `case`, `cases`. Nouns whose plural is no `s` are none of this. */
export function plural(value: number, noun: string): string {
  return value === 1 ? noun : `${noun}s`;
}
