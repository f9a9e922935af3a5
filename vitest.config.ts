import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { pathWithPython } from "./scripts/python-path.ts";

/** Tests that start processes, servers or a browser: most of their time they wait. */
const waiting = [
  ...[
    "candidate",
    "cli",
    "docs",
    "end-to-end",
    "github",
    "io",
    "mcp",
    "python-host",
    "store",
    "viewer",
  ].map((folder) => `test/${folder}/**/*.test.ts`),
  "test/report/attacks.test.ts",
];

/** Files that take longest, the longest first. */
const longest = [
  "attacks",
  "baseline-keys",
  "attempts",
  "attacks-around",
  "fork-report",
  "baselines",
  "github-writes",
  "action",
  "policy",
  "baseline-faults",
  "bad-days",
  "kill",
  "time",
  "rerun-base",
  "survival",
  "escapes",
  "pool",
  "action-shards",
  "shards",
  "stop",
  "results",
  "fence",
  "huggingface",
  "life",
  "calibrate",
  "package",
  "pager",
  "v8-settings",
].map((name) => `/${name}.test.ts`);

/**
 * Starts them first: a long file that starts last leaves all other workers idle. Without a cache of earlier durations, as
 * in CI, vitest starts the largest files first, and some of these are tables of a few lines.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer's own
    const usual = await super.sort(files);
    return usual.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const at = longest.findIndex((name) => moduleId.endsWith(name));
  return at === -1 ? longest.length : at;
}

const cores = availableParallelism();
const shared = {
  // A busy two-core machine needs time, never luck.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  // Files share a worker: a worker of its own costs each file a tenth of a second. So a test leaves nothing behind in its process.
  isolate: false,
  // Node loads TypeScript itself. Vite's loader makes each use of an import a call of a getter: an eighth of all processor time.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ["test/support/starter.ts", "test/support/long.ts"],
  env: { PATH: pathWithPython() },
};

/**
 * What V8 spends beside the code of the tests, a seventh of a worker's processor time. A worker holds 80 MB that all its files
 * use, and each upload of an artifact allocates 8 MB: at 64 MB of those V8 looks through all that it holds, and forgets the code
 * of functions that did not run of late. Other threads for that have no core of their own.
 */
const forLongLives = [
  "--external-memory-accounted-in-global-limit",
  "--heap-growing-percent=200",
  "--min-semi-space-size=32",
  "--no-flush-bytecode",
  "--single-threaded-gc",
];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    tags: [
      { name: "smoke", description: "one test of each end-to-end flow, for test:quick" },
      {
        name: "long",
        description: "takes seconds and shows something rare: a sixth of them in CI",
      },
    ],
    projects: [
      {
        test: {
          ...shared,
          name: "computes",
          include: ["test/**/*.test.ts"],
          exclude: waiting,
          maxWorkers: cores,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "waits",
          include: waiting,
          maxWorkers: 3 * cores,
          execArgv: forLongLives,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
