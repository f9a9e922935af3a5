import { describe, expect, it } from "vitest";
import { retrying, tooLongToWait } from "../../../src/candidate/resilience/retrying.ts";
import { createTrafficControl } from "../../../src/candidate/resilience/traffic.ts";
import type { HttpEnd, HttpRequest, SendHttp } from "../../../src/model/ports/http.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const response = (status: number, headers: Record<string, string> = {}, body = ""): HttpEnd => ({
  kind: "response",
  status,
  headers,
  body,
});
const reset: HttpEnd = { kind: "failed", type: "connection_reset", message: "…", sent: true };

/** Answers one after the other, the last one for ever; each takes 100 ms. */
function setUp(ends: readonly HttpEnd[], maxRetries = 2, random?: () => number) {
  const clock = createVirtualClock(random);
  const pauses: number[] = [];
  const sentAt: number[] = [];
  const control = createTrafficControl(clock, ({ seconds }) => pauses.push(seconds));
  const traffic = control.of("openai", "key");
  const send: SendHttp = async ({ signal }) => {
    sentAt.push(clock.elapsed());
    const end = ends[Math.min(sentAt.length, ends.length) - 1] ?? reset;
    await clock.sleep(100, signal);
    return end;
  };
  const sendAgain = retrying(send, { ...clock, maxRetries, repeats: "harmless", traffic });
  return { clock, pauses, sentAt, control, traffic, sendAgain };
}

function request(signal = new AbortController().signal): HttpRequest {
  const [method, url] = ["POST", "http://x.test/"];
  return { method, url, headers: {}, body: "{}", timeoutSeconds: 10, signal };
}

describe("a bad day", () => {
  it.each([
    [
      "500 twice, then good",
      [response(500), response(500), response(200)],
      { status: 200, sent: 3 },
    ],
    ["529", [response(529), response(200)], { status: 200, sent: 2 }],
    ["500 for good", [response(500)], { status: 500, sent: 3 }],
    ["a wrong key", [response(401)], { status: 401, sent: 1 }],
    ["a reset", [reset, response(200)], { status: 200, sent: 2 }],
  ])("%s: ends as it should, after as many requests as it should", async (_, ends, expected) => {
    const { clock, sentAt, sendAgain } = setUp(ends);
    expect(await clock.run(sendAgain(request()))).toMatchObject({ status: expected.status });
    expect(sentAt).toHaveLength(expected.sent);
  });

  it.each([
    ["retry-after", { "retry-after": "12" }, 12_000],
    ["retry-after-ms", { "retry-after-ms": "250" }, 250],
    ["x-ratelimit-reset-requests", { "x-ratelimit-reset-requests": "6m0s" }, undefined],
    ["x-ratelimit-reset-tokens", { "x-ratelimit-reset-tokens": "9s" }, 9000],
  ])(
    "429 with %s waits as long as was asked for, and not much longer",
    async (_, headers, wait) => {
      const { clock, sentAt, pauses, sendAgain } = setUp([response(429, headers), response(200)]);
      await clock.run(sendAgain(request()));
      const waited = (sentAt[1] ?? 0) - 100;
      // More than five minutes to a full quota is no reason not to try before.
      expect(waited).toBeGreaterThanOrEqual(wait ?? 1);
      expect(waited).toBeLessThanOrEqual(wait === undefined ? 500 : wait * 1.5);
      expect(pauses).toEqual(wait === undefined ? [] : [wait / 1000]);
    },
  );

  it.each([
    ["retry-after", 3600, { "retry-after": "3600" }],
    [
      "a quota that is used up",
      360,
      { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" },
    ],
  ])("asks no more when %s says to come back in %i s", async (_, seconds, headers) => {
    const { clock, sentAt, sendAgain, pauses } = setUp([response(429, headers)]);
    const ends = await clock.run(
      sendAgain(request()).then(async (first) => [first, await sendAgain(request())]),
    );
    expect(ends).toMatchObject([{ status: 429 }, { status: 429 }]);
    expect(sentAt).toHaveLength(1);
    expect(pauses).toEqual([seconds]);
    expect(tooLongToWait(ends[1] ?? reset, clock.now())).toBe(seconds);
    expect(clock.elapsed()).toBeLessThan(1000);
  });

  it("backs off longer with each 429, however short the pause that is asked for", async () => {
    const soon = response(429, { "retry-after-ms": "20" });
    const { clock, sentAt, sendAgain } = setUp([soon, soon, soon, soon, response(200)]);
    expect(await clock.run(sendAgain(request()))).toMatchObject({ status: 200 });
    const waited = sentAt.slice(1).map((at, i) => at - (sentAt[i] ?? 0) - 100);
    expect(waited).toEqual([250, 500, 1000, 2000]);
  });

  it.each([
    ["no word of when", {}],
    ["another word of when each time", { "retry-after-ms": "120" }],
  ])(
    "429 for good, with %s: ends after five minutes, and asks more and more seldom",
    async (_, headers) => {
      const { clock, sentAt, sendAgain } = setUp([response(429, headers)]);
      expect(await clock.run(sendAgain(request()))).toMatchObject({ status: 429 });
      expect(clock.elapsed()).toBeGreaterThan(5 * 60_000);
      expect(clock.elapsed()).toBeLessThan(6 * 60_000);
      expect(sentAt.length).toBeLessThan(30);
      expect(await clock.run(sendAgain(request()))).toMatchObject({ status: 429 });
      expect(clock.elapsed()).toBeLessThan(6 * 60_000);
    },
  );

  it("429 for good for one request, while others come through, ends after a quarter of an hour", async () => {
    const { clock, sentAt, sendAgain, traffic } = setUp([response(429)]);
    const others = new AbortController();
    const goOn = async (): Promise<void> => {
      while (!others.signal.aborted) {
        traffic.cameThrough();
        await clock.sleep(1000, others.signal);
      }
    };
    const both = Promise.all([sendAgain(request()).finally(() => others.abort()), goOn()]);
    const [end] = await clock.run(both);
    expect(end).toMatchObject({ status: 429 });
    expect(clock.elapsed()).toBeLessThan(16 * 60_000);
    expect(sentAt.length).toBeLessThan(300);
  });

  it("429 is the end where nothing is to be sent again", async () => {
    const { clock, sentAt, sendAgain } = setUp([response(429)], 0);
    expect(await clock.run(sendAgain(request()))).toMatchObject({ status: 429 });
    expect(sentAt).toHaveLength(1);
  });

  it("429s leave the retries to what fails", async () => {
    const tooMany = response(429);
    const { clock, sentAt, sendAgain } = setUp([tooMany, tooMany, tooMany, response(500)]);
    expect(await clock.run(sendAgain(request()))).toMatchObject({ status: 500 });
    expect(sentAt).toHaveLength(6);
  });

  it("holds nobody up for a request that is larger than its quota", async () => {
    const body = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 42305.";
    const tooLarge = response(429, { "retry-after": "20" }, body);
    const { clock, sentAt, sendAgain, pauses, traffic } = setUp([tooLarge, response(200)]);
    expect(await clock.run(sendAgain(request()))).toMatchObject({ status: 429 });
    expect(await clock.run(sendAgain(request()))).toMatchObject({ status: 200 });
    expect(sentAt).toEqual([0, 100]);
    expect(pauses).toEqual([]);
    expect(traffic.slots.limit()).toBe(20);
  });

  it("loses patience after a quarter of an hour, however many retries there are", async () => {
    const { clock, sentAt, sendAgain } = setUp([response(429, { "retry-after": "290" })], 10);
    await clock.run(sendAgain(request()));
    expect(sentAt.length).toBeLessThan(7);
    expect(clock.elapsed()).toBeLessThan(21 * 60_000);
  });
});

describe("the end of a run", () => {
  it("ends a wait at once when the user stops", async () => {
    const { clock, sentAt, sendAgain } = setUp([response(429, { "retry-after": "200" })]);
    const stop = new AbortController();
    const stopping = clock.sleep(1000, new AbortController().signal).then(() => stop.abort());
    const end = await clock.run(sendAgain(request(stop.signal)));
    await stopping;
    expect(end).toEqual({ kind: "cancelled" });
    expect(sentAt).toHaveLength(1);
    expect(clock.elapsed()).toBe(1000);
  });

  it("leaves what was sent its answer, and does not send what waits", async () => {
    const { clock, sentAt, sendAgain, control } = setUp([response(503, { "retry-after": "200" })]);
    const both = Promise.all([
      sendAgain(request()),
      clock.sleep(500, new AbortController().signal).then(() => sendAgain(request())),
      clock.sleep(1000, new AbortController().signal).then(control.giveUp),
    ]);
    const [sent, unsent] = await clock.run(both);
    expect(sent).toMatchObject({ status: 503 });
    expect(unsent).toEqual({ kind: "cancelled" });
    expect(sentAt).toHaveLength(1);
    expect(clock.elapsed()).toBe(1000);
  });
});

/** The pauses between the requests of one that always fails. */
async function waits(random: number): Promise<readonly number[]> {
  const { clock, sentAt, sendAgain } = setUp([response(500)], 10, () => random);
  await clock.run(sendAgain(request()));
  // Each request takes 100 ms.
  return sentAt.slice(1).map((at, i) => at - (sentAt[i] ?? 0) - 100);
}

describe("the back-off", () => {
  it("doubles from half a second to a minute, and is anywhere below", async () => {
    expect(await waits(1)).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
    expect(await waits(0)).toEqual(Array(10).fill(0));
  });
});
