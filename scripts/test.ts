import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathWithPython } from "./python-path.ts";
import { readShare } from "./share.ts";
import { makeFolderInMemory } from "./temporary-folder.ts";

/**
 * Runs the tests of the repository, even if some fail: vitest's, which run dist/, and those of the Python side. Without those
 * of the tag `long`, and with a sixth of the rows of large tables (test/support/rows.ts); in CI with a sixth of both, which
 * the commit chooses; with `--all` all of them. REGRADE_TEST_SHARE=2/6 runs the second sixth. `--quick` runs the computing tests,
 * and the smoke test of each end-to-end flow. Other arguments go to vitest, which then runs all tests of the files that they name.
 */
const root = join(import.meta.dirname, "..");
const vitest = [join(root, "node_modules", "vitest", "vitest.mjs"), "run"];
const given = process.argv.slice(2);
const passedOn = given.filter((argument) => argument !== "--quick" && argument !== "--all");
const chosen = choose();
const pythonRun = ["python3", ["-B", "-m", "unittest", "discover", "-s", "test/python"]] as const;

const started = performance.now();
const temporary = makeFolderInMemory();
// Both signals reach the tests too, and end them first.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
if (given.includes("--quick")) await inTurn(quickRuns());
else await besides(pythonRun, () => inTurn([[process.execPath, [...vitest, ...chosen.filter]]]));
temporary?.remove();
console.log(`\nTests took ${Math.round((performance.now() - started) / 1000)} s.`);

type Run = readonly [program: string, args: readonly string[]];
type Ended = readonly [code: number | null, signal: string | null];

async function inTurn(runs: readonly Run[]): Promise<void> {
  for (const [program, args] of runs) {
    const [code, signal] = await endOf(
      spawn(program, args, { ...place(program), stdio: "inherit" }),
    );
    if (code !== 0) process.exitCode = 1;
    if (signal !== null || code === 130) break;
  }
}

/** Runs it at the same time, as it uses one core alone, and prints what it says afterwards. */
async function besides([program, args]: Run, others: () => Promise<void>): Promise<void> {
  const child = spawn(program, args, { ...place(program), stdio: ["ignore", "pipe", "pipe"] });
  const ended = Promise.all([endOf(child), text(child.stdout), text(child.stderr)]);
  await others();
  const [[code], ...said] = await ended;
  if (code !== 0) process.exitCode = 1;
  for (const part of said) process.stdout.write(part);
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => child.on("close", (code, signal) => resolve([code, signal])));
}

function place(program: string): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  return { cwd: root, env: environment(program) };
}

/** The share of the expensive tests (share.ts) that runs, and what vitest is told of it. */
function choose(): { readonly share: string; readonly filter: readonly string[] } {
  if (given.includes("--all") || passedOn.length > 0) return { share: "", filter: passedOn };
  const share = process.env["REGRADE_TEST_SHARE"] || (process.env["CI"] && shareOfCommit());
  if (!share) return { share: "1/6", filter: ["--tagsFilter", "!long"] };
  readShare(share);
  return { share, filter: [] };
}

function shareOfCommit(): string {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  const share = `${(Number.parseInt(stdout.slice(0, 8), 16) % 6 || 0) + 1}/6`;
  console.log(`Share ${share} of the expensive tests: REGRADE_TEST_SHARE=${share} npm test.`);
  return share;
}

function quickRuns(): readonly Run[] {
  // Only files with a smoke test, because vitest loads every file before it filters.
  const smoke = globSync("test/**/*.test.ts", { cwd: root }).filter((file) =>
    readFileSync(join(root, file), "utf8").includes('tags: "smoke"'),
  );
  return [
    [process.execPath, [...vitest, "--project", "computes", "--tagsFilter", "!long", ...passedOn]],
    [process.execPath, [...vitest, "--tagsFilter", "smoke", ...passedOn, ...smoke]],
  ];
}

function environment(program: string): NodeJS.ProcessEnv {
  // The sandbox's own tests link files of the repository into their folder, which must be on the same file system.
  const own = temporary && program !== "python3" && { TMPDIR: temporary.path };
  return {
    ...process.env,
    ...own,
    REGRADE_TEST_SHARE: chosen.share,
    PYTHONPATH: join(root, "python"),
    PATH: pathWithPython(),
  };
}
