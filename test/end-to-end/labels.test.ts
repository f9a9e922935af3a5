import { describe, expect, it } from "vitest";
import { labelPull, type Labelled } from "../support/github/labels.ts";
import { startProject, type Files, type Project } from "../support/github/project.ts";
import { runOf } from "../support/github/run-of.ts";
import { suiteFiles, sumApp, sumCandidate } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** Labels that approve a change of the rules, or accept a loss: dist/main.mjs against the stand-in. */

const labels = "policy_label: rules-ok, accept_label: loss-ok";

function suite(wrong: number, rules: string): Files {
  const answer = (i: number): string | undefined => (i < wrong ? "no" : undefined);
  return suiteFiles({ cases: 40, answer, gate: `{ ${labels}, ${rules} }` });
}

/** Three of 40 are wrong before and after; the change asks for less. */
async function loosened(): Promise<Project> {
  const project = await startProject(suite(12, "rules: [{ metric: exact_match, min: 0.9 }]"));
  await project.commit("change", suite(12, "rules: [{ metric: exact_match, min: 0.1 }]"));
  return project;
}

describe("a change of the rules", () => {
  it("passes once someone who may has put the base's label on", { tags: "smoke" }, async () => {
    await using project = await loosened();
    await labelPull(project, { label: "rules-ok", minute: 11 });
    const end = await project.pull("change");
    const run = runOf(end);
    expect(run).toMatchObject({
      gate: { verdict: "pass" },
      policy: { decided_by: "approval", base: { verdict: "fail" }, head: { verdict: "pass" } },
      approvals: { policy: { label: "rules-ok", by: "ann", approvers: "others" }, loss: null },
    });
    expect(end.summary).toContain("approved by ann (label `rules-ok`, `gate.approvers: others`)");
  });

  itSome<readonly [string, Labelled]>([
    ["before the push", { label: "rules-ok", minute: 10 }],
    ["by someone who may only read", { label: "rules-ok", minute: 11, by: "eve" }],
    ["by a bot", { label: "rules-ok", minute: 11, type: "Bot" }],
    ["that is called otherwise", { label: "loss-ok", minute: 11 }],
  ])("does not, by a label put on %s", async (_, label) => {
    await using project = await loosened();
    await labelPull(project, label);
    const run = runOf(await project.pull("change"));
    expect(run).toMatchObject({ gate: { verdict: "fail" }, policy: { decided_by: "base" } });
    expect(run.approvals).toBeUndefined();
  });
});

it("passes a program that was seen to open the data set, with the label alone", async () => {
  const gate = `{ ${labels}, rules: [{ metric: exact_match, min: 0.9 }] }`;
  const files = suiteFiles({ cases: 8, candidates: sumCandidate, gate });
  await using project = await startProject({ ...files, "evals/app.py": sumApp });
  const opening = `open("".join(chr(ord(c) - 1) for c in "ebub0rb/ktpom")).read()\n`;
  await project.commit("change", { "evals/app.py": `${sumApp}${opening}` });
  const unaided = runOf(await project.pull("change"));
  expect(unaided.gate).toMatchObject({ verdict: "fail" });
  expect(unaided.policy?.told).toEqual([
    { task: "qa", field: "evals/data/qa.jsonl", reader: "opened" },
  ]);
  await labelPull(project, { label: "rules-ok", minute: 11 });
  const approved = runOf(await project.pull("change"));
  expect(approved).toMatchObject({
    gate: { verdict: "pass" },
    policy: { decided_by: "approval" },
    approvals: { policy: { label: "rules-ok" } },
  });
});

const writers = (min: number): Files =>
  suite(12, `approvers: writers, rules: [{ metric: exact_match, min: ${min} }]`);

describe("a repository of one person", () => {
  it("lets its author approve, where the base's rule says so, and the summary says that it held", async () => {
    await using project = await startProject(writers(0.9));
    await project.commit("change", writers(0.1), "ann");
    await labelPull(project, { label: "rules-ok", minute: 11 });
    const end = await project.pull("change", { author: "ann" });
    expect(end.code, end.stdout).toBe(0);
    expect(end.summary).toContain("approved by ann (label `rules-ok`, `gate.approvers: writers`)");
    expect(project.github.rest.calls.map(({ route }) => route)).not.toContain(activity);
  });
});

it("nobody is asked about pushes where no label is there", async () => {
  await using project = await loosened();
  const end = await project.pull("change");
  expect(end.code).toBe(1);
  expect(end.summary).toContain("has neither opened this pull request nor pushed to it");
  expect(project.github.rest.calls.map(({ route }) => route)).not.toContain(activity);
});

const activity = "GET /repos/{owner}/{repo}/activity";

describe("a proven loss", () => {
  it("passes once it is accepted, and is told all the same", async () => {
    await using project = await startProject(suite(0, "max_drop: 0.02"));
    await project.push("main");
    await project.commit("change", suite(15, "max_drop: 0.02"));
    await labelPull(project, { label: "loss-ok", minute: 11 });
    const run = runOf(await project.pull("change"));
    expect(run).toMatchObject({
      gate: { verdict: "pass" },
      approvals: { policy: null, loss: { label: "loss-ok", by: "ann" } },
    });
    expect(run.gate.rules[0]).toMatchObject({ outcome: "missed", code: "drop_proven", broke: 15 });
    expect(run.gate.reasons.join("\n")).toContain("accepted: ");
  });
});

describe("a deleted suite", () => {
  const gate = "rules: [{ metric: exact_match, min: 0.9 }]";

  itSome([
    ["where a glob finds suites", {}],
    ["where its path is named", { suite: "evals/qa.yaml" }],
  ])(
    "is run as the base has it, with what the change made of its answers, %s",
    async (_, inputs) => {
      await using project = await startProject(suite(0, gate));
      await project.commit("change", { ...suite(20, ""), "evals/qa.yaml": null });
      const end = await project.pull("change", { inputs });
      expect(end.code, end.stdout).toBe(1);
      expect(runOf(end)).toMatchObject({ policy: { suite: "deleted" }, gate: { verdict: "fail" } });
    },
  );

  it("that is named beside a new one does not keep the new one from running, nor a typing error unsaid", async () => {
    await using project = await startProject(suite(0, gate));
    const fresh = suite(0, gate);
    const manifest = fresh["evals/qa.yaml"]?.replace("name: qa", "name: fresh") ?? "";
    await project.commit("change", {
      "evals/qa.yaml": null,
      "evals/new/fresh.yaml": manifest,
      "evals/new/data/qa.jsonl": fresh["evals/data/qa.jsonl"] ?? "",
      "evals/new/outputs.jsonl": fresh["evals/outputs.jsonl"] ?? "",
    });
    const named = { suite: "evals/new/fresh.yaml, evals/qa.yaml" };
    const end = await project.pull("change", { inputs: named });
    expect(end.stdout).toContain("2 suites: evals/new/fresh.yaml, evals/qa.yaml");
    expect(end.stdout).toMatch(/^fresh: pass$/m);
    expect(end.stdout).toMatch(/^qa: fail$/m);
    const typo = await project.pull("change", {
      inputs: { suite: `${named.suite}, evals/qq.yaml` },
    });
    expect(typo.code).toBe(2);
    expect(typo.stdout).toContain("matches evals/qq.yaml");
  });
});
