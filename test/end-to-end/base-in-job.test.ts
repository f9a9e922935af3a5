import { describe, expect, it } from "vitest";
import { recordProject, type Project } from "../support/github/project.ts";
import { runOf } from "../support/github/run-of.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** The base's program in the same job, in a checkout of one commit as actions/checkout makes it. */

const app = (wrong: number): string => `import json, os, re, sys
for line in sys.stdin:
    asked = json.loads(line)
    a, b = re.search(r"(\\d+)\\+(\\d+)", asked["prompt"]).groups()
    text = "no" if int(a) < ${wrong} else str(int(a) + int(b))
    print(json.dumps({"id": asked["id"], "output_text": text}), flush=True)
    # What it does where it runs reaches nothing that judges.
    if "regrade-base" in os.getcwd(): open("qa.yaml", "w").close()
`;

const candidates = "{ app: { worker: [python3, -S, app.py], setup: [python3, --version] } }";

/** A main branch, with one run or none, and a branch that breaks a third of its cases. */
function projectOf(gate: string, asked: { readonly runs: boolean }): () => Promise<Project> {
  const files = { ...suiteFiles({ cases: 30, candidates, gate }), "evals/app.py": app(0) };
  return recordProject(files, async (at) => {
    if (asked.runs) await at.push("main");
    await at.commit("change", { "evals/app.py": app(10) });
  });
}

/** git has no way to any commit but the one that is checked out. */
const withoutGit = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "protocol.allow",
  GIT_CONFIG_VALUE_0: "never",
};

describe("in a checkout of the change alone", () => {
  const confirming = projectOf("{ max_drop: 0.02 }", { runs: true });

  it(
    "a proven drop is run again on both sides: the base's program is fetched",
    { tags: "long" },
    async () => {
      await using at = await confirming();
      const end = await at.pull("change");
      const [rule] = runOf(end).gate.rules;
      expect(end.outputs["verdict"], end.stdout).toBe("fail");
      expect(rule?.confirmation).toMatchObject({ outcome: "confirmed", cases: 10, broke: 10 });
    },
  );

  it(
    "a program of the base that is no more to be had blocks as it is, and that is said",
    { tags: "long" },
    async () => {
      await using at = await confirming();
      const end = await at.pull("change", { inputs: { "policy-from": "none" }, env: withoutGit });
      expect(end.outputs["verdict"], end.stdout).toBe("fail");
      expect(runOf(end).gate.rules[0]?.confirmation).toMatchObject({ outcome: "not_run" });
      expect(end.summary).toContain("is not in this checkout");
    },
  );

  it("`from: rerun` runs the base", { tags: "long" }, async () => {
    await using at = await projectOf("{ max_drop: 0.02, baseline: { from: rerun } }", {
      runs: false,
    })();
    const end = await at.pull("change");
    expect(end.outputs["verdict"], end.stdout).toBe("fail");
    expect(runOf(end).baseline).toMatchObject({ sha: await at.sha("main") });
    expect(runOf(end).gate.rules[0]).toMatchObject({ broke: 10, code: "drop_proven" });
  });
});

describe("`fallback: rerun`", () => {
  const project = projectOf("{ max_drop: 0.02, confirm: never, baseline: { fallback: rerun } }", {
    runs: true,
  });
  const list = "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs";

  it("takes the earlier run where there is one", async () => {
    await using at = await project();
    const end = await at.pull("change");
    expect(end.outputs["verdict"], end.stdout).toBe("fail");
    expect(runOf(end).baseline?.source).toContain("/actions/runs/100");
    expect(end.stdout).not.toContain("Running the base");
  });

  it("runs the base where no earlier run can be read, and says why", async () => {
    await using at = await project();
    at.github.rest.faults.add({ route: list, as: 403 });
    const end = await at.pull("change");
    expect(end.outputs["verdict"], end.stdout).toBe("fail");
    expect(runOf(end).baseline).toMatchObject({ sha: await at.sha("main") });
    expect(end.stdout).toMatch(
      /Running the base \(main\) for comparison: no earlier run serves, .*the token may not do it/,
    );
  });

  it("runs the base where there is no earlier run yet", async () => {
    await using at = await project();
    at.github.rest.state.runs.length = 0;
    const end = await at.pull("change");
    expect(end.outputs["verdict"], end.stdout).toBe("fail");
    expect(runOf(end).gate.rules[0]).toMatchObject({ broke: 10 });
  });

  it("leaves a suite that the base does not have without a baseline", async () => {
    await using at = await project();
    const suite = suiteFiles({
      cases: 30,
      candidates,
      gate: "{ max_drop: 0.02, baseline: { fallback: rerun } }",
    });
    await at.commit("change", {
      "other/qa.yaml": (suite["evals/qa.yaml"] ?? "").replace("name: qa", "name: other"),
      "other/data/qa.jsonl": suite["evals/data/qa.jsonl"] ?? "",
      "other/app.py": app(10),
    });
    const end = await at.pull("change", { inputs: { suite: "other/qa.yaml" } });
    expect(end.outputs["verdict"], end.stdout).toBe("neutral");
    expect(end.stdout).toContain("the base does not have this suite");
  });
});
