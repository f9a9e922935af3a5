import { describe, expect, it } from "vitest";
import { githubPace } from "../../src/github/api/pace.ts";
import type { GitHub } from "../../src/github/api/github.ts";
import { readRepository } from "../../src/github/runner/context.ts";
import type { FaultKind } from "../support/github/faults.ts";
import { openClient } from "../support/github/open.ts";
import { startGitHub } from "../support/github/server.ts";
import { patience } from "../support/patience.ts";

const doing = { what: "reading the repository", permission: "contents: read" };
const read = (github: GitHub) =>
  github.attempt(doing, () => github.request("GET /repos/{owner}/{repo}", github.repository));
const write = (github: GitHub) =>
  github.attempt({ what: "a check", permission: "checks: write" }, () =>
    github.request("POST /repos/{owner}/{repo}/check-runs", {
      ...github.repository,
      name: "Regrade: qa",
      head_sha: "a".repeat(40),
    }),
  );

describe("what GitHub refuses", () => {
  it.each<readonly [FaultKind, string, readonly string[]]>([
    [401, "forbidden", ["contents: read", "Bad credentials"]],
    [403, "forbidden", ["contents: read", "Resource not accessible"]],
    [404, "missing", ["contents: read", "404"]],
    [410, "gone", ["410"]],
    [422, "refused", ["422"]],
    ["primary", "limited", ["too many requests"]],
    [502, "down", ["can't be reached"]],
    ["reset", "down", ["can't be reached"]],
    ["garbage", "down", ["not GitHub's API"]],
  ])(
    "is a value that says what was not done and what is missing: %s",
    async (as, reason, words) => {
      await using standIn = await startGitHub();
      standIn.rest.faults.add({ as });
      const { github } = await openClient(standIn);
      const end = await read(github);
      expect(end).toMatchObject({ kind: "failed", reason });
      const { message, hint } = end.kind === "failed" ? end.problem : { message: "", hint: "" };
      for (const word of ["reading the repository", ...words])
        expect(`${message} ${hint}`).toContain(word);
      expect(message).not.toContain("\n");
    },
  );

  it("is tried again where it may pass: a server's error, a second limit with a time to wait", async () => {
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ as: 502, times: 1 });
    standIn.rest.faults.add({ as: "secondary", times: 1, retryAfter: 1 });
    const { github, warnings } = await openClient(standIn, { waitsInFull: true });
    const from = performance.now();
    expect(await read(github)).toMatchObject({ kind: "done" });
    expect(performance.now() - from).toBeGreaterThan(1900);
    expect(github.calls()).toBe(3);
    expect(warnings.map(({ code }) => code)).toEqual(["github_waits"]);
  });

  it("is not waited for where GitHub asks for half an hour", async () => {
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ as: 429, retryAfter: 1800 });
    const { github } = await openClient(standIn);
    expect(await read(github)).toMatchObject({ kind: "failed", reason: "limited" });
    expect(github.calls()).toBe(1);
  });

  it("costs a job its patience once: after a call that failed to the end the others get one try", async () => {
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ as: 502 });
    const { github } = await openClient(standIn);
    await read(github);
    expect(github.calls()).toBe(3);
    await read(github);
    expect(github.calls()).toBe(4);
  });

  it("is not waited for without end where no answer comes", async () => {
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ as: "hang" });
    const { github } = await openClient(standIn, { timeoutSeconds: 0.2 });
    const from = performance.now();
    expect(await read(github)).toMatchObject({ kind: "failed", reason: "down" });
    expect((performance.now() - from) / 1000).toBeLessThan(await patience(20));
  });
});

describe("the waits of production", () => {
  it(
    "are a second between two writes, and a fiftieth where a test asks for that; nothing else differs",
    { tags: "long" },
    async () => {
      const seconds: number[] = [];
      const asked: unknown[] = [];
      for (const waitsInFull of [true, false]) {
        await using standIn = await startGitHub();
        standIn.rest.faults.add({ as: 502, times: 1 });
        standIn.rest.faults.add({ as: 429, times: 1, retryAfter: 1 });
        const { github, warnings } = await openClient(standIn, { waitsInFull });
        const ends: { readonly kind: string }[] = [await read(github)];
        const from = performance.now();
        ends.push(await write(github), await write(github));
        seconds.push((performance.now() - from) / 1000);
        asked.push([
          ends.map(({ kind }) => kind),
          warnings,
          standIn.rest.calls,
          standIn.rest.state.checks,
        ]);
      }
      expect(seconds[0]).toBeGreaterThan(0.95);
      expect(seconds[1]).toBeLessThan(await patience(0.5));
      expect(asked[1]).toEqual(asked[0]);
    },
  );

  it.each([{}, { waits: "" }, { waits: "0" }, { waits: "-1" }, { waits: "2" }, { waits: "soon" }])(
    "hold for %j",
    ({ waits }) => {
      const env = waits === undefined ? {} : { REGRADE_TEST_GITHUB_PACE: waits };
      const pace = githubPace(env);
      expect(pace).toMatchObject({ retryMilliseconds: 1000, writes: undefined });
      expect([pace.timeoutSeconds(15), pace.pauseMilliseconds(400)]).toEqual([15, 400]);
    },
  );

  it("leave a busy machine two seconds to answer, however fast the rest is", () => {
    const pace = githubPace({ REGRADE_TEST_GITHUB_PACE: "0.02" });
    expect([15, 300, 0.2].map(pace.timeoutSeconds)).toEqual([2, 6, 0.2]);
    expect(pace).toMatchObject({ retryMilliseconds: 20, writes: { each: 20, notifying: 60 } });
  });
});

describe("a cancelled job", () => {
  it("asks GitHub nothing more, except what is for the end", async () => {
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ as: "hang", times: 1 });
    const cancel = new AbortController();
    const { github } = await openClient(standIn, { signal: cancel.signal });
    const waiting = read(github);
    setTimeout(() => cancel.abort(), 100);
    expect(await waiting).toMatchObject({ kind: "failed", reason: "cancelled" });
    expect(await read(github)).toMatchObject({ kind: "failed", reason: "cancelled" });
    const end = await github.attempt({ ...doing, forTheEnd: true }, () =>
      github.request("GET /repos/{owner}/{repo}", github.repository),
    );
    expect(end).toMatchObject({ kind: "done" });
    expect(standIn.rest.calls).toHaveLength(2);
  });
});

describe("a bug in a caller", () => {
  it("is no failed call", async () => {
    await using standIn = await startGitHub();
    const { github } = await openClient(standIn);
    const broken = github.attempt(doing, () => Promise.reject(new TypeError("a bug")));
    await expect(broken).rejects.toThrow("a bug");
  });
});

describe("addresses", () => {
  it("are those of GitHub Enterprise Server, GraphQL's too", async () => {
    await using standIn = await startGitHub();
    const { github } = await openClient({ url: `${standIn.url}/api/v3` });
    await read(github);
    await github.attempt(doing, () => github.graphql("{ viewer { login } }"));
    expect(standIn.requests.map(({ path }) => path)).toEqual([
      "/api/v3/repos/owner/app",
      "/api/graphql",
    ]);
    standIn.rest.violations.length = 0;
  });
});

describe("findRepository", () => {
  it.each([
    [{ GITHUB_REPOSITORY: "owner/app" }, { owner: "owner", repo: "app" }],
    [{}, undefined],
    [{ GITHUB_REPOSITORY: "owner" }, undefined],
    [{ GITHUB_REPOSITORY: "a/b/c" }, undefined],
  ])("reads %j", (env, expected) => {
    expect(readRepository(env)).toEqual(expected);
  });
});
