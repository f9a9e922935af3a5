import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** All tests of the repository, whatever of them fails: vitest's, which run dist/, and the Python side's own. */
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const commands = [
  [process.execPath, vitest, "run", ...process.argv.slice(2)],
  ["python3", "-B", "-m", "unittest", "discover", "-s", "test/python"],
];
for (const [program = "", ...args] of commands) {
  const env = { ...process.env, PYTHONPATH: join(root, "python") };
  const { status } = spawnSync(program, args, { cwd: root, env, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
