import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { withoutLatency } from "../support/cli.ts";
import { decryptedSamples } from "../support/encrypted-samples.ts";
import { serve } from "../support/loopback.ts";
import { cli, environmentIn, runCli } from "./run-cli.ts";

/** Runs that are killed without warning, at random moments, and resumed: nothing is lost, nothing is paid for twice. */

/** Another seed kills at other moments: `REGRADE_KILL_SEED=7 vitest run test/end-to-end/kill.test.ts`. */
const seed = Number(process.env["REGRADE_KILL_SEED"] ?? 20_261_121);
const isCi = Boolean(process.env["CI"]);
const kills = isCi ? 50 : 12;
/** Beside them, at most so many while it writes its results. */
const endKills = isCi ? 10 : 4;
const samples = 500;
const atOnce = 10;
/** An attempt is killed soon after at most so many requests. */
const mostAsked = 14;
/** What the process that was started last has written to its stderr. */
const lastWords = "stderr.txt";

describe("a run that is killed at random moments and resumed", () => {
  it("loses no sample, asks for none again, and ends like a run that nobody disturbed", async () => {
    await using app = await startApp();
    await using fixture = await createFixture(suiteFiles(app.url, samples));
    const began = performance.now();
    const undisturbed = await runCli(["run", "suite.yaml", "--out", "calm"], atFixture(fixture));
    expect(undisturbed.code, undisturbed.stderr).toBe(0);
    expect(app.asked.splice(0)).toHaveLength(samples);

    const asking = (samples / atOnce) * 25;
    const lifetime = performance.now() - began - asking;

    const attempts = await runAndKill(fixture, app, lifetime);
    const after = await readDirectory(fixture.getPath("killed"));

    expect(attempts.length - 1).toBeGreaterThanOrEqual(kills);
    expect(after.names).toEqual(["run.json", "samples.jsonl", "scores.jsonl", "summary.md"]);
    expect(after.scores).toBe((await readDirectory(fixture.getPath("calm"))).scores);
    expect(withoutTimes(after.run)).toEqual(withoutTimes(await readRun(fixture.getPath("calm"))));
    expect(await content(fixture.getPath("killed"))).toEqual(
      await content(fixture.getPath("calm")),
    );
    checkCounts(attempts, after.samples);
  }, 600_000);
});

describe("two runs", () => {
  it(
    "in one directory are refused by a lock that a crash does not leave behind",
    { tags: "smoke" },
    async () => {
      await using app = await startApp();
      await using fixture = await createFixture(suiteFiles(app.url, 60));
      const args = ["run", "suite.yaml", "--out", "here"];
      app.state.isStuck = true;
      const first = start(args, fixture);
      await until(() => app.asked.length >= atOnce);
      for (const more of [[], ["--resume"]]) {
        const second = await runCli([...args, ...more], atFixture(fixture));
        expect(second.code).toBe(2);
        expect(second.stderr).toContain(`process ${first.pid} is running in here`);
      }
      await kill(first);
      app.state.isStuck = false;
      const resumed = await runCli([...args, "--resume"], atFixture(fixture));
      expect(resumed.code, resumed.stderr).toBe(0);
    },
  );

  it("that begin together in a new directory are one run", async () => {
    await using app = await startApp();
    await using fixture = await createFixture(suiteFiles(app.url, 20));
    const args = ["run", "suite.yaml", "--out", "new", "--no-cache"];
    const ends = await Promise.all(
      [1, 2, 3].map(() => runCli(args, { ...atFixture(fixture), isProcess: true })),
    );
    expect(ends.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 2, 2]);
    expect(app.asked).toHaveLength(20);
  });
});

describe("a run that is killed and has a cache", () => {
  it("pays once for each sample, and the run after it for none", async () => {
    await using app = await startApp();
    await using fixture = await createFixture(suiteFiles(app.url, 100, { inputs: ["rows.jsonl"] }));
    const first = start(["run", "suite.yaml", "--out", "a"], fixture);
    await until(() => app.asked.length >= 40);
    await kill(first);
    const resumed = await runCli(
      ["run", "suite.yaml", "--out", "a", "--resume"],
      atFixture(fixture),
    );
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(app.asked.length).toBeLessThanOrEqual(100 + atOnce);
    const cold = await readRun(fixture.getPath("a"));
    expect(cold.usage.cached).toBe(0);

    app.asked.splice(0);
    const again = await runCli(["run", "suite.yaml", "--out", "b"], atFixture(fixture));
    expect(again.code, again.stderr).toBe(0);
    const warm = await readRun(fixture.getPath("b"));
    // An answer may have reached the journal and not the cache when the run was killed.
    const missed = app.asked.splice(0).length;
    expect(missed).toBeLessThanOrEqual(atOnce);
    expect(warm.usage).toEqual({ ...cold.usage, cached: 100 - missed });
    expect(warm.metrics).toEqual(cold.metrics);

    const fresh = await runCli(
      ["run", "suite.yaml", "--out", "c", "--no-cache"],
      atFixture(fixture),
    );
    expect(fresh.code, fresh.stderr).toBe(0);
    expect(app.asked).toHaveLength(100);
  });
});

interface Asked {
  readonly prompt: string;
  readonly attempt: number;
}

/** What stood in the journals when an attempt was killed, whole lines only. */
interface Attempt {
  /** Ids of samples and of answers that waited to be graded. */
  readonly journaled: ReadonlySet<string>;
  readonly sampleLines: readonly string[];
  readonly asked: readonly Asked[];
}

type App = Awaited<ReturnType<typeof startApp>>;

/** An app over HTTP that counts what it is asked. */
async function startApp() {
  const asked: Asked[] = [];
  const state = { attempt: 0, isStuck: false };
  const server = await serve((response: ServerResponse, { body }) => {
    const { prompt } = JSON.parse(body) as { prompt: string };
    asked.push({ prompt, attempt: state.attempt });
    if (state.isStuck) return;
    const number = Number(/\d+/.exec(prompt)?.[0]);
    setTimeout(
      () => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ answer: number % 7 === 0 ? "wrong" : `${number + 1}` }));
      },
      5 + (number % 40),
    );
  });
  return { ...server, asked, state };
}

function suiteFiles(url: string, rows: number, more: object = {}): Record<string, string> {
  const app = {
    http: { url: `${url}/ask`, body: { prompt: "{{prompt}}" }, output: "/answer" },
    ...more,
  };
  return {
    "suite.yaml": JSON.stringify({
      name: "sums",
      dataset: { file: "rows.jsonl", id_field: "id" },
      prompt_template: "{{n}} + 1 = ?",
      target_template: "{{m}}",
      grader: "exact_match",
      candidates: { app },
      run: { concurrency: atOnce },
      gate: { rules: [{ metric: "exact_match", min: 0.5 }] },
    }),
    "rows.jsonl": Array.from(
      { length: rows },
      (_, n) => `${JSON.stringify({ id: `c${n}`, n, m: n + 1 })}\n`,
    ).join(""),
  };
}

const atFixture = (fixture: FsFixture) => ({ directory: fixture.path });

function start(args: readonly string[], fixture: FsFixture): ChildProcess {
  const stderr = openSync(fixture.getPath(lastWords), "w");
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: fixture.path,
    env: environmentIn(fixture.path),
    stdio: ["ignore", "ignore", stderr],
  });
  closeSync(stderr);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function until(isSo: () => boolean, isOver: () => boolean = () => false): Promise<void> {
  while (!isSo() && !isOver()) await sleep(2);
}

/** Starts the run, kills it, resumes it, and so on, also while it ends; the last attempt is the one that ends. */
async function runAndKill(
  fixture: FsFixture,
  app: App,
  lifetime: number,
): Promise<readonly Attempt[]> {
  const random = createRandom(seed);
  const attempts: Attempt[] = [];
  for (let i = 0; ; i += 1) {
    app.state.attempt = i;
    const before = app.asked.length;
    // Before its first line there is nothing to resume, and it says so.
    const resume = (await hasBegun(fixture)) ? ["--resume"] : [];
    const child = start(["run", "suite.yaml", "--out", "killed", ...resume, "--quiet"], fixture);
    const isOver = (): boolean => child.exitCode !== null;
    await untilMoment({ random, app, before, isOver, i, lifetime });
    if (i < kills + endKills) await kill(child);
    else await until(isOver);
    const asked = app.asked.slice(before);
    attempts.push({ ...(await readJournals(fixture)), asked });
    if (!isOver()) continue;
    const stderr = await readFile(fixture.getPath(lastWords), "utf8");
    // The one before may have been killed when all was written, and its process had not ended: no run is left to resume.
    if (child.exitCode === 2) expect(stderr).toContain("the run in killed is complete");
    else expect(child.exitCode, stderr).toBe(0);
    return attempts;
  }
}

interface Moment {
  readonly random: () => number;
  readonly app: App;
  readonly before: number;
  readonly isOver: () => boolean;
  readonly i: number;
  /** About how long an attempt lives that has nothing to ask, in milliseconds. */
  readonly lifetime: number;
}

/** A few at any time after the start, most some requests into it; then, when all has been asked, at any time of its life. */
async function untilMoment(moment: Moment): Promise<unknown> {
  const { random, app, before, isOver, i } = moment;
  if (i >= kills) return untilTheEnd(moment);
  const areAsked = (requests: number): Promise<void> =>
    until(() => app.asked.length - before >= requests, isOver);
  // On a fast machine too, questions are left for the last kill.
  if (random() < 0.2) return Promise.race([sleep(random() * 600), areAsked(mostAsked)]);
  await areAsked(random() * mostAsked);
  return sleep(random() * 25);
}

/** While it grades the last answers and writes its results. */
async function untilTheEnd({ random, app, isOver, lifetime }: Moment): Promise<unknown> {
  const isAllAsked = (): boolean => new Set(app.asked.map(({ prompt }) => prompt)).size === samples;
  if (isAllAsked()) return Promise.race([sleep(random() * lifetime), until(isOver)]);
  await until(isAllAsked, isOver);
  return sleep(random() * 100);
}

async function hasBegun(fixture: FsFixture): Promise<boolean> {
  return (await readdir(fixture.getPath("killed")).catch(() => [])).length > 0;
}

async function wholeLines(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").slice(0, -1);
}

async function readJournals(fixture: FsFixture): Promise<Omit<Attempt, "asked">> {
  const directory = fixture.getPath("killed");
  const sampleLines = await decryptedSamples(directory, fixture.getPath("rows.jsonl"));
  const answers = await wholeLines(join(directory, "generated.jsonl"));
  const ids = [
    ...sampleLines.map((line) => (JSON.parse(line) as { id: string }).id),
    ...answers.map((line) => (JSON.parse(line) as { sample_id?: string }).sample_id ?? ""),
  ];
  return { journaled: new Set(ids), sampleLines };
}

function checkCounts(attempts: readonly Attempt[], final: readonly Sample[]): void {
  const idOf = new Map(final.map(({ prompt, id }) => [prompt, id]));
  const lines = new Set(attempts.at(-1)?.sampleLines);
  const known = new Set<string>();
  let lost = 0;
  for (const { journaled, sampleLines, asked } of attempts) {
    const ids = asked.map(({ prompt }) => idOf.get(prompt) ?? prompt);
    // Nothing that stood in a journal is asked for again …
    expect(ids.filter((id) => known.has(id))).toEqual([]);
    // … what did not stand there was in flight …
    const inFlight = ids.filter((id) => !journaled.has(id)).length;
    expect(inFlight).toBeLessThanOrEqual(atOnce);
    lost += inFlight;
    // … and what stood there stays there, to the last byte.
    expect(sampleLines.filter((line) => !lines.has(line))).toEqual([]);
    for (const id of journaled) known.add(id);
  }
  const requests = attempts.reduce((sum, { asked }) => sum + asked.length, 0);
  expect(requests).toBeLessThanOrEqual(samples + lost);
  console.log(
    `${attempts.length - 1} kills (seed ${seed}): ${requests} requests for ${samples} samples, ${lost} of them in flight at a kill`,
  );
}

async function readRun(directory: string): Promise<Run> {
  return JSON.parse(await readFile(join(directory, "run.json"), "utf8")) as Run;
}

async function readDirectory(directory: string) {
  const sampleLines = await wholeLines(join(directory, "samples.jsonl"));
  return {
    names: (await readdir(directory)).toSorted(),
    run: await readRun(directory),
    scores: withoutLatency(await readFile(join(directory, "scores.jsonl"), "utf8")),
    samples: sampleLines.map((line) => JSON.parse(line) as Sample),
  };
}

function isTime({ metric }: Run["metrics"][number]): boolean {
  return metric === "latency_seconds";
}

function withoutTimes({ id, created_at, completed_at, timing, metrics, ...rest }: Run): object {
  expect([typeof id, typeof created_at, typeof completed_at, typeof timing.seconds]).toEqual([
    "string",
    "string",
    "string",
    "number",
  ]);
  expect(metrics.filter(isTime)).toMatchObject([{ n: samples }]);
  return { ...rest, metrics: metrics.filter((metric) => !isTime(metric)) };
}

/** The samples without what differs between two runs, in the order of the plan. */
async function content(directory: string): Promise<readonly object[]> {
  const { samples: all } = await readDirectory(directory);
  return all
    .toSorted((a, b) => a.sample_index - b.sample_index)
    .map(({ run_id, latency_ms, created_at, completed_at, ...rest }) => {
      expect([typeof run_id, typeof latency_ms].join()).toBe("string,number");
      expect(created_at <= completed_at).toBe(true);
      return rest;
    });
}

/** mulberry32: small, seeded, good enough to choose moments. */
function createRandom(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
