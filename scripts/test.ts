import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";

/** All tests of the repository, whatever of them fails: vitest's, which run dist/, and the Python side's own. */
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const commands = [
  [process.execPath, vitest, "run", ...process.argv.slice(2)],
  ["python3", "-B", "-m", "unittest", "discover", "-s", "test/python"],
];
const env = { ...process.env, PYTHONPATH: join(root, "python"), PATH: pathWithPython() };
for (const [program = "", ...args] of commands) {
  const { status } = spawnSync(program, args, { cwd: root, env, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

/** The interpreter itself before what a version manager puts in its place: a script, which takes longer than Python's start. */
function pathWithPython(): string {
  const path = process.env["PATH"] ?? "";
  const asked = ["-c", "import sys; print(sys.executable)"];
  const { stdout } = spawnSync("python3", asked, { encoding: "utf8" });
  const found = (stdout ?? "").trim();
  return found === "" ? path : `${dirname(found)}${delimiter}${path}`;
}
