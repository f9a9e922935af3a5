import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface Measured {
  readonly seconds: number;
  /**
   * Largest memory of the process and its children together, as sampled. 0 if it was not watched, or if /proc is absent.
   */
  readonly peakBytes: number;
}

const sampleEveryMs = 5;

export interface Surroundings {
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The exit codes of a success. Default: 0. */
  readonly codes?: readonly number[];
  /** Its stderr is of no interest. */
  readonly quiet?: boolean;
  /** Measures memory. Measuring takes processor time from the process: not for timed runs. */
  readonly watched?: boolean;
}

/** Runs a command to its end. Throws if it doesn't succeed: a failure measured is no measure. */
export async function timed(
  argv: readonly string[],
  { directory, env, codes = [0], quiet = false, watched = false }: Surroundings = {},
): Promise<Measured> {
  const [program = "", ...args] = argv;
  const started = performance.now();
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", quiet ? "ignore" : "inherit"],
    ...(directory !== undefined && { cwd: directory }),
    env: { ...process.env, ...env },
  });
  let peakBytes = 0;
  const look = (): void => {
    peakBytes = Math.max(peakBytes, residentBytes(child.pid ?? 0));
  };
  const sampler = watched ? setInterval(look, sampleEveryMs) : undefined;
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", resolve);
  });
  clearInterval(sampler);
  if (code === null || !codes.includes(code))
    throw new Error(`${argv.join(" ")} ended with ${code}`);
  return { seconds: (performance.now() - started) / 1000, peakBytes };
}

/** Seconds from start to end of several commands, in turns, so that a busy moment hits all of them. */
export async function startTimes<Name extends string>(
  rounds: number,
  commands: Readonly<Record<Name, readonly string[]>>,
  surroundings: Surroundings = {},
): Promise<Record<Name, number[]>> {
  const times = Object.fromEntries(
    Object.keys(commands).map((name) => [name, []]),
  ) as unknown as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(commands) as Name[])
      times[name].push((await timed(commands[name], surroundings)).seconds);
  }
  return times;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/**
 * Memory of a process and its descendants, from Linux's /proc: shared pages count once (the proportional set size,
 * proc(5)), because a fork shares all pages that it has not written to.
 */
function residentBytes(pid: number): number {
  const parents = new Map<number, number>();
  const sizes = new Map<number, number>();
  // Descendants have higher process ids, until the ids wrap around.
  for (const each of processIds().filter((id) => id >= pid)) {
    const stat = textOf(`/proc/${each}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    parents.set(each, Number(fields[1]));
    const proportional = /^Pss: *(\d+) kB/m.exec(textOf(`/proc/${each}/smaps_rollup`))?.[1];
    sizes.set(each, Number(proportional ?? 0) * 1024);
  }
  const within = (each: number | undefined): boolean =>
    each !== undefined && each !== 0 && (each === pid || within(parents.get(each)));
  return [...sizes].reduce((sum, [each, bytes]) => sum + (within(each) ? bytes : 0), 0);
}

function processIds(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Empty if the process has ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
