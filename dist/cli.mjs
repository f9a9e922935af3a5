#!/usr/bin/env node

// src/launch.ts
var oldestNode = 24;
var exits = { refused: 2, bug: 70 };
var found = process.versions.node;
if (Number.parseInt(found, 10) < oldestNode) {
  process.stderr.write(
    `Regrade needs Node ${oldestNode} or newer; this is Node ${found}
  Install a newer one from https://nodejs.org/en/download, or start Regrade with it: /path/to/node regrade/dist/cli.mjs \u2026
`
  );
  process.exitCode = exits.refused;
} else {
  await start();
}
async function start() {
  try {
    await keepCompiled();
    await import(new URL("regrade.mjs", import.meta.url).href);
  } catch (error) {
    const text = error instanceof Error ? error.stack ?? error.message : String(error);
    process.stderr.write(`${text}

Regrade could not start. Is its folder dist/ whole?
`);
    process.exitCode = exits.bug;
  }
}
async function keepCompiled() {
  const { enableCompileCache } = await import("module");
  enableCompileCache(`${import.meta.dirname}/../.cache`);
}
