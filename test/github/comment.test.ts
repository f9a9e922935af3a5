import { describe, expect, it } from "vitest";
import { formatComment, parseComment, type CommentSection } from "../../src/model/comment.ts";
import type { Verdict } from "../../src/model/outcomes/verdict.ts";
import { upsertComment, type Telling } from "../../src/github/comment/comment.ts";
import { isTold, type CommentMode } from "../../src/github/runner/comment-mode.ts";
import type { GitHub } from "../../src/github/api/github.ts";
import { pullNumber, pullRequest } from "../support/github/events.ts";
import { openClient } from "../support/github/open.ts";
import { startGitHub, type GitHub as StandIn } from "../support/github/server.ts";
import { actionsBot, type User, type WorkflowRun } from "../support/github/state.ts";

type CommentEnd = Awaited<ReturnType<typeof upsertComment>>;

const workflow = ".github/workflows/evals.yml";
const listing = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments";
const creating = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
const changing = "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}";
const stranger: User = { login: "mallory", id: 666, type: "User" };

interface Told {
  readonly suite?: string;
  readonly run?: string;
  readonly attempt?: number;
  readonly verdict?: Verdict;
  readonly changed?: boolean;
}

function section({
  suite = "qa",
  run = "100",
  attempt = 1,
  verdict = "fail",
}: Told): CommentSection {
  const sha = "a".repeat(40);
  return {
    suite,
    runId: run,
    attempt,
    sha,
    verdict,
    body: `${suite}: ${verdict} by ${run}.${attempt}`,
  };
}

function telling(told: Told): Telling {
  const { suite, runId, attempt, verdict } = section(told);
  const render = (previous: CommentSection | undefined): CommentSection => {
    const mine = section(told);
    const before = previous === undefined ? "" : ` (was ${previous.verdict} by ${previous.runId})`;
    return { ...mine, body: `${mine.body}${before}` };
  };
  return { suite, runId, attempt, verdict, changed: told.changed ?? false, render };
}

async function tell(
  github: GitHub,
  told: readonly Told[],
  mode: CommentMode = "always",
): Promise<CommentEnd> {
  return upsertComment({
    github,
    pull: pullNumber,
    workflow,
    mode,
    tellings: told.map(telling),
    // The pauses are real where two meet; here the order is what counts.
    sleep: () => new Promise((wait) => setTimeout(wait, 5)),
    random: () => 0.5,
  });
}

function start(standIn: StandIn): void {
  pullRequest(standIn.rest.state);
  for (const run of ["100", "101", "999", "1000"]) addRun(standIn, { run, attempt: 3 });
}

function addRun(
  standIn: StandIn,
  { run, ...more }: { readonly run: string } & Partial<WorkflowRun>,
): void {
  const known = { event: "pull_request", conclusion: "success", head_branch: "feature" };
  const head = { head_sha: "a".repeat(40), path: workflow };
  standIn.rest.state.runs.push({ id: Number(run), ...known, ...head, ...more });
}

function add(standIn: StandIn, user: User, body: string): number {
  const { state } = standIn.rest;
  const id = (state.nextId += 1);
  const app = user === actionsBot ? "github-actions" : undefined;
  state.comments.push({ id, issue: pullNumber, user, app, body, updates: 0 });
  return id;
}

const written = (...told: readonly Told[]): string =>
  formatComment({ workflow, sections: told.map(section) }, 60_000);
const bodies = (standIn: StandIn): readonly string[] =>
  standIn.rest.state.comments.map(({ body }) => body);
const sections = (standIn: StandIn, i = 0): readonly CommentSection[] =>
  parseComment(bodies(standIn)[i] ?? "")?.sections ?? [];
const routes = (standIn: StandIn): readonly string[] =>
  standIn.rest.calls.map(({ route }) => route);

describe("the comment of a workflow", () => {
  it("is created once, found again and kept up to date, with at most four calls", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    const first = await openClient(standIn);
    expect(await tell(first.github, [{ verdict: "fail" }])).toMatchObject({ kind: "written" });
    expect(routes(standIn)).toEqual([listing, creating, listing]);
    const second = await openClient(standIn);
    const end = await tell(second.github, [{ run: "101", verdict: "pass" }]);
    expect(end).toEqual({
      kind: "written",
      url: expect.stringContaining("#issuecomment-") as string,
    });
    expect(routes(standIn).slice(3)).toEqual([listing, "POST /graphql", changing, listing]);
    expect(bodies(standIn)).toHaveLength(1);
    expect(sections(standIn)).toMatchObject([
      { verdict: "pass", body: "qa: pass by 101.1 (was fail by 100)" },
    ]);
  });

  it.each([0, 1, 4, Infinity])(
    "is one in a run, though the list lags by %s requests; the next run finds and resolves it",
    async (lag) => {
      await using standIn = await startGitHub();
      start(standIn);
      standIn.rest.state.commentLag = lag;
      const first = await openClient(standIn);
      expect(await tell(first.github, [{ verdict: "fail" }])).toMatchObject({
        kind: "written",
        url: expect.stringContaining("#issuecomment-"),
      });
      console.log(`a list that lags by ${lag}: ${bodies(standIn).length} comment`);
      expect(bodies(standIn)).toHaveLength(1);
      for (const comment of standIn.rest.state.comments) comment.hiddenFor = 0;
      const second = await openClient(standIn);
      await tell(second.github, [{ run: "101", verdict: "pass" }]);
      expect(bodies(standIn)).toHaveLength(1);
      expect(sections(standIn)).toMatchObject([{ verdict: "pass" }]);
    },
  );

  it("of two jobs whose lists lag is two for a while: the next run leaves one, with what both said", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    standIn.rest.state.commentLag = Infinity;
    for (const suite of ["a", "b"])
      await tell((await openClient(standIn)).github, [{ suite, verdict: "fail" }]);
    expect(bodies(standIn)).toHaveLength(2);
    for (const comment of standIn.rest.state.comments) comment.hiddenFor = 0;
    await tell((await openClient(standIn)).github, [{ suite: "a", run: "101", verdict: "pass" }]);
    expect(bodies(standIn)).toHaveLength(1);
    const said = sections(standIn).map(({ suite, verdict }) => `${suite}: ${verdict}`);
    expect(said.toSorted()).toEqual(["a: pass", "b: fail"]);
  });

  it("is found on the second page, behind 100 others", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    for (let i = 0; i < 100; i += 1) add(standIn, stranger, `talk ${i}`);
    const id = add(standIn, actionsBot, written({ run: "90" }));
    const { github } = await openClient(standIn);
    expect(await tell(github, [{}])).toMatchObject({ kind: "written" });
    expect(bodies(standIn)).toHaveLength(101);
    expect(standIn.rest.state.comments.find((one) => one.id === id)?.updates).toBe(1);
  });

  it("is not the one where someone else has pasted its marker, be he called like the bot", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    add(standIn, stranger, written({ run: "999" }));
    add(standIn, { login: "github-actions", id: 667, type: "User" }, written({ run: "999" }));
    const { github } = await openClient(standIn);
    expect(await tell(github, [{}])).toMatchObject({ kind: "written" });
    expect(bodies(standIn)).toHaveLength(3);
    expect(standIn.rest.state.comments.map(({ updates }) => updates)).toEqual([0, 0, 0]);
    expect(sections(standIn, 2)).toMatchObject([{ runId: "100" }]);
  });

  it("is found by another app's token and by a person's", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    const { token } = standIn.rest.state;
    for (const user of [{ login: "our-app[bot]", id: 8, type: "Bot" as const }, stranger]) {
      token.user = user;
      const first = await openClient(standIn);
      await tell(first.github, [{}]);
      const second = await openClient(standIn);
      await tell(second.github, [{ run: "101" }]);
    }
    expect(standIn.rest.state.comments.map(({ user, updates }) => [user.login, updates])).toEqual([
      ["our-app[bot]", 1],
      ["mallory", 1],
    ]);
  });

  it("is the Actions bot's where the token can't say who it is", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    add(standIn, stranger, written({ run: "999" }));
    add(standIn, actionsBot, written({ run: "90" }));
    standIn.rest.faults.add({ route: "POST /graphql", as: 403 });
    const { github } = await openClient(standIn);
    await tell(github, [{}]);
    expect(standIn.rest.state.comments.map(({ updates }) => updates)).toEqual([0, 1]);
  });

  it("leaves the comment of another workflow alone", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    add(
      standIn,
      actionsBot,
      formatComment({ workflow: "other.yml", sections: [section({})] }, 60_000),
    );
    const { github } = await openClient(standIn);
    await tell(github, [{}]);
    expect(bodies(standIn)).toHaveLength(2);
  });

  it("keeps the sections of other suites", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    add(standIn, actionsBot, written({ suite: "other", run: "90" }, { suite: "qa", run: "90" }));
    const { github } = await openClient(standIn);
    await tell(github, [{ suite: "qa" }, { suite: "third", verdict: "pass" }]);
    const found = sections(standIn).map(({ suite, runId }) => `${suite} ${runId}`);
    expect(found.toSorted()).toEqual(["other 90", "qa 100", "third 100"]);
  });
});

describe("a late older run", () => {
  it.each([
    { there: { run: "101" }, late: { run: "100" } },
    { there: { run: "100", attempt: 2 }, late: { run: "100", attempt: 1 } },
    // A re-run of an old commit's run comes later, and tells of less.
    { there: { run: "101", attempt: 1 }, late: { run: "100", attempt: 3 } },
    // As numbers, not as texts.
    { there: { run: "1000" }, late: { run: "999" } },
  ])("never overwrites a newer one: $there.run before $late.run", async ({ there, late }) => {
    await using standIn = await startGitHub();
    start(standIn);
    add(standIn, actionsBot, written({ ...there, verdict: "fail" }));
    const { github } = await openClient(standIn);
    const end = await tell(github, [{ ...late, verdict: "pass" }]);
    expect(end).toMatchObject({ kind: "superseded" });
    expect(bodies(standIn)).toEqual([written({ ...there, verdict: "fail" })]);
  });

  it.each<readonly [string, Told, Partial<WorkflowRun> | undefined]>([
    ["a run that is not there", { run: "999999999999999" }, undefined],
    ["a number that no run has", { run: "9".repeat(40) }, undefined],
    ["another workflow's run", { run: "555" }, { path: ".github/workflows/other.yml" }],
    ["another branch's run", { run: "555" }, { head_branch: "main" }],
    ["a fork's run", { run: "555" }, { head_repository: { id: 9, full_name: "mallory/app" } }],
    ["an attempt that was never made", { run: "100", attempt: 99 }, undefined],
  ])("is no late one where the comment names %s", async (_, claimed, made) => {
    await using standIn = await startGitHub();
    start(standIn);
    if (made) addRun(standIn, { run: claimed.run ?? "", ...made });
    add(standIn, actionsBot, written({ ...claimed, verdict: "pass" }));
    const { github } = await openClient(standIn);
    const end = await tell(github, [{ run: "100", verdict: "fail" }]);
    expect(end).toMatchObject({ kind: "written" });
    expect(sections(standIn)).toMatchObject([{ runId: "100", attempt: 1, verdict: "fail" }]);
  });

  it("still writes of its other suites", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    add(standIn, actionsBot, written({ run: "101" }));
    const { github } = await openClient(standIn);
    await tell(github, [
      { run: "100", verdict: "pass" },
      { suite: "other", run: "100" },
    ]);
    const found = sections(standIn).map(({ suite, runId }) => `${suite} ${runId}`);
    expect(found.toSorted()).toEqual(["other 100", "qa 101"]);
  });
});

describe("jobs that write at the same time", () => {
  it.each([2, 5])(
    "lose no section and leave one comment: %i of them, none there before",
    async (count) => {
      await using standIn = await startGitHub();
      start(standIn);
      meetAtFirst(standIn, listing, count);
      const suites = Array.from({ length: count }, (_, i) => `suite-${i}`);
      const ends = await Promise.all(
        suites.map(async (suite) => tell((await openClient(standIn)).github, [{ suite }])),
      );
      expect(ends.map(({ kind }) => kind)).toEqual(suites.map(() => "written"));
      expect(bodies(standIn)).toHaveLength(1);
      expect(
        sections(standIn)
          .map(({ suite }) => suite)
          .toSorted(),
      ).toEqual(suites);
    },
  );

  it("lose no section of a comment that is there", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    add(standIn, actionsBot, written({ suite: "old", run: "90" }));
    // Both have read before either writes: the second overwrites the first.
    meetAtFirst(standIn, changing, 2);
    const suites = ["one", "two"];
    await Promise.all(
      suites.map(async (suite) => tell((await openClient(standIn)).github, [{ suite }])),
    );
    expect(bodies(standIn)).toHaveLength(1);
    expect(
      sections(standIn)
        .map(({ suite }) => suite)
        .toSorted(),
    ).toEqual(["old", "one", "two"]);
  });

  it("of one suite in one run show the worst verdict", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    for (const verdict of ["pass", "fail", "pass"] as const)
      await tell((await openClient(standIn)).github, [{ verdict }]);
    expect(sections(standIn)).toMatchObject([{ verdict: "fail" }]);
  });

  it("are joined in the oldest comment, by whoever comes next", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    const oldest = add(
      standIn,
      actionsBot,
      written({ suite: "a", run: "90" }, { suite: "qa", run: "80" }),
    );
    add(standIn, actionsBot, written({ suite: "b", run: "91" }, { suite: "qa", run: "92" }));
    const { github } = await openClient(standIn);
    await tell(github, [{ suite: "c" }]);
    expect(standIn.rest.state.comments.map(({ id }) => id)).toEqual([oldest]);
    const found = sections(standIn).map(({ suite, runId }) => `${suite} ${runId}`);
    expect(found.toSorted()).toEqual(["a 90", "b 91", "c 100", "qa 92"]);
  });
});

/** The first so many requests of a route are let through together. */
function meetAtFirst(standIn: StandIn, route: string, count: number): void {
  const all = Promise.withResolvers<void>();
  let came = 0;
  standIn.rest.before.push((call) => {
    if (call.route !== route || came >= count) return undefined;
    came += 1;
    if (came === count) all.resolve();
    return all.promise;
  });
}

describe("comment: …", () => {
  const green = { verdict: "pass", changed: false } as const;
  const moved = { verdict: "pass", changed: true } as const;
  const red = { verdict: "fail", changed: true } as const;
  const neutral = { verdict: "neutral", changed: true } as const;
  const untouched = { verdict: "neutral", changed: false } as const;
  type Now = Parameters<typeof isTold>[2];
  it.each<readonly [CommentMode, Verdict | undefined, readonly [Now, boolean]]>([
    ["always", undefined, [green, true]],
    ["never", "fail", [red, false]],
    ["changes", undefined, [green, false]],
    ["changes", undefined, [moved, true]],
    ["changes", undefined, [neutral, true]],
    ["changes", undefined, [red, true]],
    ["changes", undefined, [untouched, false]],
    ["changes", "fail", [untouched, true]],
    ["always", undefined, [untouched, true]],
    ["failures", undefined, [untouched, false]],
    ["failures", "fail", [untouched, true]],
    ["changes", "pass", [green, true]],
    ["changes", "fail", [green, true]],
    ["failures", undefined, [moved, false]],
    ["failures", undefined, [red, true]],
    ["failures", "fail", [green, true]],
    ["failures", "error", [neutral, true]],
    ["failures", "pass", [moved, false]],
    ["failures", "pass", [red, true]],
  ])("%s, after %s: %j", (mode, before, [now, expected]) => {
    const existing = before === undefined ? undefined : { verdict: before };
    expect(isTold(mode, existing, now)).toBe(expected);
  });

  it("resolves a red section when it turns green, also where only failures are told", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    const told = async (one: Told): Promise<CommentEnd> =>
      tell((await openClient(standIn)).github, [one], "failures");
    expect(await told({ run: "99", verdict: "pass" })).toEqual({ kind: "nothing_to_tell" });
    expect(bodies(standIn)).toEqual([]);
    await told({ run: "100", verdict: "fail" });
    await told({ run: "101", verdict: "pass" });
    expect(sections(standIn)).toMatchObject([{ verdict: "pass", runId: "101" }]);
    expect(await told({ run: "102", verdict: "pass" })).toEqual({ kind: "nothing_to_tell" });
    expect(sections(standIn)).toMatchObject([{ runId: "101" }]);
  });

  it("asks nothing where nobody wants one", async () => {
    await using standIn = await startGitHub();
    const { github } = await openClient(standIn);
    expect(await tell(github, [{}], "never")).toEqual({ kind: "nothing_to_tell" });
    expect(routes(standIn)).toEqual([]);
  });
});

describe("a comment that can't be written", () => {
  it.each([403, 404, 422, 429, 502] as const)(
    "is a failure with words, and no more: %s",
    async (as) => {
      await using standIn = await startGitHub();
      start(standIn);
      standIn.rest.faults.add({ route: creating, as, retryAfter: 1800 });
      const { github } = await openClient(standIn);
      const end = await tell(github, [{}]);
      expect(end).toMatchObject({ kind: "failed" });
      expect(end.kind === "failed" && end.problem.message).toContain("comment on the pull request");
      expect(
        standIn.rest.calls.filter(({ route }) => route === creating).length,
      ).toBeLessThanOrEqual(3);
    },
  );

  it("is not written twice where GitHub took it and failed to say so", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    const { state } = standIn.rest;
    standIn.rest.before.push(({ route, body }) => {
      if (route !== creating || state.comments.length > 0) return;
      add(standIn, actionsBot, (body as { body: string }).body);
      standIn.rest.faults.add({ route: creating, as: 502, times: 1 });
    });
    const { github } = await openClient(standIn);
    expect(await tell(github, [{}])).toMatchObject({ kind: "written" });
    expect(bodies(standIn)).toHaveLength(1);
  });

  it.each([1, 4])(
    "is not written twice where GitHub took it, failed to say so, and its list lags by %s requests",
    async (lag) => {
      await using standIn = await startGitHub();
      start(standIn);
      const { state, faults } = standIn.rest;
      standIn.rest.before.push(({ route, body }) => {
        if (route !== creating || state.comments.length > 0) return;
        const text = (body as { body: string }).body;
        const by = { user: actionsBot, app: "github-actions", issue: pullNumber };
        state.comments.push({ id: 4711, ...by, body: text, updates: 0, hiddenFor: lag });
        faults.add({ route: creating, as: 502, times: 1 });
      });
      const { github } = await openClient(standIn);
      expect(await tell(github, [{}])).toMatchObject({ kind: "written" });
      expect(bodies(standIn)).toHaveLength(1);
    },
  );

  it("keeps what another job wrote into it while the list lags", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    const { state } = standIn.rest;
    state.commentLag = Infinity;
    standIn.rest.before.push(({ route }) => {
      const [only] = state.comments;
      // As a second job leaves it, which had read before this one wrote.
      if (route === listing && only?.updates === 0) {
        only.body = written({ suite: "other", run: "100" });
        only.updates = 1;
      }
    });
    const { github } = await openClient(standIn);
    expect(await tell(github, [{}])).toMatchObject({ kind: "written" });
    const found = sections(standIn).map(({ suite }) => suite);
    expect(found.toSorted()).toEqual(["other", "qa"]);
  });

  it("gives up in good order where someone writes over it again and again", async () => {
    await using standIn = await startGitHub();
    start(standIn);
    const { state } = standIn.rest;
    standIn.rest.before.push(({ route }) => {
      if (route === listing)
        for (const one of state.comments) one.body = written({ suite: "x", run: "1" });
    });
    add(standIn, actionsBot, written({ suite: "x", run: "1" }));
    const { github } = await openClient(standIn);
    const end = await tell(github, [{}]);
    expect(end).toMatchObject({ kind: "failed", problem: { code: "comment_crowded" } });
  });
});
