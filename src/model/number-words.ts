/** `1,000,000`: groups the digits of a whole number, or those before a decimal point. */
export function groupedDigits(value: number | string): string {
  const [whole = "", fraction] = String(value).split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

/** The noun for a number: `case`, `cases`. Only for nouns with a plural in `s`. */
export function plural(value: number, noun: string): string {
  return value === 1 ? noun : `${noun}s`;
}
