import nodeModule from "node:module";
import path from "node:path";
import { openProgram } from "./io/processes/compiled-scripts.ts";
import { settleV8 } from "./io/processes/v8-settings.ts";

/**
 * Launcher of dist/cli.mjs: the program that `regrade` starts. It imports no name that old versions of Node lack, so that a Node
 * that is too old for the program can still run it and report that. Without it Node would fail with a SyntaxError and exit 1,
 * which means "the gate failed".
 */

/** As in package.json's `engines`. */
const oldestNode = 24;
/** As in model/verdict.ts, which an old Node could not load. */
const exits = { refused: 2, bug: 70 };

const found = process.versions.node;
if (Number.parseInt(found, 10) < oldestNode) {
  process.stderr.write(
    `Regrade needs Node ${oldestNode} or newer; this is Node ${found}\n` +
      "  Install a newer one from https://nodejs.org/en/download, or start Regrade with it: /path/to/node regrade/dist/cli.mjs …\n",
  );
  process.exitCode = exits.refused;
} else {
  await start();
}

async function start(): Promise<void> {
  try {
    const [, , command] = process.argv;
    // Before the program is compiled: V8 takes no code that was compiled with other settings.
    settleV8({ isAlone: command === "compare" });
    await loadProgram(command)();
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${text}\n\nRegrade could not start. Is its folder dist/ whole?\n`);
    process.exitCode = exits.bug;
  }
}

/**
 * The compiled code is in Regrade's own folder, unless NODE_COMPILE_CACHE names another one: anyone could put code into the common
 * one for temporary files. Those who run and those who validate call other functions than the rest do.
 */
function loadProgram(command = "help"): () => Promise<void> {
  const folder = import.meta.dirname;
  nodeModule.enableCompileCache(path.join(folder, "..", ".cache"));
  const cache = nodeModule.getCompileCacheDir();
  const set = ["run", "validate"].includes(command) ? command : "others";
  return openProgram("./regrade.cjs", { folder, kept: cache && path.join(cache, set) });
}
