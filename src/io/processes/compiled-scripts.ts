import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import v8 from "node:v8";
import vm from "node:vm";
import { exitCodes } from "../../model/outcomes/verdict.ts";

/** The build's hash of each script, by file name. Replaced when dist/ is built. */
declare const builtScripts: Readonly<Record<string, string>>;

interface ScriptOptions {
  /** The folder of the scripts: dist/. */
  readonly folder: string;
  /** The folder of the compiled code. undefined: nothing is kept. */
  readonly kept: string | undefined;
}

type Require = (name: string) => unknown;
type Run = (require: Require, module: { exports: unknown }, importMetaUrl: string) => void;

/** The first and the last bytes of a file of compiled code: they say what it was compiled from, and that the file is whole. */
const headBytes = 128;

/**
 * A program of dist/: the function that its script exports. Scripts are loaded with the code that V8 compiled in an earlier
 * process, as Python does with its `__pycache__`.
 *
 * Node has a compile cache, but fills it before the code runs, when most functions are not compiled yet: each start then
 * compiled 2,000 functions anew, a fifth of a small run's processor time. Here the code is kept at the end of the process, with
 * all functions that it called. Only a script can be kept like that; for a module V8 has no such call in Node.
 */
export function openProgram(name: string, options: ScriptOptions): () => Promise<void> {
  const [start] = Object.values(Object(openScripts(options)(name)));
  if (typeof start !== "function") throw new TypeError(`${name} exports no function`);
  return async () => {
    await start();
  };
}

/** Loads scripts of dist/, and for other names what Node knows by them. */
function openScripts({ folder, kept }: ScriptOptions): Require {
  const nodeRequire = createRequire(path.join(folder, "x.js"));
  const loaded = new Map<string, unknown>();
  const load = (name: string): unknown => {
    if (!name.startsWith("./") || !Object.hasOwn(builtScripts, name.slice(2)))
      return nodeRequire(name);
    const file = path.join(folder, name);
    const module = { exports: {} };
    const run: Run = compile(file, kept).runInThisContext();
    run(require, module, pathToFileURL(file).href);
    return module.exports;
  };
  const loadOnce = (name: string): unknown => {
    if (!loaded.has(name)) loaded.set(name, load(name));
    return loaded.get(name);
  };
  const require = (name: string): unknown =>
    usedLate.includes(name) ? late(() => loadOnce(name)) : loadOnce(name);
  return require;
}

/** Modules that every script imports, but few starts use. They are loaded when one of their exports is first used. */
const usedLate = [
  "./suite-schema.generated.cjs",
  "node:child_process",
  "node:crypto",
  "node:dgram",
  "node:dns",
  "node:net",
  "node:readline",
  "node:readline/promises",
  "node:timers/promises",
  "node:zlib",
];

/** Stands for what a module exports: the module is loaded when one of its names is first used. */
function late(load: () => unknown): unknown {
  const whole = (): object => Object(load());
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(whole(), key),
      // An import at run time, or of a default, takes over all names.
      ownKeys: () => Reflect.ownKeys(whole()),
      getOwnPropertyDescriptor: (_, key) => {
        const found = Reflect.getOwnPropertyDescriptor(whole(), key);
        return found && { ...found, configurable: true };
      },
    },
  );
}

function compile(file: string, kept: string | undefined): vm.Script {
  // The build writes ASCII, which V8 reads without a copy when it is called Latin 1.
  const source = fs.readFileSync(file, "latin1");
  const name = path.basename(file);
  const place = kept === undefined ? undefined : path.join(kept, `${name}.code`);
  const head = headOf(file);
  const cachedData = place === undefined ? undefined : readCode(place, head);
  const script = new vm.Script(source, {
    filename: file,
    ...(cachedData !== undefined && { cachedData }),
  });
  const isCompiled = cachedData !== undefined && script.cachedDataRejected !== true;
  if (place !== undefined && !isCompiled)
    process.on("exit", (exitCode) => {
      // V8 refuses code that was compiled with other settings, and a large run changes some.
      if (wholeEnds.has(exitCode) && headOf(file).equals(head)) keepCode(place, head, script);
    });
  return script;
}

/** Exit codes of a program that did what it was asked. One that ended early has called few of its functions. */
const wholeEnds: ReadonlySet<number> = new Set([
  exitCodes.pass,
  exitCodes.fail,
  exitCodes.inconclusive,
]);

/** V8 itself compares its version, its settings, and the length of the source. */
function headOf(file: string): Buffer {
  const { size, mtimeMs } = fs.statSync(file);
  const parts = [builtScripts[path.basename(file)], size, mtimeMs, v8.cachedDataVersionTag()];
  return Buffer.from(`regrade ${parts.join(" ")}\n`.padEnd(headBytes));
}

function readCode(place: string, head: Buffer): Buffer | undefined {
  try {
    const found = fs.readFileSync(place);
    const isWhole = [found.subarray(0, headBytes), found.subarray(-headBytes)].every((end) =>
      end.equals(head),
    );
    return isWhole ? found.subarray(headBytes, -headBytes) : undefined;
  } catch {
    return undefined;
  }
}

/** If the folder can't be written, nothing is kept: an error here, at the end, would change the exit code. */
function keepCode(place: string, head: Buffer, script: vm.Script): void {
  const beside = `${place}.${process.pid}.tmp`;
  quietly(() => {
    fs.mkdirSync(path.dirname(place), { recursive: true });
    const code = Buffer.concat([head, script.createCachedData(), head]);
    // On the disk before it has its name: V8 would crash on half a file.
    fs.writeFileSync(beside, code, { mode: 0o600, flush: true });
    fs.renameSync(beside, place);
  });
  quietly(() => fs.rmSync(beside, { force: true }));
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Only the next start takes longer.
  }
}
