import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { openAnswerCache } from "../src/store/cache.ts";
import { makeSuite, type BenchSuite } from "./make-suite.ts";
import { median, timed } from "./measure.ts";
import { promptfoo } from "./promptfoo.ts";
import { atMost, milliseconds, type Row } from "./table.ts";

export interface ModelBench {
  /** Folder for the bench's files. */
  readonly folder: string;
  /** dist/cli.mjs. */
  readonly cli: string;
  readonly quick: boolean;
}

const inFlight = 25;
const model = "bench-model";
/** A realistic key, so that the cost of redacting it is measured. */
const key = "sk-bench-0123456789abcdef";

/**
 * Overhead of asking a model: compared with a bare loop over undici's `request` with 25 in flight, the same requests to
 * the same server on the loopback. Start-up, measured as a run of one sample, is subtracted.
 */
export async function askingModels(bench: ModelBench): Promise<Row[]> {
  const few = bench.quick ? 300 : 1000;
  const many = bench.quick ? 2000 : 10_000;
  const slow = await startServer(50);
  const fast = await startServer(0);
  try {
    const patient = await asking(bench, {
      url: slow.url,
      samples: few,
      latencyMs: 50,
      limit: 1.15,
    });
    const hurried = await asking(bench, { url: fast.url, samples: many, latencyMs: 0, limit: 2 });
    const beside = await promptfoo(bench, { ...patient, url: slow.url, model, key, inFlight });
    return [patient.row, hurried.row, ...(await warm(bench, hurried.suite)), ...beside];
  } finally {
    slow.stop();
    fast.stop();
  }
}

interface Asking {
  readonly url: string;
  readonly samples: number;
  readonly latencyMs: number;
  readonly limit: number;
}

/** The measurement that other rows are compared with. */
interface Measured {
  readonly row: Row;
  readonly suite: BenchSuite;
  readonly samples: number;
  /** Seconds of the bare loop. */
  readonly ideal: number;
}

async function asking(bench: ModelBench, asked: Asking): Promise<Measured> {
  const { url, samples, latencyMs, limit } = asked;
  const suite = await modelSuite(join(bench.folder, `models-${latencyMs}`), samples, url);
  const one = await modelSuite(join(bench.folder, `models-${latencyMs}-one`), 1, url);
  const [ideals, runs, starts]: [number[], number[], number[]] = [[], [], []];
  const ratios: number[] = [];
  for (let round = 0; round < (bench.quick ? 1 : 5); round += 1) {
    const bare = await bareLoop(url, suite.data);
    const begun = (await run(bench, one, ["--no-cache"])).seconds;
    const took = (await run(bench, suite, ["--no-cache"])).seconds;
    ideals.push(bare);
    starts.push(begun);
    runs.push(took);
    // The ratio is per round: a slow minute of the machine affects both.
    ratios.push((took - begun) / bare);
  }
  const [ideal, whole, start] = [median(ideals), median(runs), median(starts)];
  const row = atMost(limit, {
    what: `${samples} samples, ${latencyMs} ms, a Python grader, Regrade : a bare loop of undici`,
    ratio: median(ratios),
    seen: `${milliseconds(whole)} − ${milliseconds(start)} to start : ${milliseconds(ideal)}`,
  });
  return { row, suite, samples, ideal };
}

function modelSuite(folder: string, rows: number, url: string): Promise<BenchSuite> {
  return makeSuite(folder, rows, {
    providers: { local: { base_url: url, api: "responses", api_key_env: "BENCH_KEY" } },
    candidates: { model: `local:${model}` },
    run: { concurrency: inFlight, generation: { temperature: 0, max_output_tokens: 512 } },
  });
}

function run(
  { cli }: ModelBench,
  { suite }: BenchSuite,
  flags: readonly string[],
): ReturnType<typeof timed> {
  const directory = join(suite, "..");
  return timed(
    [process.execPath, cli, "run", suite, "--quiet", "--cache-path", keptIn(directory), ...flags],
    {
      directory,
      env: { BENCH_KEY: key },
    },
  );
}

/** A cache of the bench's own: the first run is a cold one. */
function keptIn(directory: string): string {
  return join(directory, "kept");
}

async function bareLoop(url: string, data: string): Promise<number> {
  const script = join(import.meta.dirname, "bare-models.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, url, data, model]);
  return (JSON.parse(stdout) as { readonly seconds: number }).seconds;
}

/** A second run of the same: no answer is asked for again. */
async function warm(bench: ModelBench, suite: BenchSuite): Promise<readonly Row[]> {
  const directory = join(suite.suite, "..");
  const out = join(directory, "cold");
  await run(bench, suite, ["--out", out]);
  const recorded = join(directory, "recorded.json");
  const manifest = JSON.parse(await readFile(suite.suite, "utf8")) as Record<string, unknown>;
  const candidates = { model: { replay: "cold/samples.jsonl" } };
  const { run: _, providers: __, ...others } = manifest;
  await writeFile(recorded, JSON.stringify({ ...others, candidates }));
  const [warmRuns, replays]: [number[], number[]] = [[], []];
  for (let round = 0; round < (bench.quick ? 1 : 3); round += 1) {
    warmRuns.push((await run(bench, suite, [])).seconds);
    replays.push((await run(bench, { ...suite, suite: recorded }, [])).seconds);
  }
  const searches: Searched[] = [];
  for (let round = 0; round < (bench.quick ? 1 : 15); round += 1)
    searches.push(await searching(join(keptIn(directory), "answers")));
  return [
    atMost(3, {
      what: "every answer of a warm cache found : its file read and parsed line by line",
      // The ratio is per round: garbage collection affects both.
      ratio: median(searches.map(({ find, read }) => find / read)),
      seen: `${milliseconds(median(searches.map(({ find }) => find)))} : ${milliseconds(median(searches.map(({ read }) => read)))}`,
    }),
    atMost(3, {
      what: "a run on a warm cache : a run on a recording of the same answers",
      ratio: median(warmRuns) / median(replays),
      seen: `${milliseconds(median(warmRuns))} : ${milliseconds(median(replays))}`,
    }),
  ];
}

interface Searched {
  readonly find: number;
  readonly read: number;
}

/** Seconds to find every answer, and to read them without looking for any. */
async function searching(directory: string): Promise<Searched> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".jsonl"));
  const readStarted = performance.now();
  const keys: string[] = [];
  for (const name of names) {
    const lines = (await readFile(join(directory, name), "utf8")).split("\n").filter(Boolean);
    for (const line of lines) {
      keys.push(line.slice(0, 64));
      JSON.parse(line.slice(line.indexOf("{")));
    }
  }
  const read = (performance.now() - readStarted) / 1000;
  const findStarted = performance.now();
  const cache = openAnswerCache({ directory, runId: "bench", onTrouble: fail });
  for (const each of keys) {
    if ((await cache.find(each)) === undefined) fail(`${each} is not in the cache`);
  }
  await cache.close();
  return { read, find: (performance.now() - findStarted) / 1000 };
}

function fail(text: string): never {
  throw new Error(text);
}

async function startServer(
  latencyMs: number,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const script = join(import.meta.dirname, "model-server.ts");
  const server = spawn(process.execPath, [script, String(latencyMs)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [url] = (await once(server.stdout, "data")) as [Buffer];
  return { url: url.toString().trim(), stop: () => void server.stdin.end() };
}
