import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { jsonLines } from "../support/cli.ts";
import { runAction, type ActionEnd } from "../support/github/run-action.ts";
import { startProject, workflowPath } from "../support/github/project.ts";
import { startGitHub } from "../support/github/server.ts";
import { startProvider, type Provider, type Seen } from "../support/provider/server.ts";

/** Inputs of the action in the place of what the manifest says of models. */

const key = "sk-action-1234";

/** A suite without candidates: each run names its own. */
function project({ url }: Provider): Record<string, string> {
  return {
    "evals/qa.yaml": [
      "name: qa",
      "dataset: qa.jsonl",
      'prompt_template: "Say {{a}}"',
      'target_template: "{{a}}"',
      "grader: exact_match",
      `providers: { local: { base_url: "${url}", api: responses, api_key_env: LOCAL_KEY } }`,
      "run: { generation: { temperature: 1 } }",
      "gate: { rules: [{ metric: exact_match, min: 1 }] }",
      "",
    ].join("\n"),
    "evals/qa.jsonl": jsonLines(["one", "two"].map((a) => ({ id: a, a }))),
  };
}

async function runOf({ outputs }: ActionEnd): Promise<Run> {
  return JSON.parse(await readFile(join(outputs["run-path"] ?? "", "run.json"), "utf8")) as Run;
}

const pull = {
  name: "pull_request",
  payload: { pull_request: { base: { sha: "b".repeat(40) } } },
};

describe("models and settings by the action's inputs", () => {
  it("go before the manifest, and run.json keeps them", async () => {
    await using server = await startProvider();
    await using github = await startGitHub();
    await using fixture = await createFixture(project(server));
    const end = await runAction({
      workspace: fixture.path,
      github,
      event: pull,
      env: { LOCAL_KEY: key },
      inputs: {
        "policy-from": "none",
        model: "local:m",
        concurrency: "2",
        generation: "temperature=0\nreasoning.effort=low",
      },
    });
    expect(end.outputs["verdict"], end.stdout).toBe("pass");
    expect((await runOf(end)).overrides).toEqual({
      models: ["local:m"],
      concurrency: 2,
      generation: { temperature: 0, "reasoning.effort": "low" },
    });
    expect(server.requests[0]?.body).toMatchObject({
      model: "m",
      temperature: 0,
      reasoning: { effort: "low" },
    });
  });

  it("are refused with a way out where they can't be used", async () => {
    await using github = await startGitHub();
    await using server = await startProvider();
    await using fixture = await createFixture(project(server));
    const end = await runAction({
      workspace: fixture.path,
      github,
      event: pull,
      inputs: { "policy-from": "none", model: "m", concurrency: "26", generation: "temperature" },
    });
    expect(end.outputs["exit-code"], end.stdout).toBe("2");
    const said = end.stdout;
    expect(said).toContain("Allowed: 1 to 25, or auto.");
    expect(said).toContain("Write KEY=VALUE, a setting a line");
    expect(server.count()).toBe(0);
  });
});

const workflow = (judge: string): string =>
  `on: pull_request\njobs:\n  evals:\n    steps:\n      - uses: acme/regrade@v1\n        with: { judge-model: "${judge}" }\n`;

/** One judge sees what is wrong, the other never. */
const answers =
  (answer: string) =>
  ({ model }: Seen): string => {
    if (model === "m") return answer;
    const isKind = model === "kinder" || answer === "right";
    return JSON.stringify({ rationale: "r", verdict: isKind ? "correct" : "incorrect" });
  };

const judged = (server: Provider): Record<string, string> => {
  const files = project(server);
  const suite = (files["evals/qa.yaml"] ?? "").replaceAll(/^(?:grader|gate): .*\n/gm, "");
  const judge =
    'grader: { type: judge, rubric: "Right or wrong?" }\ngate: { rules: [{ metric: judge_score, min: 1 }] }\n';
  return { ...files, "evals/qa.yaml": suite + judge, [workflowPath]: workflow("local:judge") };
};

describe("inputs on a pull request that the base's policy judges", () => {
  const inputs = { model: "local:m", "judge-model": "local:judge", generation: "temperature=0" };
  const env = { LOCAL_KEY: key };
  it("go before both sides' manifests", async () => {
    await using server = await startProvider({ answer: answers("right") });
    await using change = await startProject(judged(server));
    await change.push("main", { inputs, env });
    await change.commit("change", { "notes.txt": "x" });
    const end = await change.pull("change", { inputs: { ...inputs, concurrency: "2" }, env });
    expect(end.outputs["verdict"], end.stdout).toBe("pass");
    expect(end.outputs["baseline-sha"]).toBe(await change.sha("main"));
    expect(server.requests.map(({ model }) => model)).not.toContain("kinder");
  });

  it("can't put a kinder judge in the place of the one that the base's workflow names", async () => {
    await using server = await startProvider({ answer: answers("wrong") });
    await using change = await startProject(judged(server));
    await change.commit("change", { [workflowPath]: workflow("local:kinder") });
    const kinder = { ...inputs, "judge-model": "local:kinder" };
    const end = await change.pull("change", { inputs: kinder, env });
    expect(end.outputs["verdict"], end.stdout).toBe("fail");
    expect(server.requests.map(({ model }) => model)).toContain("judge");
  });
});
