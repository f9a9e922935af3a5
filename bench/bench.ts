import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { workspaces } from "./agents.ts";
import { ownLoop } from "./agent-loop.ts";
import { makeAggregateSuite } from "./aggregates.ts";
import { comparing } from "./comparing.ts";
import { onGitHub } from "./github.ts";
import { largeDatasets } from "./datasets.ts";
import { grading } from "./graders.ts";
import { makeSuite } from "./make-suite.ts";
import { programs } from "./programs.ts";
import { askingModels } from "./models.ts";
import { median, timed } from "./measure.ts";
import type { Measured } from "./measure.ts";
import { resampling } from "./statistics.ts";
import { starting } from "./starting.ts";
import { table, type Row } from "./table.ts";

/**
 * Speed and memory, as ratios within one run: machines differ and are shared, ratios hold.
 * `npm run bench` takes some minutes; `npm run bench -- --quick` makes smaller files and fewer rounds; `--models`,
 * `--graders`, `--recorded`, `--starts`, `--datasets`, `--statistics`, `--compare`, `--github` and `--agents` run one part.
 */
const root = join(import.meta.dirname, "..");
const cli = join(root, "dist", "cli.mjs");
const parts = [
  "--models",
  "--graders",
  "--recorded",
  "--starts",
  "--datasets",
  "--statistics",
  "--compare",
  "--github",
  "--agents",
] as const;
const quick = process.argv.includes("--quick");
const few = 1_000;
const many = quick ? 20_000 : 100_000;
const rounds = quick ? 1 : 3;

const folder = await mkdtemp(join(tmpdir(), "regrade-bench-"));
try {
  const rows = [
    ...(isAsked("--models") ? await askingModels({ folder, cli, quick }) : []),
    ...(isAsked("--graders") ? await grading({ folder, quick }) : []),
    ...(isAsked("--graders") ? await programs(join(folder, "programs"), quick ? 20 : 60) : []),
    ...(isAsked("--recorded") ? [...(await replaying()), await aggregating()] : []),
    ...(isAsked("--starts") ? await starting({ folder, root, quick }) : []),
    ...(isAsked("--datasets") ? await largeDatasets({ folder, cli, quick }) : []),
    ...(isAsked("--statistics") ? resampling(quick ? 5 : 15) : []),
    ...(isAsked("--compare") ? await comparing({ folder, cli, quick }) : []),
    ...(isAsked("--agents")
      ? [...(await workspaces(join(folder, "agents"), quick ? 10 : 40)), ...(await ownLoop(quick))]
      : []),
    ...(isAsked("--github") ? await onGitHub({ cli, rounds }) : []),
  ];
  console.log(table(rows));
  if (rows.some((row) => !row.kept)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function replaying(): Promise<Row[]> {
  const small = await makeSuite(join(folder, "small"), few);
  const large = await makeSuite(join(folder, "large"), many);
  const [smallPeak, largePeak] = [await peak(small.suite), await peak(large.suite)];
  const [runs, bare]: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    runs.push(await run(large.suite, `large-${round}`));
    bare.push(await timed(["python3", "-B", large.bareLoop, large.data, large.grader]));
  }
  const memory = largePeak / smallPeak;
  const rate = (measured: readonly Measured[]): number =>
    many / median(measured.map((each) => each.seconds));
  const speed = rate(runs) / rate(bare);
  return [
    {
      what: `peak memory, ${many} rows : ${few} rows`,
      ratio: memory,
      limit: "≤ 2",
      kept: memory <= 2,
      seen: `${megabytes(largePeak)} : ${megabytes(smallPeak)} (Node and Python together)`,
    },
    {
      what: "samples a second, Regrade : a bare Python loop",
      ratio: speed,
      limit: "≥ 0.25",
      kept: speed >= 0.25,
      seen: `${Math.round(rate(runs))} : ${Math.round(rate(bare))}`,
    },
  ];
}

async function aggregating(): Promise<Row> {
  const small = await peak(await makeAggregateSuite(join(folder, "aggregates-small"), few));
  const large = await peak(await makeAggregateSuite(join(folder, "aggregates-large"), many));
  return {
    what: `peak memory with aggregators, ${many} rows : ${few} rows`,
    ratio: large / small,
    limit: "≤ 2",
    kept: large / small <= 2,
    seen: `${megabytes(large)} : ${megabytes(small)}`,
  };
}

function run(suite: string, name: string, watched = false): Promise<Measured> {
  const out = join(folder, "runs", name);
  return timed([process.execPath, cli, "run", suite, "--out", out, "--quiet"], { watched });
}

/** The median of some runs' peaks. */
async function peak(suite: string): Promise<number> {
  const peaks: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const name = `${basename(dirname(suite))}-watched-${round}`;
    peaks.push((await run(suite, name, true)).peakBytes);
  }
  return median(peaks);
}

/** All parts, unless some are named. */
function isAsked(part: (typeof parts)[number]): boolean {
  const named = parts.filter((each) => process.argv.includes(each));
  return named.length === 0 || named.includes(part);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
