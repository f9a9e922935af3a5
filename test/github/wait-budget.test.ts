import { describe, expect, it } from "vitest";
import type { Doing, GitHub } from "../../src/github/api/github.ts";
import type { Problem } from "../../src/model/refusal.ts";
import type { FaultKind } from "../support/github/faults.ts";
import { openClient } from "../support/github/open.ts";
import { startGitHub } from "../support/github/server.ts";
import { itSome } from "../support/rows.ts";

/** A thousandth of production's waits: 10 minutes are 0.6 s. */
const pace = "0.001";

const telling: Doing = { what: "the comment", permission: "pull-requests: write" };
const deciding: Doing = { what: "the look", permission: "actions: read", decides: true };
const ask = (github: GitHub, doing: Doing) =>
  github.attempt(doing, () => github.request("GET /repos/{owner}/{repo}", github.repository));
const waited = (warnings: readonly Problem[]): readonly number[] =>
  warnings
    .filter(({ code }) => code === "github_waits")
    .map(({ message }) => Number(/\d+/.exec(message)?.[0]));
const total = (seconds: readonly number[]): number => seconds.reduce((a, b) => a + b, 0);

describe("a limit that does not end", () => {
  itSome<readonly [string, Doing, readonly [number, number]]>([
    ["20 s at a time, for what tells", telling, [20, 60]],
    ["20 s at a time, for what decides", deciding, [20, 600]],
    ["60 s at a time, for what tells", telling, [60, 60]],
    ["60 s at a time, for what decides", deciding, [60, 600]],
    ["61 s at a time, for what tells", telling, [61, 0]],
    ["599 s at a time, for what decides", deciding, [599, 599]],
    ["601 s at a time, for what decides", deciding, [601, 0]],
  ])("is waited for as long as that is worth it: %s", async (_, doing, [retryAfter, most]) => {
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ as: "secondary", retryAfter });
    const { github, warnings } = await openClient(standIn, { pace });
    for (let call = 0; call < 5; call += 1)
      expect(await ask(github, doing)).toMatchObject({ kind: "failed", reason: "limited" });
    const all = total(waited(warnings));
    expect(all).toBeLessThanOrEqual(most);
    // A busy machine's own delays are waited, too: together they may be as long as one wait.
    expect(all).toBeGreaterThan(most > retryAfter ? most - 2 * retryAfter : most - 1);
    expect(warnings.at(-1)?.code).toBe("github_waits_no_more");
  });

  it("is waited for once, where several calls wait at the same time", async () => {
    await using standIn = await startGitHub();
    // 75 s one after the other are more than the 60 that it is worth; a busy machine may still begin the calls 1.75 s apart.
    standIn.rest.faults.add({ as: "secondary", retryAfter: 25, times: 3 });
    const { github, warnings } = await openClient(standIn, { pace: "0.05" });
    const ends = await Promise.all([1, 2, 3].map(() => ask(github, telling)));
    expect(ends.map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
    expect(waited(warnings)).toEqual([25, 25, 25]);
  });

  it("leaves a part of a second, within which GitHub may still answer", async () => {
    await using standIn = await startGitHub();
    const { github } = await openClient(standIn, { waitsInFull: true });
    github.waited(60 - Math.PI);
    expect(await ask(github, telling)).toMatchObject({ kind: "done" });
  });

  it("leaves to what decides what it is worth, though what tells has waited in vain", async () => {
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ as: "secondary", retryAfter: 60, times: 3 });
    const { github } = await openClient(standIn, { pace });
    expect(await ask(github, telling)).toMatchObject({ kind: "failed" });
    expect(await ask(github, deciding)).toMatchObject({ kind: "done" });
  });
});

describe("a server's error", () => {
  it("on what tells takes no try away from what decides", async () => {
    await using standIn = await startGitHub();
    const { github } = await openClient(standIn, { pace });
    standIn.rest.faults.add({ as: 502, times: 5 });
    expect(await ask(github, telling)).toMatchObject({ kind: "failed", reason: "down" });
    expect(await ask(github, deciding)).toMatchObject({ kind: "done" });
    expect(github.calls()).toBe(6);
  });

  itSome<readonly [FaultKind, Doing, number, string]>([
    // Three tries of 15 s and two pauses, then short ones until 60 s are over; then none. A try is 0.15 s here, so that a busy
    // machine, which ends it later, makes no try fewer.
    ["hang", telling, 5, "0.01"],
    // No try is made without end: each call has its one.
    [502, telling, 32, pace],
    ["hang", deciding, 32, "0.0002"],
  ])("that does not end is waited for in all calls together: %s, %j", async (...row) => {
    const [as, doing, tries, shortened] = row;
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ as });
    const { github } = await openClient(standIn, { pace: shortened });
    for (let call = 0; call < 30; call += 1)
      expect(await ask(github, doing)).toMatchObject({ kind: "failed", reason: "down" });
    expect(github.calls()).toBe(tries);
  });
});
