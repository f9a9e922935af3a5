import { describe, expect, it } from "vitest";
import { retrying } from "../../../src/candidate/resilience/retrying.ts";
import { createTrafficControl } from "../../../src/candidate/resilience/traffic.ts";
import type { HttpEnd, SendHttp } from "../../../src/model/ports/http.ts";
import { inSlot } from "../../../src/base/semaphore.ts";
import { createRandom, createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** A provider that takes so many at once, asks for pauses, and has its 5xx. Latency 200 to 1,000 ms. */
interface Nature {
  readonly capacity: number;
  readonly retryAfterSeconds?: number;
  readonly serverErrors?: number;
}

interface Seen {
  sent: number;
  tooMany: number;
  most: number;
  /** Requests that came while the provider had asked for a pause. */
  disobeyed: number;
}

function simulate(nature: Nature, clock: VirtualClock): { send: SendHttp; seen: Seen } {
  const seen: Seen = { sent: 0, tooMany: 0, most: 0, disobeyed: 0 };
  let inFlight = 0;
  let pausedUntil = 0;
  const answer = (): HttpEnd => {
    const { retryAfterSeconds, serverErrors = 0 } = nature;
    const response = { kind: "response", headers: {}, body: "" } as const;
    if (inFlight > nature.capacity) {
      seen.tooMany += 1;
      if (retryAfterSeconds === undefined) return { ...response, status: 429 };
      pausedUntil = clock.now() + retryAfterSeconds * 1000;
      return { ...response, status: 429, headers: { "retry-after": String(retryAfterSeconds) } };
    }
    return { ...response, status: clock.random() < serverErrors ? 500 : 200 };
  };
  return {
    seen,
    send: async ({ signal }) => {
      seen.sent += 1;
      inFlight += 1;
      seen.most = Math.max(seen.most, inFlight);
      if (clock.now() < pausedUntil) seen.disobeyed += 1;
      const end = answer();
      const isRejected = end.kind === "response" && end.status === 429;
      // A rejection comes at once.
      await clock.sleep(isRejected ? 0 : 200 + clock.random() * 800, signal);
      inFlight -= 1;
      return end;
    },
  };
}

async function runSamples(nature: Nature, { samples, seed }: { samples: number; seed: number }) {
  const clock = createVirtualClock(createRandom(seed));
  const { send, seen } = simulate(nature, clock);
  const { slots, ...traffic } = createTrafficControl(clock, () => undefined).of("p", "k");
  const options = {
    ...clock,
    maxRetries: 10,
    repeats: "harmless",
    traffic: { slots, ...traffic },
  } as const;
  const sendAgain = retrying(send, options);
  const { signal } = new AbortController();
  const request = { method: "POST", url: "", headers: {}, body: "", timeoutSeconds: 60, signal };
  const limits: number[] = [];
  const ask = async (): Promise<HttpEnd> => {
    const end = await sendAgain(request);
    limits.push(slots.limit());
    return end;
  };
  const work = Promise.all(Array.from({ length: samples }, () => inSlot(slots, ask)));
  const ends = await clock.run(work);
  const good = ends.filter((end) => end.kind === "response" && end.status === 200).length;
  return { good, seen, limits, last: limits.at(-1) ?? 0, seconds: clock.elapsed() / 1000 };
}

const seeds = [1, 2, 3];

describe.each(seeds)("a simulated provider (seed %i)", (seed) => {
  it("that takes all gets more and more, up to the most there is", async () => {
    const { good, last, seen } = await runSamples({ capacity: 1000 }, { samples: 600, seed });
    expect(good).toBe(600);
    expect(seen.sent).toBe(600);
    expect(last).toBe(100);
    expect(seen.most).toBeLessThanOrEqual(100);
  });

  it.each([3, 12, 40])(
    "that takes %i at once is found out, and loses no sample",
    async (capacity) => {
      const { good, seen, limits } = await runSamples(
        { capacity, retryAfterSeconds: 2 },
        { samples: 500, seed },
      );
      expect(good).toBe(500);
      // Once found, the limit stays near: rejected are the probes and the first burst.
      const half = limits.slice(limits.length / 2);
      expect(Math.max(...half)).toBeLessThanOrEqual(Math.max(25, capacity * 1.8));
      expect(seen.tooMany / seen.sent).toBeLessThan(capacity < 10 ? 0.6 : 0.25);
    },
  );

  it("that asks for a pause is left alone by everybody", async () => {
    const { good, seen } = await runSamples(
      { capacity: 10, retryAfterSeconds: 5 },
      { samples: 300, seed },
    );
    expect(good).toBe(300);
    // What came in the very instant of the first rejection could not know of it.
    expect(seen.disobeyed).toBeLessThanOrEqual(20);
    expect(seen.tooMany).toBeGreaterThan(0);
  });

  it("that has 5xx is not sent less at once for it", async () => {
    const { good, limits } = await runSamples(
      { capacity: 1000, serverErrors: 0.2 },
      { samples: 600, seed },
    );
    expect(good).toBe(600);
    expect(limits.every((limit, i) => i === 0 || limit >= (limits[i - 1] ?? 0))).toBe(true);
    expect(limits.at(-1)).toBeGreaterThan(20);
  });
});

/** A quota of some requests a second, with a burst: what comes beyond it is rejected, and told when there is room for one. */
interface Bucket {
  readonly perSecond: number;
  readonly burst: number;
  readonly latencyMs?: number;
  /** What it says to a request that is rejected, given the milliseconds until there is room for one. */
  readonly says: (milliseconds: number) => { headers?: Record<string, string>; body?: string };
}

function simulateBucket(
  { perSecond, burst, latencyMs = 300, says }: Bucket,
  clock: VirtualClock,
): { send: SendHttp; seen: { sent: number } } {
  const seen = { sent: 0 };
  let room = burst;
  let lastMs = clock.now();
  const send: SendHttp = async ({ signal }) => {
    seen.sent += 1;
    room = Math.min(burst, room + ((clock.now() - lastMs) / 1000) * perSecond);
    lastMs = clock.now();
    if (room < 1) {
      const words = says(((1 - room) / perSecond) * 1000);
      return { kind: "response", status: 429, headers: {}, body: "", ...words };
    }
    room -= 1;
    await clock.sleep(latencyMs, signal);
    return { kind: "response", status: 200, headers: {}, body: "" };
  };
  return { send, seen };
}

interface Run {
  readonly samples: number;
  readonly concurrency?: number;
}

async function runWith(send: SendHttp, clock: VirtualClock, { samples, concurrency }: Run) {
  const traffic = createTrafficControl(clock, () => undefined).of("p", "k");
  const sendAgain = retrying(send, { ...clock, maxRetries: 2, repeats: "harmless", traffic });
  const { signal } = new AbortController();
  const request = { method: "POST", url: "", headers: {}, body: "", timeoutSeconds: 60, signal };
  const slots = concurrency === undefined ? traffic.slots : fixedSlots(concurrency);
  const ask = (): Promise<HttpEnd> => inSlot(slots, () => sendAgain(request));
  const ends = await clock.run(Promise.all(Array.from({ length: samples }, ask)));
  return { good: ends.filter((end) => end.kind === "response" && end.status === 200).length };
}

function fixedSlots(places: number) {
  let free = places;
  const waiting: (() => void)[] = [];
  return {
    enter: async () => {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free -= 1;
    },
    leave: () => {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}

const exact = (ms: number) => ({
  headers: { "retry-after-ms": String(Math.ceil(ms)), "retry-after": "1" },
});
const aSecond = () => ({ headers: { "retry-after": "1" } });
const nothing = () => ({});
const inWords = (ms: number) => ({ body: `Please try again in ${Math.ceil(ms)}ms. Visit …` });

describe.each(seeds)("a quota of requests (seed %i)", (seed) => {
  it.each<[string, Bucket, { samples: number; concurrency?: number }]>([
    ["500 a minute, exact", { perSecond: 8.33, burst: 20, says: exact }, { samples: 200 }],
    ["500 a minute, a second", { perSecond: 8.33, burst: 20, says: aSecond }, { samples: 200 }],
    [
      "500 a minute, a full minute's burst",
      { perSecond: 8.33, burst: 400, says: exact },
      { samples: 700 },
    ],
    ["300 a minute, a second", { perSecond: 5, burst: 10, says: aSecond }, { samples: 150 }],
    ["300 a minute, no word of when", { perSecond: 5, burst: 10, says: nothing }, { samples: 150 }],
    [
      "3,000 a minute, no word of when",
      { perSecond: 50, burst: 50, says: nothing, latencyMs: 1000 },
      { samples: 2000 },
    ],
    ["500 a minute, in words", { perSecond: 8.33, burst: 20, says: inWords }, { samples: 200 }],
    ["60 a minute, no word of when", { perSecond: 1, burst: 3, says: nothing }, { samples: 60 }],
    [
      "500 a minute, 4 at once",
      { perSecond: 8.33, burst: 10, says: exact },
      { samples: 120, concurrency: 4 },
    ],
    [
      "300 a minute, 25 at once",
      { perSecond: 5, burst: 10, says: nothing },
      { samples: 150, concurrency: 25 },
    ],
  ])("%s: loses no sample, and takes not much longer than it needs", async (_, bucket, run) => {
    const clock = createVirtualClock(createRandom(seed));
    const { send, seen } = simulateBucket(bucket, clock);
    const { good } = await runWith(send, clock, run);
    expect(good).toBe(run.samples);
    const leastSeconds = (run.samples - bucket.burst) / bucket.perSecond;
    expect(clock.elapsed() / 1000).toBeLessThan(leastSeconds * 1.5);
    expect(seen.sent).toBeLessThan(run.samples * 4);
  });
});

describe.each(seeds)("a quota that is full again with each minute (seed %i)", (seed) => {
  it("loses no sample, with no word of when", async () => {
    const clock = createVirtualClock(createRandom(seed));
    const minutes = new Map<number, number>();
    let sent = 0;
    const send: SendHttp = async ({ signal }) => {
      sent += 1;
      const minute = Math.floor(clock.elapsed() / 60_000);
      const count = (minutes.get(minute) ?? 0) + 1;
      minutes.set(minute, count);
      if (count > 100) return { kind: "response", status: 429, headers: {}, body: "" };
      await clock.sleep(300, signal);
      return { kind: "response", status: 200, headers: {}, body: "" };
    };
    const { good } = await runWith(send, clock, { samples: 300 });
    expect(good).toBe(300);
    expect(clock.elapsed()).toBeLessThan(4 * 60_000);
    expect(sent).toBeLessThan(1200);
  });
});
