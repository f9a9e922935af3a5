import { describe, expect, it } from "vitest";
import {
  afterSuccess,
  afterThrottle,
  firstLimit,
  type Limit,
} from "../../../src/candidate/resilience/limit.ts";

function succeed(
  limit: Limit,
  times: number,
  { nowMs = 0, inFlight = limit.places }: { nowMs?: number; inFlight?: number } = {},
): Limit {
  let next = limit;
  for (let i = 0; i < times; i += 1) next = afterSuccess(next, { nowMs, inFlight });
  return next;
}

describe("how many requests a provider gets at once", () => {
  it("doubles with each round until the first 429, up to 100", () => {
    const rounds = [20, 40, 80, 100];
    let limit = firstLimit;
    const places = rounds.map((size) => (limit = succeed(limit, size)).places);
    expect(places).toEqual([40, 80, 100, 100]);
  });

  it("falls by a fifth with a 429, and again once no more are under way than that", () => {
    const cut = afterThrottle(firstLimit, { nowMs: 0, inFlight: 20, pauseMs: 0 });
    expect(cut.places).toBe(16);
    expect(afterThrottle(cut, { nowMs: 60_000, inFlight: 17, pauseMs: 0 }).places).toBe(16);
    expect(afterThrottle(cut, { nowMs: 1, inFlight: 16, pauseMs: 0 }).places).toBe(12);
  });

  it("does not grow in a pause that was asked for", () => {
    const cut = afterThrottle(firstLimit, { nowMs: 0, inFlight: 20, pauseMs: 60_000 });
    expect(succeed(cut, 16, { nowMs: 59_000 }).places).toBe(16);
    expect(succeed(cut, 16, { nowMs: 60_000 }).places).toBe(17);
  });

  it("grows by a twentieth afterwards, not from what was sent before the cut", () => {
    const cut = afterThrottle(
      { ...firstLimit, places: 100 },
      { nowMs: 0, inFlight: 100, pauseMs: 0 },
    );
    expect(cut.places).toBe(80);
    expect(succeed(cut, 200, { nowMs: 14_000 }).places).toBe(80);
    expect(succeed(cut, 80, { nowMs: 15_000 }).places).toBe(84);
  });

  it("never falls below one, and can grow again from there", () => {
    let limit = firstLimit;
    for (let i = 0; i < 40; i += 1) {
      limit = afterThrottle(limit, { nowMs: i * 20_000, inFlight: 1, pauseMs: 0 });
    }
    expect(limit.places).toBe(1);
    expect(succeed(limit, 4, { nowMs: 900_000 }).places).toBe(2);
  });

  it("does not grow where the places are not made use of", () => {
    expect(succeed(firstLimit, 100, { inFlight: 15 }).places).toBe(20);
    expect(succeed(firstLimit, 20, { inFlight: 16 }).places).toBe(40);
  });
});
