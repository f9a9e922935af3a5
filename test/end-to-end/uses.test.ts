import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "./run-cli.ts";

const task = `data_config:
  source: { type: disk, file_path: data/topics.jsonl, file_format: jsonl }
graph_config:
  nodes:
    ask:
      node_type: llm
      prompt: [{ user: "{problem}" }]
      output_keys: answer
      model: { name: "openai:gpt-4.1-mini" }
    units:
      node_type: lambda
      lambda: tasks.eval.utils.UnitMetrics
      golden_key: topic
      predicted_key: answer
      unit_metrics_map: [{ name: exact_match, params: { key: text } }]
      output_keys: [exact_match]
output_config: { output_map: { exact_match: { from: exact_match } } }
`;

const own = `uses: ../tasks/eval/topics/graph_config.yaml
name: topics
candidates: { app: { command: [python3, -c, "print('Music')"] } }
gate: { rules: [{ metric: exact_match, min: 0.4 }] }
`;

let project: FsFixture;
beforeAll(async () => {
  project = await createFixture({
    ".git/HEAD": "ref: refs/heads/main\n",
    "tasks/eval/topics/graph_config.yaml": task,
    "tasks/eval/broken/graph_config.yaml": task.replace("name: exact_match,", "name: exact_mtch,"),
    "data/topics.jsonl": `{"problem": "Who sang?", "topic": "Music"}\n{"problem": "Who ruled?", "topic": "Politics"}\n`,
    "evals/topics.yaml": own,
    "evals/rows.yaml": `candidates: { app: { command: [cat] } }
dataset:
  rows:
    - { id: one, question: yes, answer: yes }
    - { id: two, question: no, answer: maybe }
prompt_template: "{{question}}"
target_template: "{{answer}}"
grader: exact_match
gate: { rules: [{ metric: exact_match, min: 0.5 }] }
`,
  });
});
afterAll(() => project.rm());

describe("a manifest that uses another tool's suite", () => {
  it("judges its own candidate by the tool's tasks and its own gate", async () => {
    const { code, stdout } = await runCli(["run", "evals/topics.yaml"], {
      directory: project.path,
    });
    expect(stdout).toContain("exact_match");
    expect(stdout).toContain("50.0%");
    expect(code).toBe(0);
  });

  const refused: readonly (readonly [what: string, text: string, code: string])[] = [
    ["a grader beside it", `${own}grader: exact_match\n`, "`grader` can't stand beside `uses`"],
    ["a file that is not there", own.replace("topics/", "topicz/"), "there is no file"],
    ["a way out of the repository", own.replace("../tasks", "../../tasks"), "leads out"],
    ["an absolute path", own.replace("../tasks", "/tasks"), "the path is absolute"],
    ["a folder", own.replace("/graph_config.yaml", ""), "is a folder"],
    ["a manifest of our own", "uses: rows.yaml\n", "no suite of a tool that is known here"],
  ];
  it.each(refused)("is refused with %s, at its line", async (_, text, said) => {
    await project.writeFile("evals/bad.yaml", text);
    const { code, stderr } = await runCli(["validate", "evals/bad.yaml"], {
      directory: project.path,
    });
    expect(stderr).toMatch(/evals\/bad\.yaml:\d+:\d+/);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  });

  it("places a mistake of the tool's file in that file", async () => {
    await project.writeFile("evals/broken.yaml", own.replace("topics/graph", "broken/graph"));
    const { stderr } = await runCli(["validate", "evals/broken.yaml"], { directory: project.path });
    expect(stderr).toContain("tasks/eval/broken/graph_config.yaml:15:");
  });
});

describe("a suite of another tool", () => {
  it("is written out as a manifest that runs the same", async () => {
    const args = ["import", "tasks/eval/topics/graph_config.yaml", "--out", "evals/whole.yaml"];
    const written = await runCli(args, { directory: project.path });
    expect(written.code, written.stderr).toBe(0);
    const { code, stderr } = await runCli(["validate", "evals/whole.yaml"], {
      directory: project.path,
      env: { OPENAI_API_KEY: "key" },
    });
    expect(code, stderr).toBe(0);
    expect(await project.readFile("evals/whole.yaml", "utf8")).toContain("../data/topics.jsonl");
    const again = await runCli(args, { directory: project.path });
    expect(again.code).toBe(2);
  });
});

describe("rows that stand in the manifest", () => {
  it("are the task's cases", async () => {
    const { code, stdout } = await runCli(["run", "evals/rows.yaml"], { directory: project.path });
    expect(stdout).toContain("50.0%");
    expect(code).toBe(0);
  });

  it("are refused at their line of the manifest", async () => {
    await project.writeFile(
      "evals/twice.yaml",
      (await project.readFile("evals/rows.yaml", "utf8")).replace("id: two", "id: one"),
    );
    const { code, stderr } = await runCli(["run", "evals/twice.yaml"], { directory: project.path });
    expect(stderr).toContain("twice.yaml:5");
    expect(code).toBe(2);
  });
});
