import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { regrade } from "../support/cli.ts";
import {
  recordProject,
  startProject,
  type Files,
  type Project,
} from "../support/github/project.ts";
import { runOf } from "../support/github/run-of.ts";
import { itSome } from "../support/rows.ts";

/** Baselines among the artifacts of earlier workflow runs: dist/main.mjs against the stand-in of GitHub. */

const lines = (list: readonly object[]): string =>
  list.map((each) => `${JSON.stringify(each)}\n`).join("");
const cases = 60;
const scoresOfQa = /^regrade-qa~scores-[0-9a-f-]{32}$/;

/** A suite over recordings; the first `wrong` answers are wrong. */
function suite(wrong: number, more: { gate?: string; name?: string; grader?: string } = {}): Files {
  const { gate = "{ max_drop: 0.02 }", name = "qa", grader = "exact_match" } = more;
  const rows = Array.from({ length: cases }, (_, i) => ({
    id: `c${i}`,
    q: `${i}+1`,
    a: `${i + 1}`,
  }));
  const outputs = rows.map(({ id, a }, i) => ({
    case_id: id,
    output_text: i < wrong ? "wrong" : a,
  }));
  return {
    [`evals/${name}.yaml`]: [
      `name: ${name}`,
      "dataset: { file: data/qa.jsonl, id_field: id }",
      'prompt_template: "What is {{q}}?"',
      'target_template: "{{a}}"',
      `grader: ${grader}`,
      "candidates: { app: { replay: outputs.jsonl } }",
      `gate: ${gate}`,
      "",
    ].join("\n"),
    "evals/data/qa.jsonl": lines(rows),
    "evals/outputs.jsonl": lines(outputs),
  };
}

/** A project whose main branch has one run. */
const pushed = recordProject(suite(0), (project) => project.push("main"));

/** Beside it a branch with a change that makes a third of the cases fail. */
async function worsened(): Promise<Project> {
  const project = await pushed();
  await project.commit("change", suite(20));
  return project;
}

describe("a pull request", () => {
  it(
    "is compared with the base commit's own run, and says which, in few calls",
    { tags: "smoke" },
    async () => {
      await using project = await worsened();
      const { rest } = project.github;
      const before = rest.calls.length;
      const end = await project.pull("change");
      const run = runOf(end);
      expect(end.outputs).toMatchObject({ verdict: "fail", regressed: "20" });
      expect(run.baseline).toMatchObject({
        sha: await project.sha("main"),
        distance: 0,
        reason: "the base commit's own run",
        source: expect.stringContaining("/actions/runs/100"),
      });
      expect(run.policy).toMatchObject({ source: "main", sha: await project.sha("main") });
      expect(end.stdout).toContain("Judged by the policy of main");
      const calls = rest.calls.slice(before).map(({ route }) => route);
      expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(12);
    },
  );

  it(
    "tells where several suites are, and gives a command for a broken case that works as printed",
    { tags: "long" },
    async () => {
      await using project = await startProject({ ...suite(0), ...suite(0, { name: "other" }) });
      await project.push("main");
      await project.commit("change", suite(20));
      const end = await project.pull("change");
      const { state } = project.github.rest;
      const line = /^Look into a case: `(regrade show .*)`$/m;
      const [, command = ""] = line.exec(state.comments[0]?.body ?? "") ?? [];
      expect(command).toBe("regrade show --suite other 101 c0");
      expect(end.summary).toContain(`Look into a case: \`${command}\``);
      await using somewhere = await createFixture({});
      const shown = await regrade(command.split(" ").slice(1), {
        in: somewhere.path,
        env: {
          GITHUB_API_URL: project.github.url,
          GITHUB_REPOSITORY: "owner/app",
          GH_TOKEN: "ghs_token-of-the-test",
        },
      });
      expect(shown, shown.stderr).toMatchObject({ code: 0 });
      expect(shown.stdout).toContain("Case c0 of other");
      expect(shown.stdout).toMatch(/before \(exact_match 1[^)]*\)\n {4}1\n/);
      expect(shown.stdout).toMatch(/after \(exact_match 0[^)]*\)\n {4}wrong\n/);
    },
  );

  it(
    "quotes what was answered before where texts may be shown, and says why where it is gone",
    { tags: "long" },
    async () => {
      await using project = await worsened();
      const { github } = project;
      github.rest.state.repository.isPrivate = true;
      const before = github.rest.calls.length;
      const end = await project.pull("change");
      const calls = github.rest.calls.slice(before).map(({ route }) => route);
      expect(calls.length, calls.join("\n")).toBeLessThanOrEqual(12);
      for (const text of [github.rest.state.comments[0]?.body, end.summary])
        expect(text).toMatch(/```diff\n- 1\n\+ wrong\n```/);
      const whole = github.artifacts.all.find(
        ({ name, run }) => name === "regrade-qa" && run === "run-100",
      );
      if (whole) whole.content = undefined;
      const again = await project.pull("change");
      expect(again.outputs).toMatchObject({ verdict: "fail", regressed: "20" });
      expect(again.summary).toContain(
        "Only what was answered now: the outputs before would be in the artifact regrade-qa of run 100, which was not read: the run left none.",
      );
      expect(again.summary).not.toContain("```diff");
    },
  );

  it(
    "can compare a changed grader as long as scores are kept: the base's outputs have the same 90 days, its own 14",
    { tags: "long" },
    async () => {
      await using project = await worsened();
      await project.pull("change");
      const days = project.github.artifacts.all.map(({ name, run, expiresAt }) => [
        `${run} ${name.replace(/-[0-9a-f]{16}$|~evals.*$|(?<=~scores)-.*$/, "")}`,
        Math.round((Date.parse(expiresAt ?? "") - Date.now()) / 86_400_000),
      ]);
      expect(Object.fromEntries(days)).toEqual({
        "run-100 regrade-qa": 90,
        "run-100 regrade-qa~scores": 90,
        "run-100 regrade-qa-inputs": 90,
        "run-100 regrade-attempt": 14,
        "run-101 regrade-qa": 14,
        "run-101 regrade-qa~scores": 90,
        "run-101 regrade-attempt": 14,
      });
    },
  );

  it(
    "that changes the grader is compared by its own rules too: the baseline's answers are graded again",
    { tags: "long" },
    async () => {
      await using project = await pushed();
      const grader = "{ type: exact_match, ignore_punctuation: true }";
      await project.commit("change", suite(20, { grader }));
      const end = await project.pull("change");
      const { policy } = runOf(end);
      expect(policy?.changed.map(({ part }) => part)).toEqual(["grader"]);
      expect(policy?.base?.rules[0]).toMatchObject({ code: "drop_proven", broke: 20 });
      expect(end.stdout).toContain("its 60 stored outputs are graded again");
      expect(policy?.head?.rules[0]).toMatchObject({ code: "drop_proven", broke: 20 });
    },
  );

  it("leaves the run and its scores, and no mark that a later run could take for the base branch's", async () => {
    await using project = await worsened();
    const end = await project.pull("change");
    const names = Object.keys(end.artifacts).toSorted();
    expect(names).toEqual([
      expect.stringMatching(/^regrade-attempt~evals-qa\.yaml-[0-9a-f]{12}~1$/),
      "regrade-qa",
      expect.stringMatching(/^regrade-qa-inputs-/),
      expect.stringMatching(scoresOfQa),
    ]);
    const own = project.github.artifacts.all.filter(({ run }) => run === "run-101");
    expect(own.map(({ name }) => name).toSorted()).toEqual([
      expect.stringMatching(/^regrade-attempt~/),
      "regrade-qa",
      expect.stringMatching(scoresOfQa),
    ]);
    const scores = names.find((name) => scoresOfQa.test(name)) ?? "";
    expect(Object.keys(end.artifacts[scores] ?? {}).toSorted()).toEqual([
      "run.json",
      "scores.jsonl",
    ]);
  });

  it("is compared with an older run where the base's tip has none yet, and says how far away that is", async () => {
    await using project = await pushed();
    const old = await project.sha("main");
    await project.commit("main", { "README.md": "one" });
    await project.commit("main", suite(1));
    await project.commit("change", suite(20));
    const run = runOf(await project.pull("change"));
    expect(run.baseline).toMatchObject({ sha: old, distance: 2 });
    expect(run.baseline?.reason).toContain("2 commits later");
    expect(run.gate.verdict).toBe("fail");
  });

  it("takes the run with the base's own inputs before a nearer one with others", async () => {
    await using project = await pushed();
    const same = await project.sha("main");
    await project.commit("main", suite(30));
    await project.push("main");
    await project.commit("main", suite(0));
    await project.commit("change", suite(20));
    const run = runOf(await project.pull("change"));
    expect(run.baseline).toMatchObject({ sha: same, distance: 2 });
    expect(run.baseline?.reason).toContain("same inputs");
  });

  it(
    "that has only its head checked out is compared with what it grew from, by the rules that hold now",
    { tags: "long" },
    async () => {
      await using project = await startProject(suite(0, { gate: "{ max_drop: 0.9 }" }));
      await project.push("main");
      const old = await project.sha("main");
      await project.commit("change", suite(20, { gate: "{ max_drop: 0.9 }" }));
      await project.commit("main", suite(0));
      const run = runOf(await project.pull("change", { headOnly: true, baseSha: old }));
      expect(run.baseline).toMatchObject({ sha: old, distance: 0 });
      expect(run.policy).toMatchObject({ source: "main", sha: await project.sha("main") });
      expect(run.gate.verdict).toBe("fail");
    },
  );

  it("says why there is none, and judges what needs none", async () => {
    await using project = await startProject(
      suite(0, { gate: "{ max_drop: 0.02, rules: [{ metric: exact_match, min: 0.5 }] }" }),
    );
    await project.commit("change", { "README.md": "x" });
    const run = runOf(await project.pull("change"));
    expect(run.baseline).toBeNull();
    expect(run.gate.verdict).toBe("pass");
    expect(run.gate.rules.map(({ outcome }) => outcome)).toEqual(["unmeasured", "met"]);
  });
});

describe("a token without a permission", () => {
  itSome(["actions", "contents"])("%s: nothing is decided, and it is said", async (name) => {
    await using project = await worsened();
    delete project.github.rest.state.token.permissions[name];
    const end = await project.pull("change");
    const run = runOf(end);
    expect(run).toMatchObject({ baseline: null, gate: { verdict: "inconclusive" } });
    const said = end.commands.filter((one) => one.name === "warning").map(({ data }) => data);
    expect(said.join("\n")).toContain(`${name}: read`);
    expect(end.summary).toContain(`Give the job the permission '${name}: read'`);
  });
});

describe("a push to the base branch", () => {
  it("is compared with the commit before it", async () => {
    await using project = await pushed();
    const before = await project.sha("main");
    await project.commit("main", suite(20));
    const run = runOf(await project.push("main"));
    expect(run.baseline).toMatchObject({ sha: before, distance: 0 });
    expect(run.gate.verdict).toBe("fail");
  });

  it("whose gate failed is a baseline all the same: the next change answers for itself only", async () => {
    await using project = await startProject(
      suite(20, { gate: "{ rules: [{ metric: exact_match, min: 0.9 }], max_drop: 0.02 }" }),
    );
    expect((await project.push("main")).code).toBe(1);
    await project.commit("change", { "README.md": "x" });
    const end = await project.pull("change");
    const run = runOf(end);
    expect(run.baseline).toMatchObject({ distance: 0 });
    expect(run.gate.rules.find(({ kind }) => kind === "max_drop")?.outcome).toBe("met");
    const [comment] = project.github.rest.state.comments;
    for (const text of [comment?.body, end.summary]) {
      expect(text).toContain(", already failing in the baseline, at 66.7%");
      expect(text).toContain("already failing on main</sub>");
      expect(text).toContain("20 cases already failing on <code>main</code>");
    }
  });

  it(
    "with the inputs of an earlier run runs nothing, and leaves a baseline that stands for it",
    { tags: "long" },
    async () => {
      await using project = await startProject(suite(3));
      const first = runOf(await project.push("main"));
      await project.commit("main", { "README.md": "words only" });
      const end = await project.push("main");
      const second = runOf(end);
      expect(end.stdout).toContain("Nothing was run");
      expect(second).toMatchObject({
        id: first.id,
        git: { sha: first.git.sha },
        stands_in: { for_sha: await project.sha("main") },
        gate: { verdict: "pass" },
      });
      await project.commit("change", suite(23));
      const run = runOf(await project.pull("change"));
      expect(run.baseline).toMatchObject({
        run_id: first.id,
        sha: await project.sha("main"),
        distance: 0,
      });
      expect(run.gate.verdict).toBe("fail");
    },
  );

  it(
    "that stands in for a run with another grader than the baseline's says what it did not do",
    { tags: "long" },
    async () => {
      const strict = suite(0);
      const kind = withGrader(strict, "{ type: exact_match, case_sensitive: false }");
      await using project = await startProject(kind);
      await project.push("main");
      await project.commit("main", strict);
      await project.push("main");
      await project.commit("main", kind);
      const run = runOf(await project.push("main"));
      expect(run.stands_in).toBeDefined();
      expect(run.gate.verdict).toBe("inconclusive");
      expect(run.gate.reasons.join("\n")).toContain(
        "Not done, as an earlier run stands in for this one: the baseline's outputs were not graded again",
      );
    },
  );

  it(
    "that stands in for a run that is worse than the commit before says that its drop was not run again",
    { tags: "long" },
    async () => {
      await using project = await startProject(suite(20));
      await project.push("main");
      await project.commit("main", suite(0));
      await project.push("main");
      await project.commit("main", suite(20));
      const run = runOf(await project.push("main"));
      expect(run.stands_in).toBeDefined();
      expect(run.gate.verdict).toBe("fail");
      expect(run.gate.reasons.join("\n")).toContain(
        "the proven drop was not run again before it blocked",
      );
    },
  );
});

function withGrader(files: Files, grader: string): Files {
  const path = "evals/qa.yaml";
  return {
    ...files,
    [path]: String(files[path]).replace("grader: exact_match", `grader: ${grader}`),
  };
}
