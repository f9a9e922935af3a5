// <define:builtScripts>
var define_builtScripts_default = { "main.cjs": "sha256-NX4Cy2fkSy5Sargm4UhAxJBY7R45Beuxxdqcq/fju5s=", "post.cjs": "sha256-AsN+Ivp/1lAbPlsdkuwfPDrBLGsI5lS12eJt3NpOlTI=", "suite-schema.generated.cjs": "sha256-CO4KSZ+tqB0Xyr/d92fssv7xz1gi0Q9w0dyl7Hzl/O4=", "run-schemas.generated.cjs": "sha256-DwLFzDcrJk/gl4RW52FkBpBIFQQaA9P3Kuw/s0dzcj0=" };

// src/launch-action.ts
import { getCompileCacheDir } from "node:module";
import path2 from "node:path";

// src/io/processes/compiled-scripts.ts
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import v8 from "node:v8";
import vm from "node:vm";

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
  const [start] = Object.values(Object(openScripts(options)(name)));
  if (typeof start !== "function") throw new TypeError(`${name} exports no function`);
  return async () => {
    await start();
  };
}
function openScripts({ folder: folder2, kept }) {
  const nodeRequire = createRequire(path.join(folder2, "x.js"));
  const loaded = /* @__PURE__ */ new Map();
  const load = (name) => {
    if (!name.startsWith("./") || !Object.hasOwn(define_builtScripts_default, name.slice(2)))
      return nodeRequire(name);
    const file = path.join(folder2, name);
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
        const found = Reflect.getOwnPropertyDescriptor(whole(), key);
        return found && { ...found, configurable: true };
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
  const script2 = new vm.Script(source, {
    filename: file,
    ...cachedData !== void 0 && { cachedData }
  });
  const isCompiled = cachedData !== void 0 && script2.cachedDataRejected !== true;
  if (place !== void 0 && !isCompiled)
    process.on("exit", (exitCode) => {
      if (wholeEnds.has(exitCode) && headOf(file).equals(head)) keepCode(place, head, script2);
    });
  return script2;
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
    const found = fs.readFileSync(place);
    const isWhole = [found.subarray(0, headBytes), found.subarray(-headBytes)].every(
      (end) => end.equals(head)
    );
    return isWhole ? found.subarray(headBytes, -headBytes) : void 0;
  } catch {
    return void 0;
  }
}
function keepCode(place, head, script2) {
  const beside = `${place}.${process.pid}.tmp`;
  quietly(() => {
    fs.mkdirSync(path.dirname(place), { recursive: true });
    const code = Buffer.concat([head, script2.createCachedData(), head]);
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
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
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
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === name)?.[what] ?? 0;
}
function compileLater() {
  setFlagsFromString("--invocation-count-for-turbofan=60000");
}

// src/launch-action.ts
var { dirname: folder, filename } = import.meta;
var { INPUT_MODE: mode = "" } = process.env;
var cache = getCompileCacheDir();
var set = ["merge", "report"].includes(mode) ? mode : "run";
settleV8({ isAlone: false });
var script = `./${path2.basename(filename, ".mjs")}.cjs`;
await openProgram(script, { folder, kept: cache && path2.join(cache, set) })();
