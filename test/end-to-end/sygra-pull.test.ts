import { createFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { act, runAct } from "../support/act.ts";
import { git } from "../support/change.ts";
import { startGitServer } from "../support/github/git-server.ts";
import { startProject } from "../support/github/project.ts";
import { startGitHub } from "../support/github/server.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";

/** The two example tasks of SyGra's document, question answering and classification, gated on a pull request. */

const topics = ["Art", "Music", "Politics", "Sports"];
const topicOf = (i: number): string => topics[i % topics.length] ?? "";

const questions = Array.from({ length: 40 }, (_, i) => ({
  id: i,
  problem: `Question ${i}: who?`,
  answer: `Person ${i}`,
}));
const subjects = questions.map(({ id, problem }) => ({ id, problem, topic: topicOf(id) }));

interface Graph {
  readonly data: string;
  readonly ask: string;
  readonly golden: string;
  readonly units: readonly string[];
  readonly aggregates: readonly string[];
}

function graph({ data, ask, golden, units, aggregates }: Graph): string {
  const predicted = `predicted_${golden}`;
  const mapped = ["id", golden, predicted, ...units.map((unit) => /\w+/.exec(unit)?.[0] ?? "")];
  const names = mapped.slice(3);
  return `data_config: { source: { type: disk, file_path: ${data}, file_format: json } }
graph_config:
  nodes:
    answer:
      node_type: llm
      prompt: [{ system: ${ask} }, { user: "{problem}" }]
      output_keys: [${predicted}]
      model:
        name: eval_model
        structured_output: { schema: { fields: { ${predicted}: { type: str } } } }
    unit_metrics:
      node_type: lambda
      lambda: tasks.eval.utils.UnitMetrics
      golden_key: ${golden}
      predicted_key: ${predicted}
      unit_metrics_map:
${units.map((unit) => `        - name: ${unit}`).join("\n")}
      output_keys: [${names.join(", ")}]
  edges: [{ from: START, to: answer }, { from: answer, to: unit_metrics }, { from: unit_metrics, to: END }]
output_config:
  output_map: { ${mapped.map((name) => `${name}: { from: ${name} }`).join(", ")} }
graph_post_process:
  - processor: tasks.eval.utils.MetricCollatorPostProcessor
    params:
      aggregator_metrics_map:
${aggregates.map((each) => `        - { ${each} }`).join("\n")}
`;
}

const answering = (ask: string): string =>
  graph({
    data: "data/questions.json",
    ask,
    golden: "answer",
    units: [
      "exact_match\n          params: { key: text }",
      "fuzzy_match\n          params: { key: text, threshold: 0.8 }",
    ],
    aggregates: ["exact_match", "fuzzy_match"].map(
      (unit) => `name: accuracy, params: { key: text }, unit_metrics_results: [${unit}]`,
    ),
  });

const classifying = graph({
  data: "data/topics.json",
  ask: "Name the topic.",
  golden: "topic",
  units: ["exact_match\n          params: { key: text }"],
  aggregates: [
    "name: accuracy, params: { key: text }, unit_metrics_results: [exact_match]",
    "name: precision, params: { predicted_key: text }, unit_metrics_results: [exact_match]",
    "name: recall, params: { golden_key: text }, unit_metrics_results: [exact_match]",
    "name: f1_score, params: { predicted_key: text, golden_key: text }, unit_metrics_results: [exact_match]",
  ],
});

const home = "tasks/eval";
const changed = `${home}/question_answering/simpleqa/graph_config.yaml`;
const files = {
  "data/questions.json": JSON.stringify(questions),
  "data/topics.json": JSON.stringify(subjects),
  [changed]: answering("Answer."),
  [`${home}/classification/simpleqa/graph_config.yaml`]: classifying,
};
const suite = `${home}/**/graph_config.yaml`;

/** Knows all, but for half of the answers where it is told to guess. */
function answerTo(prompt: string, body: unknown): string {
  const asked = JSON.stringify(body);
  const number = Number(/Question (\d+)/.exec(prompt)?.[1]);
  if (asked.includes("Name the topic."))
    return JSON.stringify({ predicted_topic: topicOf(number) });
  const guesses = asked.includes("Guess.") && number % 2 === 0;
  return JSON.stringify({ predicted_answer: guesses ? "nobody at all" : `Person ${number}` });
}

let model: Provider;
beforeAll(async () => {
  model = await startProvider({ answer: ({ prompt, body }) => answerTo(prompt, body) });
});
afterAll(() => model.close());

const reached = (): Record<string, string> => ({
  SYGRA_EVAL_MODEL_URL: model.url,
  SYGRA_EVAL_MODEL_TOKEN: "key-1234",
});

describe("both example tasks of SyGra", () => {
  it(
    "are baselines on main, and a pull request that makes one of them worse is blocked for that one",
    { tags: "long" },
    async () => {
      await using project = await startProject(files);
      const more = { inputs: { suite }, env: reached() };
      const main = await project.push("main", more);
      expect(main.code, main.stdout + main.stderr).toBe(0);
      await project.commit("change", { [changed]: answering("Guess.") });
      const end = await project.pull("change", more);
      expect(end.code, end.stdout + end.stderr).toBe(1);
      const { state } = project.github.rest;
      const conclusions = state.checks
        .filter(({ head_sha }) => head_sha !== undefined)
        .map(({ name, conclusion }) => [name, conclusion]);
      expect(conclusions).toContainEqual(["Regrade: question_answering.simpleqa", "failure"]);
      expect(conclusions).toContainEqual(["Regrade: classification.simpleqa", "success"]);
      expect(state.comments[0]?.body).toContain("cases broke, merge blocked");
    },
  );
});

const workflow = `on: pull_request
permissions: {}
jobs:
  evals:
    runs-on: ubuntu-latest
    steps:
      - uses: OWNER/regrade@v1
        with: { suite: "${suite}", baseline: none }
`;

describe.skipIf(act === undefined)("under act", () => {
  it(
    "a pull request runs both from their own files, and fails by a rule that a task states",
    { timeout: 300_000 },
    async () => {
      await using github = await startGitHub();
      const rule = "regrade: { gate: { rules: [{ metric: exact_match-accuracy, min: 0.9 }] } }\n";
      await using fixture = await createFixture({
        ...files,
        [changed]: answering("Answer.") + rule,
        ".github/workflows/evals.yml": workflow,
      });
      git(fixture.path, "init", "--quiet", "--initial-branch=main");
      git(fixture.path, "remote", "add", "origin", "https://github.com/owner/app.git");
      git(fixture.path, "config", "uploadpack.allowAnySHA1InWant", "true");
      const base = commit(fixture.path);
      await fixture.writeFile(changed, answering("Guess.") + rule);
      const head = commit(fixture.path);
      await using server = await startGitServer({
        repository: fixture.path,
        token: "ghs_token-of-the-test",
      });
      const own = { id: 1, full_name: "owner/app" };
      const pull = {
        number: 7,
        state: "open",
        head: { sha: head, ref: "change", repo: own },
        base: { sha: base, ref: "main" },
      } as const;
      github.rest.state.pulls.push(pull);
      github.rest.state.commits.push({ sha: head, parents: [base] }, { sha: base, parents: [] });
      const end = await runAct({
        fixture,
        workflow: "evals.yml",
        event: "pull_request",
        payload: {
          number: 7,
          repository: { ...own, visibility: "public" },
          pull_request: { ...pull, base: { ...pull.base, repo: own }, labels: [] },
        },
        github,
        env: { ...reached(), GITHUB_SERVER_URL: server.url },
      });
      expect(end.code, end.log).toBe(1);
      expect(end.log).toContain("Regrade: fail (exit code 1)");
      expect(end.log).toContain("exact_match-accuracy");
    },
  );
});

function commit(folder: string): string {
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=a change");
  return git(folder, "rev-parse", "HEAD");
}
