/** A polynomial of a case's chance to be answered right: coefficients from the constant on. */
export type Polynomial = readonly number[];

/**
 * The chances of cases: beta-distributed with mean 0.8, so that two runs of the same candidate disagree on 12 %. The
 * moments are known, so that every polynomial of a chance has an exact mean.
 */
const shape = { right: 0.48, wrong: 0.12 };

/** The mean of a polynomial over the chances of cases: Σ coefficient · E[chanceⁱ]. */
export function meanOf(polynomial: Polynomial): number {
  let moment = 1;
  let mean = 0;
  for (const [i, coefficient] of polynomial.entries()) {
    mean += coefficient * moment;
    moment *= (shape.right + i) / (shape.right + shape.wrong + i);
  }
  return mean;
}

/** The product of two polynomials. */
export function times(one: Polynomial, other: Polynomial): Polynomial {
  const product = Array.from({ length: one.length + other.length - 1 }, () => 0);
  for (const [i, x] of one.entries())
    for (const [j, y] of other.entries()) product[i + j] = (product[i + j] ?? 0) + x * y;
  return product;
}

/** 1 − p. */
export function not(p: Polynomial): Polynomial {
  return p.map((coefficient, i) => (i === 0 ? 1 : 0) - coefficient);
}

/** The chance that `right` of n answers are right, if each is right with the chance p. */
export function rightOf(right: number, n: number, p: Polynomial): Polynomial {
  let product: Polynomial = [1];
  let ways = 1;
  for (let i = 0; i < n; i += 1) {
    product = times(product, i < right ? p : not(p));
    if (i < right) ways = (ways * (n - i)) / (i + 1);
  }
  return product.map((coefficient) => coefficient * ways);
}

/** Cases of a kind: their share of all cases, and their chances in base and in head. */
export interface Kind {
  readonly share: number;
  readonly base: Polynomial;
  readonly head: Polynomial;
}

/** The kinds of cases for a loss as changed prompts cause it: some cases are lost completely, the others not at all. */
export function kindsOf(loss: number): readonly Kind[] {
  const base: Polynomial = [0, 1];
  const lost = loss / meanOf(base);
  return [
    { share: 1 - lost, base, head: base },
    { share: lost, base, head: [0] },
  ];
}

/** The mean over all cases of a function of their chances. */
export function meanOver(kinds: readonly Kind[], of: (kind: Kind) => Polynomial): number {
  return kinds.reduce((sum, kind) => sum + kind.share * meanOf(of(kind)), 0);
}

/** Probability of these numbers of broken and fixed cases among n. */
export function trinomial(
  n: number,
  chances: { readonly breaks: number; readonly fixes: number },
): (broke: number, fixed: number) => number {
  const logs = new Float64Array(n + 1);
  for (let i = 1; i <= n; i += 1) logs[i] = (logs[i - 1] ?? 0) + Math.log(i);
  const log = (i: number): number => logs[i] ?? 0;
  const [breaks, fixes] = [Math.log(chances.breaks), Math.log(chances.fixes)];
  const stays = Math.log(1 - chances.breaks - chances.fixes);
  return (broke, fixed) => {
    const rest = n - broke - fixed;
    if (rest < 0) return 0;
    const ways = log(n) - log(broke) - log(fixed) - log(rest);
    return Math.exp(ways + broke * breaks + fixed * fixes + rest * stays);
  };
}

/** Probability that fewer than `limit` of n are right. */
export function fewerThan(limit: number, n: number, chance: number): number {
  const odds = Math.log(chance / (1 - chance));
  let log = n * Math.log(1 - chance);
  let sum = 0;
  for (let right = 0; right < limit; right += 1) {
    sum += Math.exp(log);
    log += Math.log((n - right) / (right + 1)) + odds;
  }
  return sum;
}
