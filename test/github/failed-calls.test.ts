import { createFixture, type FsFixture } from "fs-fixture";
import { expect, vi } from "vitest";
import { openChecks } from "../../src/github/steps/checks.ts";
import type { StepEnd } from "../../src/github/steps/ends.ts";
import { openGitHubAccess, type Step } from "../../src/github/steps/step.ts";
import { tellAll } from "../../src/github/steps/tell.ts";
import { readContext } from "../../src/github/runner/context.ts";
import { createLog } from "../../src/github/runner/log.ts";
import { escapeLog } from "../../src/report/escape.ts";
import { openSecrets } from "../../src/wiring.ts";
import { exampleRun } from "./example-run.ts";
import { createCommandReader, type Command } from "../support/github/commands.ts";
import { pullRequest } from "../support/github/events.ts";
import type { FaultKind } from "../support/github/faults.ts";
import { paced } from "../support/github/pace.ts";
import type { ActionEvent } from "../support/github/run-action.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import { patience } from "../support/patience.ts";
import { prepareFor, writeNames, writeRoutes } from "../support/github/writes.ts";
import { itSome } from "../support/rows.ts";

/** Each write × each fault, in process. End to end there is one fault a route, in github-writes.test.ts. */

const faults: readonly FaultKind[] = [
  403,
  404,
  422,
  429,
  "secondary",
  502,
  "slow",
  "reset",
  "garbage",
];
const table = writeNames.flatMap((name) => faults.map((as) => [name, as] as const));

itSome(table)(
  "a failed %s (%s) changes no verdict, is said once, and forges nothing",
  async (name, as) => {
    await using github = await startGitHub();
    await using fixture = await createFixture({});
    const event = pullRequest(github.rest.state);
    const inputs = prepareFor(name, github.rest.state);
    github.rest.faults.add({
      route: writeRoutes[name],
      as,
      // A wait of half an hour is not waited; one of a second is.
      retryAfter: as === 429 ? 1800 : 1,
      slowMilliseconds: 300,
      ...(as === "secondary" && { times: 1 }),
    });
    const mode = inputs["check-run"] === "false" ? "false" : "auto";
    const told = await withStdout(() => tellFailure({ github, event, mode, fixture }));
    expect(told.value).toBe(1);
    expect(told.stdout).toContain("Regrade: fail (exit code 1); the step fails");
    for (const command of told.commands) expect(["warning"]).toContain(command.name);
    const said = told.commands.filter(({ data }) => /comment|check run|identity/.test(data));
    expect(said.length, told.stdout).toBeLessThanOrEqual(1);
    const isSilent = as === "slow" || as === "secondary" || name === "identity";
    // `check-run: auto` says nothing where the token may not.
    const isAuto = /Check/.test(name) && (as === 403 || as === 404);
    // A check that could not be begun comes whole at the end, once GitHub is well again; here it never is.
    if (!isSilent && !isAuto) expect(said, told.stdout).toHaveLength(1);
  },
);

const writes = [writeRoutes.beginCheck, writeRoutes.addComment, writeRoutes.completeCheck];

itSome<readonly [string, FaultKind, number]>([
  ["a limit on all writes that asks for a minute", "secondary", 60],
  ["a limit on all writes that asks for 20 s", "secondary", 20],
  ["a limit on all writes that asks for half an hour", "secondary", 1800],
  ["a server's error for each write", 502, 0],
  ["no answer to any write", "hang", 0],
])("%s costs a step 60 s at most, then a warning", async (what, as, retryAfter) => {
  await using github = await startGitHub();
  await using fixture = await createFixture({});
  const event = pullRequest(github.rest.state);
  for (const route of writes) github.rest.faults.add({ route, as, retryAfter });
  const from = performance.now();
  const told = await withStdout(() =>
    tellFailure({ github, event, mode: "auto", fixture, pace: "0.005" }),
  );
  const seconds = (performance.now() - from) / 1000;
  const waits = [...told.stdout.matchAll(/asks for a pause of (\d+) s before the next request$/gm)];
  const sum = waits.reduce((total, [, each]) => total + Number(each), 0);
  console.info(`${what}: ${sum} s waited for limits, ${seconds.toFixed(1)} s here`);
  expect(told.value).toBe(1);
  expect(sum).toBeLessThanOrEqual(60);
  expect(told.commands.filter(({ name }) => name === "warning").length).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(await patience(4));
});

interface Failure {
  readonly github: GitHub;
  readonly event: ActionEvent;
  readonly mode: "auto" | "false";
  readonly fixture: FsFixture;
  readonly pace?: string;
}

/** Tells a pull request of a failed run, as a step does; the step's exit code. */
async function tellFailure({ github, event, mode, fixture, pace }: Failure): Promise<number> {
  const env = {
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: "owner/app",
    GITHUB_EVENT_NAME: event.name,
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_WORKSPACE: fixture.path,
    ...event.env,
    ...paced,
    ...(pace !== undefined && { REGRADE_TEST_GITHUB_PACE: pace }),
  };
  const secrets = openSecrets(env);
  const step: Step = {
    env,
    secrets,
    context: readContext(env, event.payload),
    signal: new AbortController().signal,
    log: createLog({ escape: escapeLog, workspace: fixture.path }),
  };
  const access = openGitHubAccess(step, "ghs_token-of-the-test");
  const checks = openChecks({ ...step, access: access, mode });
  checks.begin("support-bot");
  const settings = { failOn: ["fail"], comment: "changes", retentionDays: 1 } as const;
  const ends = [failedRun(fixture.path)];
  const pull = step.context.pull?.number;
  return tellAll({ settings, ends, folder: fixture.path, access: access, checks, pull }, step);
}

function failedRun(directory: string): StepEnd {
  const file = "evals/a.yaml";
  return {
    kind: "finished",
    manifest: file,
    run: exampleRun({ verdict: "fail" }),
    directory,
    summary: "",
    warnings: [],
    texts: { broken: [], errors: [] },
    place: () => ({ file }),
    baseline: { kind: "none", reason: "none was asked for" },
  };
}

interface Told {
  readonly value: number;
  readonly stdout: string;
  /** What the runner would have executed of it. */
  readonly commands: readonly Command[];
}

async function withStdout(work: () => Promise<number>): Promise<Told> {
  let stdout = "";
  const printed = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    stdout += String(chunk);
    return true;
  });
  try {
    const value = await work();
    const reader = createCommandReader();
    const stream = reader.stream();
    stream.feed(stdout);
    stream.end();
    return { value, stdout, commands: reader.executed };
  } finally {
    printed.mockRestore();
  }
}
