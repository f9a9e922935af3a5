import { describe, expect, it } from "vitest";
import type { Annotation, CheckOutput } from "../../src/model/check.ts";
import { beginCheck, checkName, completeCheck } from "../../src/github/api/check-run.ts";
import { openClient } from "../support/github/open.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import type { CheckRun } from "../support/github/state.ts";

const posting = "POST /repos/{owner}/{repo}/check-runs";
const patching = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}";

const looking = "GET /repos/{owner}/{repo}/commits/{ref}/check-runs";
const called = (standIn: GitHub): readonly string[] => standIn.rest.calls.map(({ route }) => route);

const subject = {
  name: checkName("support-bot"),
  headSha: "a".repeat(40),
  detailsUrl: "https://github.com/owner/app/actions/runs/77",
  externalId: "77.1",
};

function output(count: number): CheckOutput {
  const annotations = Array.from({ length: count }, (_, i): Annotation => ({
    path: "evals/qa.yaml",
    start_line: i + 1,
    end_line: i + 1,
    annotation_level: "failure",
    message: `note ${i}`,
    title: "qa",
  }));
  return { title: "Failed", summary: "it got worse", text: "more", annotations };
}

describe("a check run", () => {
  it.each([
    [0, 1],
    [50, 1],
    [51, 2],
    [250, 5],
  ])(
    "is in progress first, then has its conclusion and its %i annotations, 50 a request",
    async (count, requests) => {
      await using standIn = await startGitHub();
      const { github } = await openClient(standIn);
      const begun = await beginCheck(github, subject);
      expect(standIn.rest.state.checks).toMatchObject([
        { name: "Regrade: support-bot", head_sha: subject.headSha, status: "in_progress" },
      ]);
      if (begun.kind !== "done") throw new Error("not begun");
      const end = { conclusion: "failure", output: output(count) } as const;
      const completed = await completeCheck(github, begun.value, end);
      expect(completed).toMatchObject({ kind: "done", value: { trouble: undefined } });
      const [check] = standIn.rest.state.checks;
      expect(check).toMatchObject({ status: "completed", conclusion: "failure" });
      expect(check?.annotations).toEqual(end.output.annotations);
      expect(standIn.rest.calls.map(({ route }) => route)).toEqual([
        posting,
        ...Array.from({ length: requests }, () => patching),
      ]);
    },
  );

  it("adds 250 annotations at most: nobody reads on, and each request takes a second", async () => {
    await using standIn = await startGitHub();
    const { github } = await openClient(standIn);
    const check = { subject, id: undefined };
    await completeCheck(github, check, { conclusion: "neutral", output: output(300) });
    expect(standIn.rest.state.checks[0]?.annotations).toHaveLength(250);
  });

  it("comes whole at the end where GitHub failed at the beginning, and once", async () => {
    await using standIn = await startGitHub();
    standIn.rest.faults.add({ route: posting, as: 502, times: 1 });
    const { github } = await openClient(standIn);
    expect(await beginCheck(github, subject)).toMatchObject({ kind: "failed", reason: "down" });
    expect(called(standIn)).toEqual([posting, looking]);
    const check = { subject, id: undefined };
    await completeCheck(github, check, { conclusion: "success", output: output(0) });
    expect(standIn.rest.state.checks).toMatchObject([
      { conclusion: "success", external_id: "77.1" },
    ]);
  });

  it.each(["beginning", "end"] as const)(
    "that GitHub made, and failed to say so, is looked up by its external id: at the %s",
    async (when) => {
      await using standIn = await startGitHub();
      const { state, faults } = standIn.rest;
      const other = { ...subject, externalId: "77.1.of-another-job" };
      const { github } = await openClient(standIn);
      await beginCheck(github, other);
      standIn.rest.before.push(({ route, body }) => {
        if (route !== posting || state.checks.length > 1) return;
        const { status = "queued", conclusion = null } = body as Partial<CheckRun>;
        state.checks.push({
          id: 4711,
          name: subject.name,
          head_sha: subject.headSha,
          status,
          conclusion,
          details_url: null,
          external_id: subject.externalId,
          output: { title: null, summary: null, text: null },
          annotations: [],
        });
        faults.add({ route: posting, as: 502, times: 1 });
      });
      const begun =
        when === "beginning"
          ? await beginCheck(github, subject)
          : ({ kind: "done", value: { subject, id: undefined } } as const);
      expect(begun.kind).toBe("done");
      if (begun.kind !== "done") return;
      const end = { conclusion: "failure", output: output(1) } as const;
      expect(await completeCheck(github, begun.value, end)).toMatchObject({ kind: "done" });
      expect(state.checks.map(({ external_id, status }) => [external_id, status])).toEqual([
        ["77.1.of-another-job", "in_progress"],
        ["77.1", "completed"],
      ]);
    },
  );

  it("keeps its conclusion where annotations can't be added, and says so", async () => {
    await using standIn = await startGitHub();
    const { github } = await openClient(standIn);
    const begun = await beginCheck(github, subject);
    if (begun.kind !== "done") throw new Error("not begun");
    let patches = 0;
    standIn.rest.before.push(({ route }) => {
      if (route === patching && (patches += 1) === 2) standIn.rest.faults.add({ as: 422 });
    });
    const end = { conclusion: "failure", output: output(120) } as const;
    const completed = await completeCheck(github, begun.value, end);
    expect(completed).toMatchObject({ kind: "done", value: { trouble: { reason: "refused" } } });
    expect(standIn.rest.state.checks).toMatchObject([{ conclusion: "failure" }]);
  });

  it("is completed in a cancelled job too", async () => {
    await using standIn = await startGitHub();
    const cancel = new AbortController();
    const { github } = await openClient(standIn, { signal: cancel.signal });
    const begun = await beginCheck(github, subject);
    if (begun.kind !== "done") throw new Error("not begun");
    cancel.abort();
    await completeCheck(github, begun.value, { conclusion: "cancelled", output: output(0) });
    expect(standIn.rest.state.checks).toMatchObject([{ conclusion: "cancelled" }]);
  });
});
