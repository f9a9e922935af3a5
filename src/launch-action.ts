import { getCompileCacheDir } from "node:module";
import path from "node:path";
import { openProgram } from "./io/processes/compiled-scripts.ts";
import { settleV8 } from "./io/processes/v8-settings.ts";

/**
 * Launcher of dist/main.mjs and dist/post.mjs, which the runner starts: loads the script of the same name. Compiled code is kept
 * only where NODE_COMPILE_CACHE names a folder, as in tests: a runner throws the action's own folder away after the job. Each
 * mode of the action calls functions of its own.
 */
const { dirname: folder, filename } = import.meta;
const { INPUT_MODE: mode = "" } = process.env;
const cache = getCompileCacheDir();
const set = ["merge", "report"].includes(mode) ? mode : "run";
settleV8({ isAlone: false });
const script = `./${path.basename(filename, ".mjs")}.cjs`;
await openProgram(script, { folder, kept: cache && path.join(cache, set) })();
