/** A cell of a table of docs/statistics.md: its name, and a function for its figures from a number of seeded runs. */
export interface Simulation<Figures> {
  readonly name: string;
  readonly simulate: (runs: number) => Figures;
}

/** Simulates all cells. Prints each name on stderr, because all of them together take minutes. */
export function simulateAll<Figures>(
  cells: readonly Simulation<Figures>[],
  runs: number,
): readonly Figures[] {
  return cells.map(({ name, simulate }, i) => {
    process.stderr.write(`${i + 1} of ${cells.length}: ${name}\n`);
    return simulate(runs);
  });
}
