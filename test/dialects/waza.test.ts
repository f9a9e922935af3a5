import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Translated } from "../../src/base/foreign.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import { type Files, translated, wazaTask } from "../support/waza-files.ts";

const task = wazaTask;

function evalFile(more: Files & { readonly config?: string } = {}): string {
  const {
    config = "executor: mock, model: m",
    graders = "- { type: text, name: g, config: { contains: [x] } }",
    tasks = "[tasks/*.yaml]",
    rest = "",
  } = more;
  return `name: e
skill: s
version: "1.0"
config: { trials_per_task: 1, timeout_seconds: 7, ${config} }
graders:
  ${graders}
metrics: []
tasks: ${tasks}
${rest}`;
}

function documentOf(found: Translated): JsonObject {
  if (found.kind === "refused")
    throw new Error(found.problems.map(({ message }) => message).join("\n"));
  return isJsonObject(found.value) ? found.value : {};
}

function rowsOf(found: Translated): readonly JsonObject[] {
  const dataset: Json | undefined = documentOf(found)["dataset"];
  const rows = isJsonObject(dataset) ? dataset["rows"] : undefined;
  return Array.isArray(rows) ? rows.filter(isJsonObject) : [];
}

function said(found: Translated): readonly string[] {
  const problems = found.kind === "refused" ? found.problems : found.warnings;
  return problems.map(({ code, place }) => `${code} ${place?.file ?? ""}:${place?.line ?? ""}`);
}

// Skipped where ../shared, which is not part of the repository, is absent.
const seed = "../shared/seeds/003_c16b4ca41deb5c22.txt";
const page = existsSync(seed) ? readFileSync(seed, "utf8") : "";
const blocks = [...page.matchAll(/^```ya?ml\n([^]*?)^```$/gm)].map(([, text = ""]) => text);

/** Examples of the document, by what the eval file around them lacks. */
const examples = blocks
  .map((text) => text.replace(/^# (?:Azure ML pattern|In task YAML)\n(?:\w+ = .*\n)*/, ""))
  .map((text) =>
    /^\s*- type:/m.test(text) ? text.slice(text.search(/^(?:graders:|\s*- type:)/m)) : text,
  )
  .filter((text) => /^(?:graders:|- type:|\s*- name: \w+\n\s+type:)/m.test(text))
  .map((text) =>
    text.startsWith("graders:") ? text : `graders:\n${text.trimEnd().replaceAll(/^/gm, "  ")}\n`,
  );

describe.skipIf(page === "")("the examples of waza's document", () => {
  it("are there", () => expect(examples.length).toBeGreaterThan(6));

  it.each(examples)("run as they are, or are refused by their name: %s", async (graders) => {
    const text = evalFile().replace(/graders:\n.*\n/, graders);
    const found = await translated(text);
    // One sketch leaves its checks out, and a check that checks nothing is refused.
    const isOther = /type: my_custom|# Default weight/.test(graders);
    if (found.kind === "refused" && !isOther)
      throw new Error(found.problems.map(({ message }) => message).join("\n"));
    expect(found.kind).toBe(isOther ? "refused" : "translated");
  });

  it("of trigger tests and their threshold become a task and a rule", async () => {
    const triggers = blocks.find((text) => text.startsWith("skill:")) ?? "";
    const metrics = blocks.find((text) => text.startsWith("metrics:")) ?? "";
    const found = await translated(evalFile().replace("metrics: []\n", metrics), {
      "tasks/a.yaml": task,
      "trigger_tests.yaml": triggers,
    });
    const { tasks, gate } = documentOf(found);
    expect(tasks).toMatchObject([
      { id: "e" },
      { id: "trigger", grader: { type: "triggers", skill: "code-explainer" } },
    ]);
    expect(gate).toMatchObject({
      rules: [{ metric: "passed" }, { metric: "trigger/accuracy", min: 0.9 }],
    });
  });
});

describe("an eval file of waza as a manifest", () => {
  it("has the tasks of its patterns in their order, ** for one folder, and none that is switched off", async () => {
    const files = {
      "tasks/b.yaml": task.replaceAll("a", "b").replace("nbme", "name"),
      "tasks/off.yaml": `${task}enabled: false\n`,
      "tasks/sub/a.yaml": task,
      "tasks/sub/deep/c.yaml": "id: c\ninputs: { prompt: c }\n",
    };
    const found = await translated(
      evalFile({ tasks: '["tasks/b.yaml", "tasks/**/*.yaml"]' }),
      files,
    );
    expect(rowsOf(found).map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("has the rows of a CSV file, their prompts filled in with columns and inputs", async () => {
    const rest = "tasks_from: rows.csv\nrange: [2, 9]\ninputs: { tone: calm, city: none }\n";
    const csv =
      'id,name,prompt,city\n1,one,x,Rome\n2,two,"{{.TaskName}}: {{.Vars.city}}, {{ .Vars.tone }}",Paris\n,,plain,\n';
    const found = await translated(evalFile({ rest }), { "rows.csv": csv });
    expect(rowsOf(found).map(({ id, prompt }) => [id, prompt])).toEqual([
      ["2", "two: Paris, calm"],
      ["row-2", "plain"],
    ]);
  });

  it.each([
    ["a {{- .Vars.city -}} b", "aRomeb"],
    ['{{/* note */}}{{index .Vars "the town"}}', "Oslo"],
    ["x{{- -1}}", undefined],
    ["{{.Vars.città}}", "Pisa"],
    ["{{.Vars.city}} }} {", "Rome }} {"],
  ])("fills the template %s as Go does", async (template, text) => {
    const csv = `id,prompt,city,the town,città\n1,"${template.replaceAll('"', '""')}",Rome,Oslo,Pisa\n`;
    const found = await translated(evalFile({ rest: "tasks_from: rows.csv\n" }), {
      "rows.csv": csv,
    });
    if (text === undefined) return expect(found).toMatchObject({ kind: "refused" });
    expect(rowsOf(found)[0]?.["prompt"]).toBe(text);
  });

  it.each([
    ["{{.JobID}}", "differs in every run"],
    ["{{if .Vars.city}}x{{end}}", "is none of them"],
    ["{{.Vars.town}}", "there is no column or input town"],
  ])("refuses the template %s", async (template, reason) => {
    const found = await translated(evalFile({ rest: "tasks_from: rows.csv\n" }), {
      "rows.csv": `id,prompt,city\n1,"${template}",Rome\n`,
    });
    expect(found).toMatchObject({ kind: "refused" });
    if (found.kind === "refused") expect(found.problems[0]?.message).toContain(reason);
  });

  it("has the files of a task, those of its fixtures too, and tells of what is not there", async () => {
    const inputs =
      "inputs:\n  prompt: p\n  files:\n    - { path: in/a.txt }\n    - { path: b.txt, content: inline }\n    - { path: ../secret }\n    - { path: gone.txt }\n";
    const found = await translated(evalFile(), {
      "tasks/a.yaml": `id: a\nname: A\n${inputs}`,
      "fixtures/in/a.txt": "from fixtures",
    });
    expect(rowsOf(found)[0]).toMatchObject({
      files: [
        { path: "in/a.txt", content: "from fixtures" },
        { path: "b.txt", content: "inline" },
      ],
      mock_files: "\nAnalyzed 2 file(s)",
    });
    expect(said(found).filter((each) => each.startsWith("waza_file_missing"))).toEqual([
      "waza_file_missing evals/tasks/a.yaml:8",
      "waza_file_missing evals/tasks/a.yaml:9",
    ]);
  });

  it("hands copilot-sdk to the agent, with its skills and the task's files", async () => {
    const config =
      "executor: copilot-sdk, model: gpt-x, skill_directories: [../skills/s], required_skills: [s]";
    const found = await translated(evalFile({ config }), {
      "tasks/a.yaml": task,
      "../skills/s/SKILL.md": "",
    });
    expect(said(found)).toEqual(["waza_skills_missing evals/eval.yaml:4"]);
    const without = await translated(evalFile({ config: config.replace(/, required.*/, "") }));
    expect(documentOf(without)["candidates"]).toEqual({
      "gpt-x": {
        agent: "copilot",
        model: "gpt-x",
        workspace: { files: "files" },
        tools: "all",
        skills: ["../skills/s"],
        timeout_seconds: 7,
      },
    });
  });

  it.each([
    ["up to 0.2", "- { type: llm, name: g, config: { rubric: r, model: gpt-4o } }"],
    ["0.3 to 0.11", "- { type: keyword, name: g, config: { keywords: [x] } }"],
    ["0.3 to 0.11", "- { type: tool_constraint, name: g, config: { expect_tools: [bash] } }"],
    ["0.12 and 0.13", "- { type: text, name: g, config: { contains: [x] } }"],
    ["0.14 and later", "- { type: tool_calls, name: g, config: { required_tools: [bash] } }"],
  ])("says that it is read as one for waza %s", async (version, graders) => {
    const found = await translated(evalFile({ graders }));
    if (found.kind === "refused") throw new Error(found.problems[0]?.message);
    expect(found.warnings[0]?.message).toContain(`for waza ${version}:`);
  });

  it("checks what tasks expect where its version does, and says once where it does not", async () => {
    const files = { "tasks/a.yaml": `${task}expected: { output_contains: [x] }\n` };
    const older = await translated(evalFile(), files);
    expect(rowsOf(older)[0]?.["checks"]).toEqual([]);
    expect(said(older)).toContain("waza_key_idle evals/tasks/a.yaml:4");
    const newer = await translated(
      evalFile({ config: "executor: mock, model: m, workers: 2" }),
      files,
    );
    expect(rowsOf(newer)[0]?.["checks"]).toMatchObject([{ type: "text", contains: ["x"] }]);
  });

  it("asks the judge of .waza.yaml where it names none, and says that nothing else of it is read", async () => {
    const graders = "- { type: prompt, name: g, config: { prompt: Is it right? } }";
    const files = {
      "tasks/a.yaml": task,
      ".waza.yaml": "defaults: { judgeModel: gpt-4o, workers: 9 }\n",
    };
    const found = await translated(evalFile({ graders }), files);
    expect(documentOf(found)["run"]).toEqual({ judge_model: "openai:gpt-4o" });
    expect(said(found)).toContain("waza_key_idle evals/.waza.yaml:1");
  });

  it("takes the files that a program's words name, and those beside them, with their hashes", async () => {
    const graders = [
      "- { type: program, name: own, config: { command: python3, args: [graders/check.py, x], timeout: 5 } }",
      "- { type: program, name: system, config: { command: 'true' } }",
      "- { type: script, name: old, script: alone.py }",
    ];
    const files = {
      "tasks/a.yaml": task,
      "graders/check.py": "import words",
      "graders/words.py": "",
      "alone.py": "",
      ".waza.yaml": "graders: { programTimeout: 45 }\n",
    };
    const found = await translated(evalFile({ graders: graders.join("\n  ") }), files);
    const { grader } = documentOf(found);
    const also = isJsonObject(grader) && Array.isArray(grader["also"]) ? grader["also"] : [];
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(also).toMatchObject([
      {
        type: "program",
        command: "python3",
        args: ["graders/check.py", "x"],
        directory: ".",
        timeout_seconds: 5,
        files: [
          { path: "graders/check.py", sha256: hash },
          { path: "graders/words.py", sha256: hash },
        ],
      },
      { command: "true", timeout_seconds: 45 },
      {
        command: "python3",
        args: ["alone.py"],
        input: "json",
        result: "json",
        words: "script",
        files: [{ path: "alone.py", sha256: hash }],
      },
    ]);
  });

  it("tells that a judge continues no session, and compares no second answer", async () => {
    const found = await translated(
      evalFile({
        graders:
          "- { type: prompt, name: g, config: { prompt: Is it right?, continue_session: true, mode: pairwise } }",
      }),
    );
    expect(found.kind).toBe("translated");
    const told = said(found).filter((each) => each.startsWith("waza_key_idle"));
    expect(told).toHaveLength(2);
  });

  it("refuses what it can't run by its name, never silently", async () => {
    const graders = ["- { type: code, name: rb, config: { language: ruby, assertions: [x] } }"];
    const found = await translated(
      evalFile({
        graders: graders.join("\n  "),
        rest: "hooks: { before_run: [{ command: x }] }\nmcp_mocks: { a: 1 }\n",
        config: "executor: mock, model: m, max_attempts: 3, instruction_files: [x]",
      }),
    );
    const names = said(found).map((each) => each.split(" ")[0]);
    expect(names.filter((name) => name === "waza_unsupported")).toHaveLength(4);
  });

  it("asks max_attempts times, of which one must pass, and refuses it beside trials", async () => {
    const config = "executor: mock, model: m, max_attempts: 3";
    const document = documentOf(await translated(evalFile({ config })));
    expect(document).toMatchObject({ repeats: 3 });
    expect(document["metrics"]).toContainEqual({ id: "passed", reducer: "pass@3" });
    const both = await translated(
      evalFile({ config }).replace("trials_per_task: 1", "trials_per_task: 2"),
    );
    expect(said(both)).toEqual(["waza_unsupported evals/eval.yaml:4"]);
  });

  it("takes numbers and booleans as they are written where waza wants a text", async () => {
    const found = await translated(
      evalFile({ tasks: "[tasks/*.yaml]", config: "executor: mock, model: 4" })
        .replace("name: e", "name: 12")
        .replace('version: "1.0"', "version: 1.0"),
      { "tasks/a.yaml": "id: 7\nname: true\ninputs: { prompt: 42 }\ntags: [1, x]\n" },
    );
    expect(documentOf(found)["name"]).toBe("12");
    expect(rowsOf(found)).toMatchObject([
      { id: "7", name: "true", prompt: "42", tags: ["1", "x"] },
    ]);
  });

  it.each([
    ["no trials", evalFile().replace("trials_per_task: 1, ", ""), "waza_value"],
    ["no time-out", evalFile().replace("timeout_seconds: 7, ", ""), "waza_value"],
    ["no tasks", evalFile({ tasks: "[]" }), "waza_tasks_none"],
    ["a misspelt config", evalFile().replace("config:", "confg:"), "waza_key_unknown"],
    ["a version that is none", evalFile().replace('"1.0"', "[1]"), "waza_value"],
    [
      "an empty text to look for",
      evalFile({ graders: "- { type: text, name: g, config: { contains: [''] } }" }),
      "waza_check_empty",
    ],
  ])("refuses %s", async (_, text, code) => {
    expect(said(await translated(text)).join(" ")).toContain(code);
  });
});
