import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathWithPython } from "./python-path.ts";
import { makeFolderInMemory } from "./temporary-folder.ts";

/**
 * Runs all tests of the repository, even if some fail: vitest's, which run dist/, and those of the Python side.
 * `--quick` runs the computing tests, and the smoke test of each end-to-end flow. Other arguments go to vitest.
 */
const root = join(import.meta.dirname, "..");
const vitest = [join(root, "node_modules", "vitest", "vitest.mjs"), "run"];
const given = process.argv.slice(2);
const passedOn = given.filter((argument) => argument !== "--quick");

const started = performance.now();
const temporary = makeFolderInMemory();
// Both signals reach the tests too, and end them first.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
for (const [program, args] of given.includes("--quick") ? quickRuns() : allRuns()) {
  const { status, signal } = spawnSync(program, args, {
    cwd: root,
    env: environment(program),
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
  if (signal !== null || status === 130) break;
}
temporary?.remove();
console.log(`\nTests took ${Math.round((performance.now() - started) / 1000)} s.`);

type Run = readonly [program: string, args: readonly string[]];

function allRuns(): readonly Run[] {
  return [
    [process.execPath, [...vitest, ...passedOn]],
    ["python3", ["-B", "-m", "unittest", "discover", "-s", "test/python"]],
  ];
}

function quickRuns(): readonly Run[] {
  // Only files with a smoke test, because vitest loads every file before it filters.
  const smoke = globSync("test/end-to-end/**/*.test.ts", { cwd: root }).filter((file) =>
    readFileSync(join(root, file), "utf8").includes('tags: "smoke"'),
  );
  return [
    [process.execPath, [...vitest, "--project", "computes", ...passedOn]],
    [process.execPath, [...vitest, "--tagsFilter", "smoke", ...passedOn, ...smoke]],
  ];
}

function environment(program: string): NodeJS.ProcessEnv {
  // The sandbox's own tests link files of the repository into their folder, which must be on the same file system.
  const own = temporary && program !== "python3" && { TMPDIR: temporary.path };
  return { ...process.env, ...own, PYTHONPATH: join(root, "python"), PATH: pathWithPython() };
}
