import { cp } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, describe, expect, it, vi } from "vitest";
import { parseComment } from "../../src/model/comment.ts";
import {
  mergeGroup,
  onBranch,
  pullRequest,
  push,
  shas,
  type Author,
} from "../support/github/events.ts";
import type { FaultKind } from "../support/github/faults.ts";
import { startProxy } from "../support/github/proxy.ts";
import {
  runAction,
  type ActionEnd,
  type ActionEvent,
  type ActionRun,
} from "../support/github/run-action.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import type { State } from "../support/github/state.ts";
import { prepareFor, writeRoutes as routes, type WriteName } from "../support/github/writes.ts";
import { patience } from "../support/patience.ts";
import { itSome } from "../support/rows.ts";

/** Comment and check run: dist/main.mjs as a process against the stand-in of GitHub. */

interface Suite {
  readonly wrong?: number;
  readonly name?: string;
  readonly gate?: string;
  readonly candidates?: string;
}

/** 40 cases, of which the first `wrong` are answered wrongly. */
function files({ wrong = 0, name = "qa", gate, candidates }: Suite = {}): Record<string, string> {
  const rows = Array.from({ length: 40 }, (_, i) => ({ id: `c${i}`, q: `${i}+1`, a: `${i + 1}` }));
  const outputs = rows.map(({ id, a }, i) => ({ case_id: id, output_text: i < wrong ? "no" : a }));
  return {
    [`evals/${name}.yaml`]: [
      `name: ${name}`,
      "dataset: { file: data/qa.jsonl, id_field: id }",
      'prompt_template: "What is {{q}}?"',
      'target_template: "{{a}}"',
      "grader: exact_match",
      `candidates: ${candidates ?? "{ app: { replay: outputs.jsonl } }"}`,
      `gate: ${gate ?? "{ rules: [{ metric: exact_match, min: 0.8 }] }"}`,
      "",
    ].join("\n"),
    "evals/data/qa.jsonl": lines(rows),
    "evals/outputs.jsonl": lines(outputs),
  };
}

function lines(all: readonly object[]): string {
  return all.map((one) => `${JSON.stringify(one)}\n`).join("");
}

const alone = { baseline: "none", "policy-from": "none" };

async function run(
  github: GitHub,
  suite: Suite | FsFixture,
  more: Partial<ActionRun> & { readonly event: ActionEvent },
): Promise<ActionEnd> {
  if ("path" in suite)
    return runAction({
      workspace: suite.path,
      github,
      ...more,
      inputs: { ...alone, ...more.inputs },
    });
  await using fixture = await createFixture(files(suite));
  return await run(github, fixture, more);
}

function recordRun(suite: Record<string, string>): () => Promise<string> {
  let recorded: Promise<FsFixture> | undefined;
  afterAll(async () => (await recorded)?.rm());
  const record = async (): Promise<FsFixture> => {
    await using good = await createFixture(suite);
    const end = await runAction({ workspace: good.path, inputs: alone });
    // The runner's folder goes with the test that made it.
    return await createFixture(end.outputs["run-path"] ?? "");
  };
  return async () => (await (recorded ??= record())).path;
}

/** Waits until a check is in progress. */
const begun = ({ rest }: GitHub) => vi.waitUntil(() => rest.state.checks.length > 0, 60_000);
const called = (github: GitHub): readonly string[] => github.rest.calls.map(({ route }) => route);
const warnings = (end: ActionEnd): readonly string[] =>
  end.commands.filter(({ name }) => name === "warning").map(({ data }) => data);
const sectionsOf = ({ rest }: GitHub) =>
  rest.state.comments.flatMap(({ body }) => parseComment(body)?.sections ?? []);
/** What the step may say to the runner at all. */
const ours = ["group", "endgroup", "add-mask", "error", "warning", "notice", "debug"];

/** A step that is as it should be, whatever its verdict: what it said was meant, and its end found nothing to do. */
function expectClean(end: ActionEnd): void {
  expect(end.stderr + end.post.stderr).toBe("");
  expect(end.post.code).toBe(0);
  expect(end.otherFileCommands).toBe("");
  for (const { name } of end.commands) expect(ours).toContain(name);
}

describe("a pull request", () => {
  it("has a check in progress while its samples run, on its head; then comment and conclusion, in few calls", async () => {
    await using github = await startGitHub();
    const event = pullRequest(github.rest.state);
    await using fixture = await createFixture({
      ...files({ candidates: "{ app: { command: [python3, -S, app.py] } }" }),
      "evals/app.py": "import sys, time\ntime.sleep(0.1)\nprint(eval(sys.stdin.read()[8:-1]))\n",
    });
    let early: readonly object[] = [];
    const end = await run(github, fixture, {
      event,
      meanwhile: async ({ printed }) => {
        await printed("40 samples");
        await begun(github);
        early = structuredClone(github.rest.state.checks);
      },
    });
    expect(early).toMatchObject([
      {
        name: "Regrade: qa",
        head_sha: shas.head,
        status: "in_progress",
        external_id: expect.stringMatching(/^77\.1\../),
      },
    ]);
    expect(end.code).toBe(0);
    expectClean(end);
    expect(github.rest.state.checks).toMatchObject([
      { status: "completed", conclusion: "success" },
    ]);
    expect(end.outputs["check-url"]).toContain("/runs/");
    expect(called(github)).toEqual([routes.beginCheck, routes.listComments, routes.completeCheck]);
  });

  it(
    "that gets worse is told so in one comment, which a later push resolves",
    { tags: "smoke" },
    async () => {
      await using github = await startGitHub();
      const { state } = github.rest;
      const red = await run(
        github,
        { wrong: 20 },
        { event: pullRequest(state, "same repository", { runId: 77 }) },
      );
      expect(red.code).toBe(1);
      expectClean(red);
      expect(warnings(red)).toEqual([]);
      expect(red.outputs["comment-url"]).toContain("#issuecomment-");
      expect(state.checks.at(-1)).toMatchObject({ conclusion: "failure" });
      expect(state.checks.at(-1)?.annotations).toMatchObject([{ path: "evals/qa.yaml" }]);
      const headSha = "e".repeat(40);
      const green = await run(
        github,
        { wrong: 0 },
        {
          event: pullRequest(state, "same repository", { runId: 78, headSha }),
        },
      );
      expect(green.code).toBe(0);
      expect(state.comments).toHaveLength(1);
      expect(sectionsOf(github)).toMatchObject([
        { suite: "qa", verdict: "pass", runId: "78", sha: headSha },
      ]);
      expect(state.comments[0]?.body).toContain("updated in place");
      expect(github.rest.calls.length - 5).toBeLessThanOrEqual(12);
    },
  );
});

/** The directory of a run in which every case is answered right: made once. */
const goodRun = recordRun(files({ gate: "{ max_drop: 0.02 }" }));

describe("what is written, by event", () => {
  const authors: readonly Author[] = ["same repository", "fork", "dependabot"];
  type Make = (state: State) => ActionEvent;
  const events: readonly (readonly [string, Author, Make])[] = [
    ...authors.map((author): readonly [string, Author, Make] => [
      "pull_request",
      author,
      (state) => pullRequest(state, author),
    ]),
    ["merge_group", "same repository", (state) => mergeGroup(state)],
    ["push", "same repository", (state) => push(state)],
    ["schedule", "same repository", (state) => onBranch("schedule", state)],
    ["workflow_dispatch", "same repository", (state) => onBranch("workflow_dispatch", state)],
  ];

  itSome(events)("%s of %s: first run, with a baseline, and again", async (name, author, make) => {
    await using github = await startGitHub();
    const { state } = github.rest;
    await using fixture = await createFixture(files({ wrong: 20, gate: "{ max_drop: 0.02 }" }));
    await cp(await goodRun(), fixture.getPath("base-run"), { recursive: true });
    const mayWrite = author === "same repository";
    const isPull = name === "pull_request";
    const sha = isPull ? shas.head : name === "merge_group" ? shas.group : shas.base;

    const first = await run(github, fixture, { event: make(state) });
    const inputs = { baseline: "base-run" };
    github.artifacts.nextAttempt();
    const compared = await run(github, fixture, { event: make(state), inputs });
    const again = { ...make(state) };
    const env = { GITHUB_RUN_ATTEMPT: "2" };
    github.artifacts.nextAttempt();
    const rerun = await run(github, fixture, { event: again, inputs, env });

    expect([first, compared, rerun].map(({ code }) => code)).toEqual([0, 1, 1]);
    expect(rerun.outputs["baseline-sha"]).toBe("1".repeat(40));
    for (const end of [first, compared, rerun]) {
      expectClean(end);
      expect(warnings(end).filter((text) => text.includes("permission"))).toEqual([]);
      expect(end.outputs["comment-url"] !== "").toBe(mayWrite && isPull);
      expect(end.outputs["check-url"] !== "").toBe(mayWrite);
    }
    expect(state.checks.map(({ head_sha, conclusion }) => [head_sha, conclusion])).toEqual(
      mayWrite
        ? [
            [sha, "neutral"],
            [sha, "failure"],
            [sha, "failure"],
          ]
        : [],
    );
    expect(sectionsOf(github).map(({ verdict, attempt }) => [verdict, attempt])).toEqual(
      mayWrite && isPull ? [["fail", 2]] : [],
    );
    if (isPull && !mayWrite) expect(first.stdout).toContain("may not");
  });
});

describe("two jobs of one workflow", () => {
  it(
    "that end at the same time keep both their suites in one comment",
    { tags: "long" },
    async () => {
      await using github = await startGitHub();
      const event = pullRequest(github.rest.state);
      const suites = ["one", "two"];
      const ends = await Promise.all(
        suites.map((name) => run(github, { wrong: 20, name }, { event, isProcess: true })),
      );
      expect(ends.map(({ code }) => code)).toEqual([1, 1]);
      expect(github.rest.state.comments).toHaveLength(1);
      expect(
        sectionsOf(github)
          .map(({ suite }) => suite)
          .toSorted(),
      ).toEqual(suites);
    },
  );
});

describe("a failed call", () => {
  const faults: readonly (readonly [WriteName, FaultKind])[] = [
    ["beginCheck", 502],
    ["completeCheck", "garbage"],
    ["listComments", "reset"],
    ["addComment", 422],
    ["changeComment", 429],
    ["identity", "slow"],
  ];
  itSome(faults)(
    "changes no verdict, is said once, and forges nothing: %s, %s",
    async (name, as) => {
      await using github = await startGitHub();
      const event = pullRequest(github.rest.state);
      const inputs = prepareFor(name, github.rest.state);
      github.rest.faults.add({ route: routes[name], as, retryAfter: 1800 });
      const end = await run(github, { wrong: 20 }, { event, inputs });
      const what = `${warnings(end).join("\n")}\n${end.stdout.slice(-1500)}`;
      expect([end.code, end.outputs["verdict"], end.outputs["exit-code"]], what).toEqual([
        1,
        "fail",
        "1",
      ]);
      expectClean(end);
      const said = warnings(end).filter((text) => /comment|check run|identity/.test(text));
      expect(said, what).toHaveLength(name === "identity" ? 0 : 1);
    },
  );
});

describe("a token without a permission", () => {
  itSome([
    ["checks", "auto", undefined],
    ["checks", "true", "checks: write"],
    ["pull-requests", "auto", "pull-requests: write"],
  ])("%s: with check-run %s the warning names %s", async (name, mode, words) => {
    await using github = await startGitHub();
    const event = pullRequest(github.rest.state);
    delete github.rest.state.token.permissions[name];
    const end = await run(github, { wrong: 20 }, { event, inputs: { "check-run": mode } });
    expect(end.code).toBe(1);
    expectClean(end);
    const said = warnings(end);
    expect(said).toHaveLength(words === undefined ? 0 : 1);
    expect(said.join()).toContain(words ?? "");
  });

  it("is not even asked for where check-run and comment are switched off, nor without a token", async () => {
    await using github = await startGitHub();
    const event = pullRequest(github.rest.state);
    await run(github, { wrong: 20 }, { event, inputs: { "check-run": "false", comment: "never" } });
    await run(github, { wrong: 20 }, { event, token: "" });
    expect(called(github)).toEqual([]);
  });
});

describe("a check", () => {
  const slow = {
    ...files({ candidates: "{ app: { command: [python3, -S, app.py] } }" }),
    "evals/app.py":
      "import sys, time\ntime.sleep(60 if '1+1' in sys.stdin.read() else 0)\nprint(1)\n",
  };

  it("of a cancelled job is completed as cancelled, within the runner's patience", async () => {
    await using github = await startGitHub();
    const event = pullRequest(github.rest.state);
    await using fixture = await createFixture(slow);
    let asked = 0;
    const end = await run(github, fixture, {
      event,
      meanwhile: async ({ child, printed }) => {
        await printed("40 samples");
        asked = performance.now();
        child.kill("SIGINT");
      },
    });
    expect((performance.now() - asked) / 1000).toBeLessThan(await patience(7.5));
    expect(end.code).toBe(130);
    expect(github.rest.state.checks).toMatchObject([
      { status: "completed", conclusion: "cancelled" },
    ]);
    expect(github.rest.state.comments).toEqual([]);
  });

  it("of a process that was killed is completed by the step's end", async () => {
    await using github = await startGitHub();
    const event = pullRequest(github.rest.state);
    await using fixture = await createFixture(slow);
    const end = await run(github, fixture, {
      event,
      meanwhile: async ({ child, printed }) => {
        await printed("40 samples");
        await begun(github);
        child.kill("SIGKILL");
      },
    });
    expect(end.code).toBe(null);
    expect(end.post).toMatchObject({ code: 0, stderr: "" });
    expect(github.rest.state.checks).toMatchObject([
      { status: "completed", conclusion: "cancelled" },
    ]);
  });

  it("is not begun, nor a suite run, by the end of a step that was killed in its first moment", async () => {
    await using github = await startGitHub();
    const event = pullRequest(github.rest.state);
    await using fixture = await createFixture(slow);
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const end = await run(github, fixture, {
        event,
        meanwhile: async ({ child }) => void child.kill(signal),
      });
      expect(end.stdout).not.toContain("40 samples");
      expect(end.post).toEqual({ code: 0, stdout: "", stderr: "" });
    }
    expect(github.rest.state.checks).toEqual([]);
  });

  it("of a run that Regrade's own error ends says so", { tags: "long" }, async () => {
    await using github = await startGitHub();
    const event = pullRequest(github.rest.state);
    await using fixture = await createFixture({
      ...files({ candidates: "{ app: { command: [python3, -S, app.py] } }" }),
      "evals/app.py": "import time\ntime.sleep(20)\n",
    });
    const bug = `setInterval(() => { if (require("node:fs").existsSync("now")) throw new Error("bug") }, 50).unref()`;
    const env = {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`import { createRequire } from "node:module"; const require = createRequire("file:///"); ${bug}`)}`,
    };
    const end = await run(github, fixture, {
      event,
      env,
      meanwhile: async ({ printed }) => {
        await printed("40 samples");
        await fixture.writeFile("now", "");
      },
    });
    expect(end.code).toBe(70);
    expect(github.rest.state.checks).toMatchObject([
      { status: "completed", conclusion: "failure", head_sha: shas.head },
    ]);
    expect(github.rest.state.checks[0]?.output.title).toContain("no verdict");
  });

  it("of a suite that can't be read says so", async () => {
    await using github = await startGitHub();
    const event = pullRequest(github.rest.state);
    await using fixture = await createFixture({ "evals/bad.yaml": "name: [" });
    const end = await run(github, fixture, { event });
    expect(end.code).toBe(2);
    expect(github.rest.state.checks).toMatchObject([
      { name: "Regrade: bad", conclusion: "failure" },
    ]);
    expect(sectionsOf(github)).toMatchObject([{ suite: "bad", verdict: "error" }]);
  });
});

describe("addresses", () => {
  it("go through the proxy that the runner names", { tags: "long" }, async () => {
    await using github = await startGitHub();
    const asked: string[] = [];
    await using proxy = await startProxy(new URL(github.url).port, asked);
    const event = pullRequest(github.rest.state);
    const env = {
      http_proxy: proxy.url,
      GITHUB_API_URL: "http://github.internal",
      no_proxy: "127.0.0.1",
    };
    const end = await run(github, { wrong: 20 }, { event, env });
    expect(end.code).toBe(1);
    expect(warnings(end)).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(["CONNECT github.internal:80"]));
    expect(github.rest.state.comments).toHaveLength(1);
  });
});
