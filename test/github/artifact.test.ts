import { randomBytes } from "node:crypto";
import { createFixture } from "fs-fixture";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  hasArtifactService,
  openDeadline,
  uploadRun,
} from "../../src/github/artifacts/artifact.ts";
import { openOwnArtifacts } from "../../src/github/artifacts/own-artifacts.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import { makeRuntimeToken } from "../support/github/token.ts";
import { unzip } from "../support/github/unzip.ts";
import { patience } from "../support/patience.ts";

let github: GitHub;

beforeEach(async () => {
  github = await startGitHub();
  vi.stubEnv("ACTIONS_RESULTS_URL", github.url);
  vi.stubEnv("ACTIONS_RUNTIME_TOKEN", makeRuntimeToken("run-1", "job-1"));
  vi.stubEnv("GITHUB_SERVER_URL", "https://github.com");
  // The library tells all that it does, in commands that a runner would carry out.
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await github[Symbol.asyncDispose]();
});

const upload = (
  directory: string,
  { signal = new AbortController().signal, deadline = openDeadline() } = {},
) => uploadRun({ directory, suite: "support bot/é", retentionDays: 5, signal, deadline });

describe("uploadRun", () => {
  it("uploads every file of the run, in blocks, with a digest and an expiry", async () => {
    const noise = randomBytes(20 * 1024 * 1024).toString("latin1");
    await using fixture = await createFixture({ "run.json": "{}", "deep/er/samples.jsonl": noise });
    const end = await upload(fixture.path);
    expect(end).toEqual({ kind: "uploaded", id: 1000, name: "regrade-support-bot" });
    const [artifact] = github.artifacts.all;
    const files = unzip(artifact?.content ?? Buffer.alloc(0));
    expect(Object.keys(files).toSorted()).toEqual(["deep/er/samples.jsonl", "run.json"]);
    expect(files["deep/er/samples.jsonl"]?.toString()).toBe(noise);
    expect(artifact?.digest).toMatch(/^sha256:/);
    expect(artifact?.expiresAt).toBeDefined();
    expect(github.requests.filter(({ method }) => method === "PUT").length).toBeGreaterThan(3);
  });

  it("finds another name where a job of the matrix has taken it, and its own again on a re-run", async () => {
    await using fixture = await createFixture({ "run.json": "{}" });
    const names = [
      await upload(fixture.path),
      await upload(fixture.path),
      await upload(fixture.path),
    ];
    github.artifacts.nextAttempt();
    names.push(await upload(fixture.path));
    expect(names.map((end) => end.kind === "uploaded" && end.name)).toEqual([
      "regrade-support-bot",
      "regrade-support-bot-2",
      "regrade-support-bot-3",
      "regrade-support-bot",
    ]);
  });

  it("is a value, not an exception, where the service refuses", async () => {
    github.trouble.artifactService = "refuses";
    await using fixture = await createFixture({ "run.json": "{}" });
    const end = await upload(fixture.path);
    expect(end).toMatchObject({ kind: "failed", name: "regrade-support-bot" });
    expect(end.kind === "failed" && end.reason).toContain("403");
  });

  it("does not keep a cancelled job waiting", async () => {
    github.trouble.artifactService = "down";
    await using fixture = await createFixture({ "run.json": "{}" });
    const cancel = new AbortController();
    const ending = upload(fixture.path, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 100);
    expect(await ending).toEqual({ kind: "cancelled" });
  });
});

describe("the uploads of a step", () => {
  it("have one time together: what is not there by then is given up, and what comes later not begun", async () => {
    github.trouble.artifactService = "down";
    await using fixture = await createFixture({ "run.json": "{}" });
    const deadline = openDeadline(600);
    const began = performance.now();
    const ends = [
      ...(await Promise.all([1, 2].map(() => upload(fixture.path, { deadline })))),
      await upload(fixture.path, { deadline }),
    ];
    expect((performance.now() - began) / 1000).toBeLessThan(await patience(3));
    const late = { kind: "late", name: "regrade-support-bot", minutes: 0.01 };
    expect(ends).toEqual([late, late, late]);
  });
});

describe("hasArtifactService", () => {
  it.each([
    [{}, false],
    [{ ACTIONS_RUNTIME_TOKEN: "t", ACTIONS_RESULTS_URL: "" }, false],
    [{ ACTIONS_RUNTIME_TOKEN: "t", ACTIONS_RESULTS_URL: "http://x" }, true],
  ])("knows a machine without it: %j", (env, expected) => {
    expect(hasArtifactService(env)).toBe(expected);
  });
});

describe("the artifacts of this workflow run", () => {
  it("are waited for 10 minutes, and not asked for again of a service that was silent so long", async () => {
    github.trouble.artifactService = "hangs";
    const own = await openOwnArtifacts({ REGRADE_TEST_GITHUB_PACE: "0.001" });
    await expect(own.list()).rejects.toThrow("has not answered within 10 minutes");
    const from = performance.now();
    await expect(own.list()).rejects.toThrow("has not answered within 10 minutes");
    expect((performance.now() - from) / 1000).toBeLessThan(await patience(0.1));
  });
});
