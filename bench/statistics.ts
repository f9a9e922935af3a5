import { bootstrap, describe } from "../src/stats/inference/bootstrap.ts";
import { apart } from "../src/stats/clusters.ts";
import { type Resampled, resampler } from "../src/stats/aggregates/shapes.ts";
import { median } from "./measure.ts";
import { atMost, milliseconds, type Row } from "./table.ts";

const draws = 10_000;
const cases = 1_000;
const seed = [1, 2, 3] as const;

/**
 * 10,000 bootstrap samples of 1,000 cases, with their percentiles, compared with a bare loop that draws as many numbers
 * and sums the drawn values. Interleaved, so that a busy moment affects both.
 */
export function resampling(rounds: number): Row[] {
  const values = Float64Array.from({ length: cases }, (_, i) => Math.sin(i * i));
  const kinds: Readonly<Record<string, Resampled>> = {
    "a mean": { kind: "mean" },
    "a 95th percentile": { kind: "quantile", p: 0.95 },
    "a standard deviation": { kind: "stddev" },
  };
  return Object.entries(kinds).map(([name, kind]) => {
    const statistic = resampler({ values, clusters: apart(cases) }, kind);
    const drawing = { units: cases, draws, seed };
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(secondsOf(() => bareLoop(values)));
      ours.push(secondsOf(() => describe(bootstrap(drawing, statistic), 0.9)));
    }
    const ratio = median(ours) / median(bare);
    return atMost(3, {
      what: `${draws} bootstrap samples of ${cases} cases, ${name} : a bare loop that draws as many`,
      ratio,
      seen: `${milliseconds(median(ours))} : ${milliseconds(median(bare))}`,
    });
  });
}

function secondsOf(work: () => unknown): number {
  const started = performance.now();
  work();
  return (performance.now() - started) / 1000;
}

/** The same generator inlined, and a sum of the drawn values. */
function bareLoop(values: Float64Array): number {
  let a = 1;
  let b = 2;
  let c = 3;
  let counter = 1;
  let highest = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    let sum = 0;
    for (let i = 0; i < cases; i += 1) {
      const next = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + next) | 0;
      sum += values[((next >>> 0) * (cases / 2 ** 32)) | 0] ?? 0;
    }
    highest = Math.max(highest, sum);
  }
  return highest;
}
