/** Effective number of values: how many equal ones would weigh as much, (Σ|x|)² / Σx². */
export function effective(values: ArrayLike<number>): number {
  let [sum, squares, largest] = [0, 0, 0];
  for (let i = 0; i < values.length; i += 1) largest = Math.max(largest, Math.abs(values[i] ?? 0));
  if (largest === 0) return 0;
  for (let i = 0; i < values.length; i += 1) {
    const share = Math.abs(values[i] ?? 0) / largest;
    sum += share;
    squares += share * share;
  }
  return sum ** 2 / squares;
}
