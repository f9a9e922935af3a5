import { createFixture } from "fs-fixture";
import { readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { resolveSuite } from "../../src/manifest/resolve.ts";
import {
  brief,
  briefPlaces,
  imagine,
  onDisk,
  problemsOf,
  shortForm,
  suiteOf,
} from "./resolve-text.ts";

const fixtures = fileURLToPath(new URL("../fixtures/suites/", import.meta.url));

/** Two graders, of which the second asks a model. */
const withJudge = {
  grader: undefined,
  graders: [
    { type: "contains" },
    { type: "judge", rubric: "How polite is it?", model: "openai:gpt-5.4-mini" },
  ],
};

async function idField(field: { readonly id_field?: string | null }) {
  const { suite } = await suiteOf(shortForm({ dataset: { file: "d.csv", ...field } }));
  return suite.tasks[0]?.dataset.id_field;
}

describe("defaults", () => {
  it("fills in everything that the short form leaves out", async () => {
    const { suite, warnings } = await suiteOf(shortForm());
    expect(warnings).toEqual([]);
    expect(suite).toMatchObject({
      name: "short",
      path: "evals/suite.yaml",
      directory: "/repo/evals",
      root: "/repo",
      schema_version: "2026-05-27",
      concurrency: "auto",
      budget: { usd: undefined, tokens: undefined, minutes: undefined },
      gate: {},
      publish: undefined,
      metadata: {},
    });
    expect(suite.tasks).toEqual([
      {
        id: "short",
        name: undefined,
        type: undefined,
        dataset: {
          file: { path: "data.jsonl", absolute: "/repo/evals/data.jsonl" },
          format: "jsonl",
          id_field: undefined,
        },
        prompt_template: "{{text}}",
        images: { directory: "/repo/evals", root: "/repo" },
        target_template: "{{label}}",
        choices: [],
        output_extraction: { type: "none" },
        grader: { type: "exact_match", options: {} },
        metrics: [expect.objectContaining({ id: "exact_match", range: [0, 1], scale: "binary" })],
        repeats: 1,
        slices: [],
        min_cases: 1,
        metadata: {},
      },
    ]);
    expect(suite.candidates).toEqual([
      {
        id: "app",
        kind: "command",
        command: ["python3", "app.py"],
        inputs: [],
        env: [],
        pass: [],
        timeout_seconds: 120,
      },
    ]);
  });

  it("gives a Python grader the hosted product's defaults", async () => {
    const { suite } = await suiteOf(shortForm({ grader: { type: "python", source: "x = 1" } }));
    expect(suite.tasks[0]).toMatchObject({
      grader: { contract: "sample", metric_id: "score", timeout_seconds: 120 },
      metrics: [
        { id: "score", aggregation: "mean", higher_is_better: true, range: null, scale: null },
      ],
    });
  });

  it.each([
    ["evals/support-bot.yaml", "support-bot"],
    ["evals/Support bot!.yml", "Support-bot"],
    ["a/_x.json", "x"],
    ["evals\\win.yaml", "win"],
    ["???", "suite"],
  ])("names the suite after its file: %s → %s", async (path, name) => {
    const manifest = {
      text: shortForm({ name: undefined }),
      path,
      directory: "/repo/evals",
      root: "/repo",
    };
    const resolved = await resolveSuite(manifest, imagine());
    expect(resolved).toMatchObject({ kind: "resolved", suite: { name, tasks: [{ id: name }] } });
  });

  it.each([
    ["data.jsonl", "jsonl"],
    ["data.NDJSON", "jsonl"],
    ["a/../data.csv", "csv"],
  ])("knows the format of %s", async (dataset, format) => {
    expect((await suiteOf(shortForm({ dataset }))).suite.tasks[0]?.dataset).toMatchObject({
      format,
    });
  });

  it("keeps the three meanings of id_field apart", async () => {
    expect([
      await idField({}),
      await idField({ id_field: null }),
      await idField({ id_field: "key" }),
    ]).toEqual([undefined, null, "key"]);
  });

  it("fills what a declared metric leaves open from the built-in grader's own", async () => {
    const { suite } = await suiteOf(
      shortForm({
        grader: "numeric",
        metrics: [{ id: "absolute_error" }, { id: "numeric_match", scale: "graded" }],
      }),
    );
    expect(suite.tasks[0]?.metrics).toMatchObject([
      { id: "absolute_error", higher_is_better: false, range: null, scale: "graded" },
      { id: "numeric_match", higher_is_better: true, range: [0, 1], scale: "graded" },
    ]);
  });

  it("takes the single plain grader of `graders` for `grader`", async () => {
    const { suite } = await suiteOf(
      shortForm({ grader: undefined, graders: [{ type: "numeric", tolerance: 0.5 }] }),
    );
    expect(suite.tasks[0]?.grader).toEqual({ type: "numeric", options: { tolerance: 0.5 } });
  });

  it("keeps the gate word for word, as a run records the rules that judged it", async () => {
    const gate = {
      max_drop: 0.1,
      rules: [{ metric: "short/exact_match", min: 0.5, level: "warn" }],
    };
    expect((await suiteOf(shortForm({ gate }))).suite.gate).toEqual(gate);
    expect((await suiteOf(shortForm({ gate: "none" }))).suite.gate).toBe("none");
  });
});

describe("a whole project", () => {
  it("resolves every key that is supported, without a warning", async () => {
    const path = join(fixtures, "manifest-full/evals/suite.yaml");
    const manifest = {
      text: await readFile(path, "utf8"),
      path: "evals/suite.yaml",
      directory: dirname(path),
      root: join(fixtures, "manifest-full"),
    };
    const resolved = await resolveSuite(manifest, onDisk);
    if (resolved.kind === "refused") throw new Error(brief(resolved.problems).join(", "));
    expect(resolved.warnings).toEqual([]);
    expect(resolved.suite.tasks.map(({ id }) => id)).toEqual(["tickets", "qa", "numbers"]);
    expect(resolved.suite.tasks[1]).toMatchObject({
      dataset: { file: { path: "data/qa.csv" }, format: "csv", id_field: null },
      output_extraction: { type: "regex", group: "a", flags: "i" },
      grader: { source: { kind: "file", file: { path: "graders/qa.py" } }, timeout_seconds: 5 },
      metrics: [{ id: "right" }, { id: "words", aggregation: "none" }],
    });
    expect(resolved.suite.tasks[2]?.dataset).toMatchObject({
      file: { path: "data/tickets.jsonl" },
    });
    expect(resolved.suite.candidates).toMatchObject([
      { id: "app", kind: "command", timeout_seconds: 10, pass: ["ticket_id"] },
      { id: "recorded", kind: "replay", output_field: "output_text", id_field: "case_id" },
      { id: "old", kind: "replay", model: "m", output_field: "text", id_field: "label" },
      { id: "main", kind: "model", name: "gpt-4.1-mini", generation: { max_output_tokens: 512 } },
      { id: "tuned", kind: "model", name: "qwen:8b", provider: { id: "local" } },
      { id: "cloud", kind: "model", provider: { prices: { deployment: { cached_input: 1 } } } },
      { id: "loop", kind: "worker", worker: ["python3", "loop.py"], timeout_seconds: 30 },
      { id: "service", kind: "http", output: "/answers/0/text", max_retries: 1 },
    ]);
    expect(resolved.suite.budget).toEqual({ usd: 5.5, tokens: 2_000_000, minutes: 30 });
    expect(resolved.place(["tasks", 1, "grader"])).toMatchObject({
      line: 29,
      path: "tasks[1].grader",
    });
  });
});

describe("places in the short form", () => {
  const text = [
    "name: short",
    "dataset: data.csv",
    "prompt_template: p",
    "target_template: t",
    "grader:",
    "  type: numeric",
    "candidates: { a: { command: [x] } }",
  ].join("\n");

  it.each([
    [["tasks", 0, "grader"], 5, "grader"],
    [["tasks", 0, "grader", "type"], 6, "grader.type"],
    [["tasks", 0, "dataset"], 2, "dataset"],
    [["tasks", 0, "id"], 1, "name"],
    [["tasks", 0, "output_extraction"], 1, "output_extraction"],
    [["candidates", "a"], 7, "candidates.a"],
  ])("%j is line %d", async (path, line, written) => {
    expect((await suiteOf(text)).place(path)).toMatchObject({ line, path: written });
  });
});

describe("what contradicts itself", () => {
  const python = { type: "python" };
  it.each([
    [
      "two grader sources",
      { grader: { ...python, source: "x", file: "g.py" } },
      ["keys_exclusive grader.file"],
    ],
    ["no grader source", { grader: python }, ["keys_none grader"]],
    ["no grader", { grader: undefined }, ["keys_none"]],
    ["grader and graders", { graders: ["exact_match"] }, ["keys_exclusive graders"]],
    [
      "a weight outside graders",
      { grader: { type: "contains", weight: 2 } },
      ["key_misplaced grader.weight"],
    ],
    [
      "two dataset sources",
      { dataset: { file: "a.csv", file_id: "x" }, files: { x: "a.csv" } },
      ["keys_exclusive dataset.file_id"],
    ],
    [
      "a file and a Hugging Face path",
      { dataset: { file: "a.csv", path: "a/b" } },
      ["keys_exclusive dataset.path"],
    ],
    [
      "a file and Hugging Face's split",
      { dataset: { file: "a.csv", split: "test" } },
      ["key_misplaced dataset.split"],
    ],
    ["no dataset source", { dataset: { format: "csv" } }, ["keys_none dataset"]],
    [
      "an unknown file id",
      { dataset: { file_id: "y" }, files: { x: "a.csv" } },
      ["file_id_unknown dataset.file_id"],
    ],
    ["a format that the name hides", { dataset: "data.txt" }, ["format_unknown dataset"]],
    [
      "a format that a mapped name hides",
      { dataset: { file_id: "x" }, files: { x: "a" } },
      ["format_unknown dataset"],
    ],
    ["no target for a built-in grader", { target_template: undefined }, ["target_missing grader"]],
    [
      "a metric that the grader does not give",
      { metrics: [{ id: "accuracy" }] },
      ["metric_not_given metrics[0].id"],
    ],
    [
      "a metric twice",
      { grader: { ...python, source: "x" }, metrics: [{ id: "a" }, { id: "a" }] },
      ["metric_duplicate metrics[1].id"],
    ],
    [
      "a range upside down",
      { metrics: [{ id: "exact_match", range: [1, 0] }] },
      ["metric_range_empty metrics[0].range"],
    ],
    [
      "a range of one number",
      { metrics: [{ id: "exact_match", range: [1, 1] }] },
      ["metric_range_empty metrics[0].range"],
    ],
    ["no candidates", { candidates: undefined }, ["candidates_missing candidates"]],
    ["a candidate without a kind", { candidates: { a: {} } }, ["keys_none candidates.a"]],
    [
      "a candidate of two kinds",
      { candidates: { a: { command: ["x"], replay: "a.jsonl" } } },
      ["keys_exclusive candidates.a.replay"],
    ],
    [
      "a model twice",
      { candidates: ["openai:a", "openai:a"] },
      ["candidate_duplicate candidates[1]"],
    ],
    ["candidates and models", { models: ["openai:a"] }, ["keys_exclusive models"]],
    [
      "a task's key beside tasks",
      {
        tasks: [
          {
            id: "a",
            dataset: "a.csv",
            prompt_template: "p",
            target_template: "t",
            grader: "contains",
          },
        ],
      },
      [
        "short_form_mixed dataset",
        "short_form_mixed prompt_template",
        "short_form_mixed target_template",
        "short_form_mixed grader",
      ],
    ],
  ])("%s", async (_, changes, expected) => {
    expect(brief(await problemsOf(shortForm(changes)))).toEqual(expected);
  });

  it("names the task that has the id already", async () => {
    const text = [
      "tasks:",
      "  - { id: a, dataset: d.csv, prompt_template: p, target_template: t, grader: contains }",
      "  - { id: b, dataset: d.csv, prompt_template: p, target_template: t, grader: contains }",
      "  - { id: a, dataset: d.csv, prompt_template: p, target_template: t, grader: contains }",
      "candidates: { x: { replay: r.jsonl } }",
    ].join("\n");
    const problems = await problemsOf(text);
    expect(briefPlaces(problems)).toEqual(["task_duplicate 4:11"]);
    expect(problems[0]?.message).toContain("line 2");
  });

  it("says all at once, in the order of the file", async () => {
    const text = [
      "nam: x",
      "tasks:",
      "  - id: a",
      "    dataset: gone.csv",
      "    prompt_template: p",
      "    grader: { type: python, source: x, file: g.py, timeout_seconds: 900 }",
      "  - id: a",
      "    dataset: ../../out.csv",
      "    prompt_template: p",
      "    target_template: t",
      "    grader: exact_mach",
      "run: { concurrency: 99 }",
    ].join("\n");
    const tools = imagine({ "/repo/evals/gone.csv": "missing" });
    expect(briefPlaces(await problemsOf(text, tools))).toEqual([
      "key_unknown 1:1",
      "path_missing 4:14",
      "keys_exclusive 6:40",
      "value_range 6:69",
      "task_duplicate 7:9",
      "path_outside 8:14",
      "value_unknown 11:13",
      "value_range 12:21",
    ]);
  });
});

describe("warnings", () => {
  it.each([
    ["an unused file id", { files: { x: "a.csv" } }, ["file_id_unused files.x"]],
    [
      "model calls that a sample grader can't make",
      { grader: { type: "python", source: "x", max_model_calls: 4 }, gate: "none" },
      ["setting_idle grader.max_model_calls"],
    ],
    [
      "a metric_id that no metric reads",
      {
        grader: { type: "python", source: "x", metric_id: "a" },
        metrics: [{ id: "b" }],
        gate: "none",
      },
      ["metric_id_unread grader.metric_id"],
    ],
    [
      "results of tools that no candidate can call",
      { tool_results: { now: "12:00" } },
      ["setting_idle tool_results"],
    ],
    [
      "a number of verdicts where the judge gives one score",
      {
        grader: { type: "judge_calls", prompt: "x", scale: "score", calls: 2, threshold: 0.5 },
        run: { judge_model: "openai:gpt-5" },
      },
      ["setting_idle grader.calls"],
    ],
    [
      "a threshold where the judge gives verdicts",
      {
        grader: { type: "judge_calls", prompt: "x", calls: 2, threshold: 0.5 },
        run: { judge_model: "openai:gpt-5" },
      },
      ["setting_idle grader.threshold"],
    ],
    [
      "a seed that draws nothing",
      { fewshot: { count: 1, seed: 5, dataset: "b.jsonl" } },
      ["setting_idle fewshot.seed"],
    ],
    [
      "fields to hand on to an app, whose request names them",
      {
        candidates: {
          a: { http: { url: "https://app.example.com", body: "{{prompt}}" }, pass: ["q"] },
        },
      },
      ["setting_idle candidates.a.pass"],
    ],
    [
      "a grader that asks a model for scores that no metric has",
      { ...withJudge, metrics: [{ id: "contains" }], gate: "none" },
      ["grader_uncounted metrics"],
    ],
    [
      "no such grader, where its scores count in the weighted one",
      { ...withJudge, metrics: [{ id: "score" }], gate: "none" },
      [],
    ],
  ])("%s", async (_, changes, expected) => {
    expect(brief((await suiteOf(shortForm(changes))).warnings)).toEqual(expected);
  });
});

describe("paths", () => {
  it.each([
    ["a path that climbs out", "../../data.jsonl", "path_outside"],
    ["a path that climbs out and looks inside", "../../repository/data.jsonl", "path_outside"],
    ["an absolute path", "/repo/evals/data.jsonl", "path_absolute"],
    ["a Windows path", "C:\\data.jsonl", "path_absolute"],
    ["a folder", "folder.jsonl", "path_is_directory"],
    ["a missing file", "gone.jsonl", "path_missing"],
  ])("refuses %s", async (_, path, code) => {
    const tools = imagine({
      "/repo/evals/folder.jsonl": "directory",
      "/repo/evals/gone.jsonl": "missing",
    });
    for (const [changes, place] of [
      [{ dataset: path }, "dataset"],
      [{ dataset: { file: path } }, "dataset.file"],
      [{ files: { x: path }, dataset: { file_id: "x" } }, "files.x"],
      [{ grader: { type: "python", file: path } }, "grader.file"],
      [{ candidates: { a: { replay: path } } }, "candidates.a.replay"],
      [{ candidates: { a: { replay: { file: path } } } }, "candidates.a.replay.file"],
    ] as const) {
      expect(brief(await problemsOf(shortForm(changes), tools))).toEqual([`${code} ${place}`]);
    }
  });

  it.each([
    [
      "inputs",
      { candidates: { a: { command: ["x"], inputs: ["../../**"] } } },
      "path_outside candidates.a.inputs[0]",
    ],
    [
      "a baseline",
      { gate: { baseline: { path: "../../runs" } } },
      "path_outside gate.baseline.path",
    ],
  ])("keeps %s inside the repository", async (_, changes, expected) => {
    expect(brief(await problemsOf(shortForm(changes)))).toEqual([expected]);
  });

  it("does not look at what lies outside", async () => {
    const asked: string[] = [];
    const tools = imagine();
    await problemsOf(
      shortForm({ dataset: "../../secret.csv", gate: { baseline: { path: "../../x" } } }),
      {
        ...tools,
        inspectPath: (path) => {
          asked.push(path);
          return tools.inspectPath(path);
        },
      },
    );
    expect(asked).toEqual(["/repo"]);
  });

  it("sees through symbolic links, and lets a repository stand behind one", async () => {
    await using fixture = await createFixture({
      "outside.jsonl": "{}",
      "repo/evals/data.jsonl": "{}",
    });
    await symlink("../../outside.jsonl", fixture.getPath("repo/evals/out.jsonl"));
    await symlink("data.jsonl", fixture.getPath("repo/evals/in.jsonl"));
    await symlink("repo", fixture.getPath("link"));
    const resolve = (dataset: string, root: string) =>
      resolveSuite(
        {
          text: shortForm({ dataset }),
          path: "suite.yaml",
          directory: fixture.getPath(root, "evals"),
          root: fixture.getPath(root),
        },
        onDisk,
      );
    const out = await resolve("out.jsonl", "repo");
    expect(out.kind === "refused" && brief(out.problems)).toEqual(["path_link_outside dataset"]);
    expect((await resolve("in.jsonl", "repo")).kind).toBe("resolved");
    expect((await resolve("data.jsonl", "link")).kind).toBe("resolved");
  });
});
