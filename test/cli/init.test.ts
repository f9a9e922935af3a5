import { describe, expect, it } from "vitest";
import {
  guessTemplates,
  nameOf,
  readCandidate,
  readGrader,
  readName,
  readTemplate,
} from "../../src/cli/init/answers.ts";
import { planFiles, type Choices } from "../../src/cli/init/files.ts";

describe("what a folder and its data suggest", () => {
  it.each([
    ["support-bot", "support-bot"],
    ["My App (2)", "my-app-2"],
    ["größe", "gr-e"],
    ["---", "first"],
    ["", "first"],
    [".config", "config"],
  ])("the folder %j makes the name %s", (folder, name) => {
    expect(nameOf(folder)).toBe(name);
  });

  it.each([
    [["id", "question", "answer"], "{{question}}", "{{answer}}"],
    [["id", "text", "label", "language"], "{{text}}", "{{label}}"],
    [["Input", "Expected"], "{{Input}}", "{{Expected}}"],
    [["passage", "gold_label"], "{{passage}}", "{{gold_label}}"],
    [["a", "b", "c"], "{{a}}", "{{c}}"],
    [["only"], "{{only}}", "{{only}}"],
  ])("the fields %j are put to use", (fields, prompt, target) => {
    expect(guessTemplates(new Set(fields))).toEqual({ prompt, target });
  });
});

describe("answers that can't be used are said so", () => {
  const codes = [
    [readName("a b"), "init_name"],
    [readName("x".repeat(101)), "init_name"],
    [readGrader("exactmatch", true), "init_grader"],
    [readGrader("numeric", false), "init_grader_numbers"],
    [readCandidate("gpt-4.1"), "init_candidate"],
    [readCandidate("openai:"), "init_candidate"],
    [readCandidate("opnai:gpt-4.1"), "init_provider"],
    [readTemplate(" ", "--prompt", new Set(["q"])), "init_template_empty"],
    [readTemplate("{{ quest }}", "--prompt", new Set(["question"])), "init_field_unknown"],
  ] as const;
  it.each(codes)("%j", (found, code) => {
    expect(found).toMatchObject({ kind: "wrong", problem: { code } });
  });

  it("a slip of the pen gets a suggestion", () => {
    expect(readCandidate("opnai:gpt-4.1")).toMatchObject({
      problem: { hint: "Did you mean openai?" },
    });
    expect(readTemplate("{{questoin}}", "--prompt", new Set(["question"]))).toMatchObject({
      problem: { hint: "Did you mean {{question}}?" },
    });
  });

  it.each(["{{row}}", "{{ meta.lang }}", "no field at all"])(
    "the template %s is fine",
    (template) => {
      expect(readTemplate(template, "--prompt", new Set(["meta"])).kind).toBe("read");
    },
  );
});

describe("the files of a first suite", () => {
  const choices: Choices = {
    name: "qa",
    dataset: undefined,
    grader: "exact_match",
    candidate: { kind: "command", python: "python3" },
    folder: "",
    workflow: { path: ".github/workflows/evals.yml", branch: "main", only: false },
    action: "acme/regrade@v1",
    schemaPath: undefined,
  };
  const textOf = (path: string, changed: Partial<Choices> = {}): string =>
    planFiles({ ...choices, ...changed }).find((file) => file.path === path)?.text ?? "";

  it("the manifest names its schema, so that editors help", () => {
    expect(textOf("evals/qa.yaml")).toMatch(
      /^# yaml-language-server: \$schema=https:\S+suite\.schema\.json\nschema_version: "2026-05-27"\n/,
    );
  });

  it("the schema of an installed package goes first, and an unknown address is left out", () => {
    const schemaPath = "../node_modules/regrade/schemas/suite.schema.json";
    expect(textOf("evals/qa.yaml", { schemaPath })).toContain(`$schema=${schemaPath}\n`);
    expect(textOf("evals/qa.yaml", { action: undefined })).not.toContain("$schema");
  });

  it("the workflow has eleven lines, may write check and comment, and refuses slips", () => {
    const workflow = textOf(".github/workflows/evals.yml");
    expect(workflow.trimEnd().split("\n")).toHaveLength(11);
    expect(workflow).toContain(
      "\npermissions: { contents: read, actions: read, checks: write, pull-requests: write }\n",
    );
    expect(workflow).toContain("- uses: acme/regrade@v1\n        with: { strict: true }\n");
  });

  it("an address of one's own reaches the step, from the repository's variables", () => {
    const candidate = {
      kind: "model",
      model: "azure:gpt",
      keyEnv: "AZURE_OPENAI_API_KEY",
      ownAddress: true,
    } as const;
    expect(textOf(".github/workflows/evals.yml", { candidate })).toContain(
      'env: { AZURE_OPENAI_API_KEY: "${{ secrets.AZURE_OPENAI_API_KEY }}", AZURE_OPENAI_ENDPOINT: "${{ vars.AZURE_OPENAI_ENDPOINT }}" }',
    );
  });

  it("a model's key reaches the step, from the repository's secrets", () => {
    const candidate = {
      kind: "model",
      model: "openai:gpt-4.1-mini",
      keyEnv: "OPENAI_API_KEY",
      ownAddress: false,
    } as const;
    expect(textOf(".github/workflows/evals.yml", { candidate })).toContain(
      'env: { OPENAI_API_KEY: "${{ secrets.OPENAI_API_KEY }}" }',
    );
  });

  it("a suite in a folder of the repository is run from there", () => {
    expect(textOf(".github/workflows/evals.yml", { folder: "packages/bot" })).toContain(
      "with: { strict: true, working-directory: packages/bot }",
    );
  });

  it("no workflow is written where none is wanted", () => {
    const paths = planFiles({ ...choices, workflow: undefined }).map(({ path }) => path);
    expect(paths).toEqual(["evals/qa.yaml", "evals/data/qa.jsonl", "evals/qa.py"]);
  });
});
