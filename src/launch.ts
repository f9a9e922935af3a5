/**
 * Launcher of dist/cli.mjs: the program that `regrade` starts. It imports nothing, so that a Node that is too old for
 * the program can still run it and report that. Without it Node would fail with a SyntaxError and exit 1, which means
 * "the gate failed".
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
    await keepCompiled();
    // The file beside this one in dist/, built from cli.ts.
    await import(new URL("regrade.mjs", import.meta.url).href);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${text}\n\nRegrade could not start. Is its folder dist/ whole?\n`);
    process.exitCode = exits.bug;
  }
}

/**
 * Keeps the code that V8 compiled for the next start, as Python does in its `__pycache__`: this saves half of the time
 * until the first line runs. The cache is in Regrade's own folder, because anyone could put code into the common one
 * for temporary files. If the folder can't be written, nothing is kept.
 */
async function keepCompiled(): Promise<void> {
  const { enableCompileCache } = await import("node:module");
  enableCompileCache(`${import.meta.dirname}/../.cache`);
}
