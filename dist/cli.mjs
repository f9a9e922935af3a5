#!/usr/bin/env node

// <define:builtScripts>
var define_builtScripts_default = { "regrade.cjs": "sha256-2MPPOsYOLQQ95UXrwaMs0lFuWwR+vaPwi+XzKHJb4LM=", "suite-schema.generated.cjs": "sha256-CO4KSZ+tqB0Xyr/d92fssv7xz1gi0Q9w0dyl7Hzl/O4=", "run-schemas.generated.cjs": "sha256-DwLFzDcrJk/gl4RW52FkBpBIFQQaA9P3Kuw/s0dzcj0=" };

// src/launch.ts
import nodeModule from "module";
import path2 from "path";

// src/io/processes/compiled-scripts.ts
import fs from "fs";
import { createRequire } from "module";
import path from "path";
import { pathToFileURL } from "url";
import v8 from "v8";
import vm from "vm";

// src/model/outcomes/verdict.ts
var exitCodes = {
  pass: 0,
  neutral: 0,
  fail: 1,
  refused: 2,
  inconclusive: 3,
  error: 4,
  bug: 70,
  interrupted: 130
};

// src/io/processes/compiled-scripts.ts
var headBytes = 128;
function openProgram(name, options) {
  const [start2] = Object.values(Object(openScripts(options)(name)));
  if (typeof start2 !== "function") throw new TypeError(`${name} exports no function`);
  return async () => {
    await start2();
  };
}
function openScripts({ folder, kept }) {
  const nodeRequire = createRequire(path.join(folder, "x.js"));
  const loaded = /* @__PURE__ */ new Map();
  const load = (name) => {
    if (!name.startsWith("./") || !Object.hasOwn(define_builtScripts_default, name.slice(2)))
      return nodeRequire(name);
    const file = path.join(folder, name);
    const module = { exports: {} };
    const run = compile(file, kept).runInThisContext();
    run(require2, module, pathToFileURL(file).href);
    return module.exports;
  };
  const loadOnce = (name) => {
    if (!loaded.has(name)) loaded.set(name, load(name));
    return loaded.get(name);
  };
  const require2 = (name) => usedLate.includes(name) ? late(() => loadOnce(name)) : loadOnce(name);
  return require2;
}
var usedLate = [
  "./suite-schema.generated.cjs",
  "node:child_process",
  "node:crypto",
  "node:dgram",
  "node:dns",
  "node:net",
  "node:readline",
  "node:readline/promises",
  "node:timers/promises",
  "node:zlib"
];
function late(load) {
  const whole = () => Object(load());
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(whole(), key),
      // An import at run time, or of a default, takes over all names.
      ownKeys: () => Reflect.ownKeys(whole()),
      getOwnPropertyDescriptor: (_, key) => {
        const found2 = Reflect.getOwnPropertyDescriptor(whole(), key);
        return found2 && { ...found2, configurable: true };
      }
    }
  );
}
function compile(file, kept) {
  const source = fs.readFileSync(file, "latin1");
  const name = path.basename(file);
  const place = kept === void 0 ? void 0 : path.join(kept, `${name}.code`);
  const head = headOf(file);
  const cachedData = place === void 0 ? void 0 : readCode(place, head);
  const script = new vm.Script(source, {
    filename: file,
    ...cachedData !== void 0 && { cachedData }
  });
  const isCompiled = cachedData !== void 0 && script.cachedDataRejected !== true;
  if (place !== void 0 && !isCompiled)
    process.on("exit", (exitCode) => {
      if (wholeEnds.has(exitCode) && headOf(file).equals(head)) keepCode(place, head, script);
    });
  return script;
}
var wholeEnds = /* @__PURE__ */ new Set([
  exitCodes.pass,
  exitCodes.fail,
  exitCodes.inconclusive
]);
function headOf(file) {
  const { size, mtimeMs } = fs.statSync(file);
  const parts = [define_builtScripts_default[path.basename(file)], size, mtimeMs, v8.cachedDataVersionTag()];
  return Buffer.from(`regrade ${parts.join(" ")}
`.padEnd(headBytes));
}
function readCode(place, head) {
  try {
    const found2 = fs.readFileSync(place);
    const isWhole = [found2.subarray(0, headBytes), found2.subarray(-headBytes)].every(
      (end) => end.equals(head)
    );
    return isWhole ? found2.subarray(headBytes, -headBytes) : void 0;
  } catch {
    return void 0;
  }
}
function keepCode(place, head, script) {
  const beside = `${place}.${process.pid}.tmp`;
  quietly(() => {
    fs.mkdirSync(path.dirname(place), { recursive: true });
    const code = Buffer.concat([head, script.createCachedData(), head]);
    fs.writeFileSync(beside, code, { mode: 384, flush: true });
    fs.renameSync(beside, place);
  });
  quietly(() => fs.rmSync(beside, { force: true }));
}
function quietly(act) {
  try {
    act();
  } catch {
  }
}

// src/io/processes/v8-settings.ts
import { getHeapSpaceStatistics, setFlagsFromString } from "v8";
var youngEnoughBytes = 32 * 1024 * 1024;
var oldEnoughBytes = 20 * 1024 * 1024;
var lookEveryMilliseconds = 20;
function settleV8({ isAlone }) {
  if (!isAlone) limitOldGrowth();
  limitYoungGrowth();
  compileLater();
}
function limitOldGrowth() {
  setFlagsFromString("--heap-growing-percent=300");
  runOnceWhen(
    () => oldBytes() >= oldEnoughBytes,
    () => setFlagsFromString("--heap-growing-percent=70")
  );
}
function limitYoungGrowth() {
  runOnceWhen(
    () => bytesOf("new_space", "space_size") >= youngEnoughBytes,
    () => setFlagsFromString("--semi-space-growth-factor=1")
  );
}
function runOnceWhen(isTime, then) {
  const timer = setInterval(() => {
    if (!isTime()) return;
    then();
    clearInterval(timer);
  }, lookEveryMilliseconds).unref();
}
function oldBytes() {
  return bytesOf("old_space", "space_used_size") + bytesOf("large_object_space", "space_used_size");
}
function bytesOf(name, what) {
  var _a;
  return ((_a = getHeapSpaceStatistics().find(({ space_name }) => space_name === name)) == null ? void 0 : _a[what]) ?? 0;
}
function compileLater() {
  setFlagsFromString("--invocation-count-for-turbofan=60000");
}

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
    const [, , command] = process.argv;
    settleV8({ isAlone: command === "compare" });
    await loadProgram(command)();
  } catch (error) {
    const text = error instanceof Error ? error.stack ?? error.message : String(error);
    process.stderr.write(`${text}

Regrade could not start. Is its folder dist/ whole?
`);
    process.exitCode = exits.bug;
  }
}
function loadProgram(command = "help") {
  const folder = import.meta.dirname;
  nodeModule.enableCompileCache(path2.join(folder, "..", ".cache"));
  const cache = nodeModule.getCompileCacheDir();
  const set = ["run", "validate"].includes(command) ? command : "others";
  return openProgram("./regrade.cjs", { folder, kept: cache && path2.join(cache, set) });
}
