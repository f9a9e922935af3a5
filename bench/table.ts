/** A ratio that was measured. */
export interface Row {
  readonly what: string;
  /** undefined: it could not be measured here, and `seen` has the reason. */
  readonly ratio: number | undefined;
  /** Such as `≤ 2`; "": there is none, the row is there to compare with. */
  readonly limit: string;
  readonly kept: boolean;
  readonly seen: string;
}

/** The rows as text, a line each. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, ratio, limit, kept, seen }) => {
    const verdict = limit === "" ? "    " : kept ? "ok  " : "MISS";
    const figure = ratio === undefined ? "–" : ratio.toFixed(2);
    const asked = limit === "" ? "" : `(${limit})`;
    return `${verdict}  ${figure.padStart(6)} ${asked.padEnd(9)}  ${what}: ${seen}`;
  });
  return lines.join("\n");
}

/** A row that must not be above its limit. */
export function atMost(limit: number, row: Pick<Row, "what" | "seen"> & { ratio: number }): Row {
  return { ...row, limit: `≤ ${limit}`, kept: row.ratio <= limit };
}

/** A row to compare with. */
export function beside(row: Pick<Row, "what" | "seen" | "ratio">): Row {
  return { ...row, limit: "", kept: true };
}

/** Seconds as text for people. */
export function milliseconds(seconds: number): string {
  return `${Math.round(seconds * 1000)} ms`;
}
