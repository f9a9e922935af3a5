import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import { statistics } from "../../src/stats/statistics.ts";
import { confirmAlpha } from "../../src/model/outcomes/confirmation.ts";
import { simulateAll, type Simulation } from "./cell.ts";
import { type Looks, looksCells, simulateLooks } from "./two-looks.ts";
import { type Pooled, pooledCells, simulatePooled, storedCells } from "./pooled.ts";
import { repeatsCells, simulateRepeats, type WithRepeats } from "./with-repeats.ts";
import {
  bits,
  clustered,
  compared,
  graded,
  repeated,
  settled,
  shown,
  uniform,
  type World,
} from "./worlds.ts";

/** Whether a drop of the detectable size is proven as often as claimed: in 4 of 5 runs. */
export interface DetectableCell {
  readonly world: string;
  /** Number of comparisons that share alpha. */
  readonly rules: number;
  /** Mean detectable drop that unchanged runs report. */
  readonly detects: number;
  /** Share of true drops of that size that is proven. */
  readonly proven: number;
}

/**
 * Share of changes that are blocked although they make nothing worse on average, by how much of their effect is
 * repeatable.
 */
export interface NeutralCell {
  readonly n: number;
  /** The share of changed cases that change in the same way when they are run again. */
  readonly reproduces: number;
  readonly blocked: number;
  readonly confirmed: number;
}

/** Share of unchanged runs that is blocked. */
export interface NoiseCell {
  readonly world: string;
  readonly rules: number;
  readonly blocked: number;
}

/** Results of a `prove: no_drop` rule for unchanged runs, and for a drop as large as its limit. */
export interface NoDropCell {
  readonly world: string;
  /** `max_drop` */
  readonly limit: number;
  /** For unchanged runs: the share with "no drop" shown, and the share that failed without a drop. */
  readonly passed: number;
  readonly failed: number;
  /** Share of runs shown not to have dropped by the limit although they had. */
  readonly wrong: number;
}

export interface Evidence {
  /** Seeded runs behind each figure, except those of several repeats. */
  readonly runs: number;
  readonly repeated_runs: number;
  readonly detectable: readonly DetectableCell[];
  readonly neutral: readonly NeutralCell[];
  readonly noise: readonly NoiseCell[];
  readonly no_drop: readonly NoDropCell[];
  readonly repeats: WithRepeats;
  readonly pooled: Pooled;
  readonly looks: Looks;
}

const unequal = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30];
const clusterWorlds = [
  clustered("6 clusters of 10", times(6, 10)),
  clustered("10 clusters of 10", times(10, 10)),
  clustered("25 clusters of 5", times(25, 5)),
  clustered("60 clusters of 5", times(60, 5)),
  clustered("12 clusters of 1 to 30", unequal),
  clustered("one cluster of 50, 30 of 2", [50, ...times(30, 2)]),
];

function times(count: number, size: number): readonly number[] {
  return Array.from({ length: count }, () => size);
}

const worlds: readonly World[] = [
  ...[50, 100, 200, 500].flatMap((n) => [0.02, 0.12, 0.25].map((psi) => bits(n, psi))),
  ...[50, 100, 200].map((n) => repeated(n, 5)),
  ...[20, 50, 100, 200].map((n) => graded(n)),
  ...clusterWorlds,
];

const isRepeated = ({ repeats }: World): boolean => repeats > 1;
const once = worlds.filter((world) => !isRepeated(world));
const severalTimes = worlds.filter(isRepeated);

function detectableCells(of: readonly World[]): readonly Simulation<DetectableCell | undefined>[] {
  return [1, 3].flatMap((rules) =>
    of.map((world) => ({
      name: `detectable, ${rulesNamed(rules)}: ${world.name}`,
      simulate: (runs) => detectableCell(world, rules, runs),
    })),
  );
}

const neutralCells: readonly Simulation<NeutralCell>[] = [100, 200, 500].flatMap((n) =>
  [0, 0.5, 1].map((reproduces) => ({
    name: `neutral, ${n} cases: ${100 * reproduces} % comes again`,
    simulate: (runs) => neutralCell(n, reproduces, runs),
  })),
);

const noiseWorlds: readonly World[] = [
  bits(50, 0.12),
  bits(200, 0.12),
  graded(20),
  graded(100),
  ...clusterWorlds,
];

function noiseCells(of: readonly World[]): readonly Simulation<NoiseCell>[] {
  return of.flatMap((world) =>
    [1, 3].map((rules) => ({
      name: `nothing changed, ${rulesNamed(rules)}: ${world.name}`,
      simulate: (runs) => noiseCell(world, rules, runs),
    })),
  );
}

function rulesNamed(rules: number): string {
  return rules === 1 ? "one rule" : `${rules} rules`;
}

const repeatedNoise = noiseCells([repeated(100, 5)]);

/** All cells that check whether the gate's statements about its evidence are true. */
export const evidenceCells: readonly Simulation<unknown>[] = [
  ...detectableCells(worlds),
  ...neutralCells,
  ...noiseCells(noiseWorlds),
  ...repeatedNoise,
  ...noDropCells(),
  ...repeatsCells,
  ...pooledCells,
  ...storedCells,
  ...looksCells,
];

/** Simulates all cells. */
export function simulateEvidence(runs: number): Evidence {
  const repeated_runs = Math.ceil(runs / 2);
  return {
    runs,
    repeated_runs,
    detectable: [
      ...known(simulateAll(detectableCells(once), runs)),
      ...known(simulateAll(detectableCells(severalTimes), repeated_runs)),
    ],
    neutral: simulateAll(neutralCells, 10 * runs),
    noise: [
      ...simulateAll(noiseCells(noiseWorlds), 5 * runs),
      ...simulateAll(repeatedNoise, repeated_runs),
    ],
    no_drop: simulateNoDrop(runs),
    // These figures are close to 5 %: more runs show on which side.
    repeats: simulateRepeats(5 * runs),
    pooled: simulatePooled(5 * runs),
    looks: simulateLooks(20 * runs),
  };
}

function known<Figures>(cells: readonly (Figures | undefined)[]): readonly Figures[] {
  return cells.filter((cell) => cell !== undefined);
}

/** Simulates the cells of several repeats again, and keeps the others. */
export function resimulateRepeats(evidence: Evidence, runs: number): Evidence {
  const names = new Set(severalTimes.map(({ name }) => name));
  const others = <C extends DetectableCell | NoiseCell>(cells: readonly C[]): readonly C[] =>
    cells.filter(({ world }) => !names.has(world));
  return {
    ...evidence,
    repeated_runs: Math.ceil(runs / 2),
    detectable: [
      ...others(evidence.detectable),
      ...known(simulateAll(detectableCells(severalTimes), Math.ceil(runs / 2))),
    ],
    noise: [...others(evidence.noise), ...simulateAll(repeatedNoise, Math.ceil(runs / 2))],
    repeats: simulateRepeats(5 * runs),
  };
}

/** Simulates only the cells of `prove: no_drop`. */
export function simulateNoDrop(runs: number): readonly NoDropCell[] {
  return simulateAll(noDropCells(), runs);
}

/** Suites with as many cases as a rule needs, and with as few as its exact bound allows. */
function noDropCells(): readonly Simulation<NoDropCell>[] {
  const asked: readonly (readonly [World, number])[] = [
    [bits(59, 0.02), 0.05],
    [bits(297, 0.12), 0.05],
    [bits(75, 0.12), 0.1],
    [repeated(60, 5), 0.05],
    [repeated(29, 5), 0.1],
    [graded(100), 0.05],
    [graded(29), 0.1],
    [clustered("25 clusters of 5", times(25, 5)), 0.1],
    [clustered("10 clusters of 10", times(10, 10)), 0.2],
    [clustered("12 clusters of 1 to 30", unequal), 0.2],
  ];
  return asked.map(([world, limit]) => ({
    name: `no_drop within ${limit}: ${world.name}`,
    simulate: (runs) => noDropCell(world, limit, runs),
  }));
}

function noDropCell(world: World, limit: number, runs: number): NoDropCell {
  const random = seeded(`no drop ${world.name}`, 100 * limit);
  let [passed, failed, wrong] = [0, 0, 0];
  for (let run = 0; run < runs; run += 1) {
    const outcome = shown(world, world.draw(random, 0), limit)?.outcome;
    if (outcome === "met") passed += 1;
    if (outcome === "missed") failed += 1;
    if (shown(world, world.draw(random, limit), limit)?.outcome === "met") wrong += 1;
  }
  const share = (count: number): number => digits(count / runs);
  return {
    world: world.name,
    limit,
    passed: share(passed),
    failed: share(failed),
    wrong: share(wrong),
  };
}

function seeded(name: string, rules: number): Random {
  let hash = rules;
  for (const letter of name) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return sfc32([hash >>> 0, name.length, rules]);
}

/** An unchanged run states its detectable drop; then another pair of runs has exactly that drop. */
function detectableCell(world: World, rules: number, runs: number): DetectableCell | undefined {
  const random = seeded(world.name, rules);
  let [told, sum, proven] = [0, 0, 0];
  for (let run = 0; run < runs; run += 1) {
    const [said] = settled(several(world, rules, random, 0));
    if (said === undefined || said.mde === null) continue;
    told += 1;
    sum += said.mde;
    const [found] = settled(several(world, rules, random, said.mde));
    if (found?.outcome === "missed") proven += 1;
  }
  // One cluster that outweighs the others leaves no detectable drop.
  if (told === 0) return undefined;
  return { world: world.name, rules, detects: digits(sum / told), proven: digits(proven / told) };
}

/** Several comparisons, of which the first has the drop. */
function several(
  world: World,
  ...[rules, random, drop]: readonly [number, Random, number]
): ReturnType<typeof compared>[] {
  return Array.from({ length: rules }, (_, i) =>
    compared(world, world.draw(random, i === 0 ? drop : 0)),
  );
}

function noiseCell(world: World, rules: number, runs: number): NoiseCell {
  const random = seeded(`noise ${world.name}`, rules);
  let blocked = 0;
  for (let run = 0; run < runs; run += 1)
    if (settled(several(world, rules, random, 0)).some(({ outcome }) => outcome === "missed"))
      blocked += 1;
  return { world: world.name, rules, blocked: digits(blocked / runs) };
}

/** 12 % of the cases change, half of them for the better. */
function neutralCell(n: number, reproduces: number, runs: number): NeutralCell {
  const random = seeded(`neutral ${n}`, 100 * reproduces);
  const world = bits(n, 0.12);
  let [blocked, confirmed] = [0, 0];
  for (let run = 0; run < runs; run += 1) {
    const comparison = compared(world, world.draw(random, 0));
    const [found] = settled([comparison]);
    if (found?.outcome !== "missed") continue;
    blocked += 1;
    if (freshP(comparison, reproduces, random) < confirmAlpha) confirmed += 1;
  }
  return { n, reproduces, blocked: digits(blocked / runs), confirmed: digits(confirmed / runs) };
}

/** A case that does not reproduce its change is random on both sides, so that it differs half of the time. */
function freshP(
  { broke, fixed }: { readonly broke: number; readonly fixed: number },
  reproduces: number,
  random: Random,
): number {
  const fresh = { broke: 0, fixed: 0 };
  for (let i = 0; i < broke + fixed; i += 1) {
    const first = i < broke ? "broke" : "fixed";
    if (uniform(random) < reproduces) fresh[first] += 1;
    else if (uniform(random) < 0.5) fresh[uniform(random) < 0.5 ? "broke" : "fixed"] += 1;
  }
  return statistics.mcnemarMidP(fresh.broke, fresh.fixed);
}

function digits(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
