/** A cell of a table of docs/statistics.md: its name, and its figures from so many seeded runs. */
export interface Simulation<Figures> {
  readonly name: string;
  readonly simulate: (runs: number) => Figures;
}

/** Says on stderr what is being simulated, as all of it takes minutes. */
export function simulateAll<Figures>(
  cells: readonly Simulation<Figures>[],
  runs: number,
): readonly Figures[] {
  return cells.map(({ name, simulate }, i) => {
    process.stderr.write(`${i + 1} of ${cells.length}: ${name}\n`);
    return simulate(runs);
  });
}
