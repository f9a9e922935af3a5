import { expect, it } from "vitest";
import {
  startProject,
  type Files,
  type Project,
  type PullOptions,
} from "../support/github/project.ts";
import type { ActionEnd } from "../support/github/run-action.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** A repository's life of 12 pull requests on the stand-in: each step's verdict, exit code and comments, as a table. */

function suite(
  wrong: number,
  gate = "accept_label: loss-ok, max_drop: 0.02",
): Record<string, string> {
  const answer = (i: number): string | undefined => (i < wrong ? "no" : undefined);
  return suiteFiles({ cases: 40, answer, gate: `{ ${gate} }` });
}

function labelled(event: string, minute: number): object {
  return {
    event,
    id: minute,
    node_id: "x",
    url: "https://api.github.com/x",
    commit_id: null,
    commit_url: null,
    performed_via_github_app: null,
    label: { name: "loss-ok", color: "ffffff" },
    actor: { login: "ann", id: 5, type: "User" },
    created_at: `2026-11-20T12:${minute}:00Z`,
  };
}

function label(action: string, name: string): Partial<PullOptions> {
  return { payload: { action, label: { name } }, labels: action === "labeled" ? [name] : [] };
}

/** Nothing of what earlier runs left can be had any more. */
function expire({ github }: Project): void {
  for (const artifact of github.artifacts.all) artifact.content = undefined;
}

it("a repository's life", { tags: "long", timeout: 120_000 }, async () => {
  await using project = await startProject(suite(0));
  const { state } = project.github.rest;
  state.collaborators.set("ann", "write");
  let minute = 10;
  const told: (readonly string[])[] = [];
  const tell = (what: string, end: ActionEnd): void => {
    const { verdict = "" } = end.outputs;
    told.push([what, verdict, String(end.code), String(state.comments.length)]);
  };
  const listed = () => {
    minute += 1;
    return { created_at: `2026-11-20T12:${minute}:00Z` };
  };
  const pull = async (what: string, branch: string, more: Partial<PullOptions> = {}) =>
    tell(what, await project.pull(branch, { listed: listed(), ...more }));
  const open = async (branch: string, files: Files): Promise<void> => {
    // Each pull request has comments and a timeline of its own.
    state.comments.splice(0);
    state.timelines.clear();
    await project.commit(branch, files);
  };
  const put = (event: string): void => {
    minute += 1;
    const before = state.timelines.get(7) ?? [];
    state.timelines.set(7, [...before, labelled(event, minute)]);
  };

  tell("main: the first push", await project.push("main"));
  await open("docs", { "README.md": "# App\n" });
  await pull("docs: changes nothing", "docs");
  await open("broken", suite(15));
  await pull("broken: opened", "broken");
  await pull("broken: a foreign label", "broken", label("labeled", "docs"));
  put("labeled");
  await pull("broken: the loss is accepted", "broken", label("labeled", "loss-ok"));
  await pull("broken: edited", "broken", {
    payload: { action: "edited", changes: { title: { from: "x" } } },
    labels: ["loss-ok"],
  });
  put("unlabeled");
  await pull("broken: no longer accepted", "broken", label("unlabeled", "loss-ok"));
  await pull("broken: a foreign label again", "broken", label("labeled", "docs"));
  await project.commit("broken", suite(0));
  await pull("broken: mended by a push", "broken");
  await open("moved", { "evals/qa.yaml": null, "evals/q.yaml": suite(0)["evals/qa.yaml"] ?? "" });
  await pull("moved: the manifest", "moved");
  const moved = state.comments[0]?.body ?? "";
  await open("fork", suite(15));
  await pull("fork: broken", "fork", { fork: true });
  await pull("fork: a foreign label", "fork", { ...label("labeled", "docs"), fork: true });
  await open("expired", { "README.md": "# The app\n" });
  expire(project);
  await pull("expired: the baselines are gone", "expired");
  const byHand = { GITHUB_EVENT_NAME: "workflow_dispatch" };
  const manual = { listed: { event: "workflow_dispatch" } };
  tell("main: started by hand", await project.push("main", { env: byHand, ...manual }));
  await pull("expired: again", "expired");
  await open("after", suite(15));
  await pull("after it: broken", "after", { runId: 900 });
  project.github.artifacts.nextAttempt();
  await pull("after it: the job is run again", "after", {
    runId: 900,
    env: { GITHUB_RUN_ATTEMPT: "2" },
  });
  await open("weaker", suite(15, "max_drop: 0.9"));
  await pull("weaker: a rule of its own", "weaker");
  await open("second", {
    "evals/more.yaml": (suite(0)["evals/qa.yaml"] ?? "").replace("qa", "more"),
  });
  await pull("second: a new suite beside it", "second");
  await project.commit("main", suite(4));
  tell("main: four cases fail from here on", await project.push("main"));
  await open("behind", { "README.md": "# Behind\n" });
  await pull("behind: changes nothing", "behind");
  await open("worse", suite(24));
  await pull("worse: twenty more fail", "worse");
  await open("renamed", suite(24));
  const path = "owner/app/.github/workflows/gate.yml@refs/pull/7/merge";
  await pull("renamed: the workflow's file, broken", "renamed", {
    env: { GITHUB_WORKFLOW_REF: path },
  });
  await open("last", suite(0));
  await pull("last: all is right again", "last");

  expect(moved, "the reviewer sees that what judges was moved").toContain("evals/q.yaml");
  console.log(
    ["step | verdict | exit | comments", ...told.map((row) => row.join(" | "))].join("\n"),
  );
  expect(told).toEqual([
    ["main: the first push", "neutral", "0", "0"],
    ["docs: changes nothing", "pass", "0", "0"],
    ["broken: opened", "fail", "1", "1"],
    ["broken: a foreign label", "fail", "1", "1"],
    ["broken: the loss is accepted", "pass", "0", "1"],
    ["broken: edited", "pass", "0", "1"],
    ["broken: no longer accepted", "fail", "1", "1"],
    ["broken: a foreign label again", "fail", "1", "1"],
    ["broken: mended by a push", "pass", "0", "1"],
    ["moved: the manifest", "pass", "0", "1"],
    ["fork: broken", "fail", "1", "1"],
    ["fork: a foreign label", "fail", "1", "1"],
    ["expired: the baselines are gone", "inconclusive", "3", "1"],
    ["main: started by hand", "neutral", "0", "1"],
    ["expired: again", "pass", "0", "1"],
    ["after it: broken", "fail", "1", "1"],
    ["after it: the job is run again", "fail", "1", "1"],
    ["weaker: a rule of its own", "fail", "1", "1"],
    ["second: a new suite beside it", "pass", "0", "1"],
    ["main: four cases fail from here on", "fail", "1", "1"],
    ["behind: changes nothing", "pass", "0", "0"],
    ["worse: twenty more fail", "fail", "1", "1"],
    ["renamed: the workflow's file, broken", "fail", "1", "1"],
    ["last: all is right again", "pass", "0", "1"],
  ]);
});
