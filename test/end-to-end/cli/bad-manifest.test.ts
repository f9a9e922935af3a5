import { existsSync } from "node:fs";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { expectRefusal, regrade } from "../../support/cli.ts";
import { suiteFiles, sumApp } from "../../support/suite-files.ts";

/** Manifests with a mistake: a place, what was found, a way out; nothing is run and nothing is written. */

interface Mistake {
  readonly what: string;
  /** The manifest's text, changed. */
  readonly change: (manifest: string) => string;
  /** `line:column` in evals/qa.yaml. */
  readonly place: string;
  readonly says: readonly (string | RegExp)[];
}

const grader = (text: string) => (manifest: string) =>
  manifest.replace("grader: exact_match", text);
const more = (text: string) => (manifest: string) => `${manifest}${text}\n`;

const mistakes: readonly Mistake[] = [
  {
    what: "a misspelt key",
    change: (text) => text.replace("prompt_template", "promt_template"),
    place: "3:1",
    says: ["promt_template", "Did you mean `prompt_template`?"],
  },
  {
    what: "a misspelt key deep inside",
    change: (text) => text.replace("min: 0.8", "mni: 0.8"),
    place: "7:40",
    says: ["gate.rules[0].mni", "Did you mean `min`?"],
  },
  {
    what: "a duplicate task id",
    change: (text) =>
      [
        "name: qa",
        "tasks:",
        ...["one", "one"].map(
          (id) =>
            `  - { id: ${id}, dataset: data/qa.jsonl, prompt_template: "{{q}}", target_template: "{{a}}", grader: exact_match }`,
        ),
        text.split("\n").find((line) => line.startsWith("candidates")) ?? "",
        "",
      ].join("\n"),
    place: "4:11",
    says: ['"one" is taken by the task on line 3', "an id of its own"],
  },
  {
    what: "two grader sources",
    change: grader(
      "grader: { type: python, file: grader.py, source: 'def grade(s, i): return 1' }",
    ),
    place: "5:25",
    says: ["`file`", "`source`", "exactly one"],
  },
  {
    what: "a value out of range",
    change: (text) => text.replace("min: 0.8", "max_drop: 0.02, alpha: 1.5"),
    place: "7:63",
    says: ["1.5", "allowed"],
  },
  {
    what: "a whole number out of range",
    change: more("run: { concurrency: 26 }"),
    place: "8:21",
    says: ["26", /allowed.*25/],
  },
  {
    what: "a file that is missing",
    change: (text) => text.replace("data/qa.jsonl", "data/qq.jsonl"),
    place: "2:18",
    says: ["no such file: data/qq.jsonl", "relative to the manifest"],
  },
  {
    what: "a path outside the repository",
    change: (text) => text.replace("data/qa.jsonl", "../../secret.jsonl"),
    place: "2:18",
    says: ["../../secret.jsonl leads out of the repository", "stay inside the repository"],
  },
  {
    what: "an empty list of candidates",
    change: (text) => text.replace(/^candidates: .*$/m, "candidates: {}"),
    place: "6:1",
    says: ["candidates: found none; allowed are 1 to 20"],
  },
  {
    what: "a skill for a loop that reads none",
    change: (text) =>
      text.replace(
        /^candidates:.*$/m,
        'candidates: { a: { agent: { model: "openai:x" }, skills: [data] } }',
      ),
    place: "6:50",
    says: ["Regrade's loop can't do what 'skills' asks", "system_prompt"],
  },
  {
    what: "YAML that can't be read",
    change: (text) => text.replace("name: qa", "name: [qa"),
    place: "2:1",
    says: ["not valid YAML"],
  },
  {
    what: "an empty manifest",
    change: () => "",
    place: "1:1",
    says: ["the manifest is empty", "the short manifest in the README"],
  },
];

describe("a manifest with a mistake is refused with its place and a way out", () => {
  it.each(mistakes)("$what", async ({ change, place, says }) => {
    const files = suiteFiles();
    await using fixture = await createFixture({
      ...files,
      "evals/qa.yaml": change(files["evals/qa.yaml"] ?? ""),
      "evals/grader.py": "def grade(sample, item):\n    return 1\n",
    });
    for (const command of [
      ["run", "evals/qa.yaml", "--out", "out"],
      ["validate", "evals/qa.yaml"],
    ]) {
      const end = await regrade(command, { in: fixture.path });
      expectRefusal(end, 2);
      expect(end.stderr).toContain(`evals/qa.yaml:${place}: `);
      for (const words of says) expect(end.stderr).toMatch(words);
    }
    expect(existsSync(fixture.getPath("out"))).toBe(false);
  });

  it("all of them at once, in the order of the file", { tags: "smoke" }, async () => {
    const files = suiteFiles();
    const manifest = (files["evals/qa.yaml"] ?? "")
      .replace("prompt_template", "promt_template")
      .replace("grader: exact_match", "grader: exakt_match")
      .replace("min: 0.8", "mni: 0.8");
    await using fixture = await createFixture({ ...files, "evals/qa.yaml": manifest });
    const end = await regrade(["run", "evals/qa.yaml"], { in: fixture.path });
    expectRefusal(end, 2);
    const lines = [...end.stderr.matchAll(/^evals\/qa\.yaml:(\d+)/gm)].map(([, line]) => line);
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines).toEqual(lines.toSorted((a, b) => Number(a) - Number(b)));
    expect(end.stderr).toContain("Did you mean `exact_match`?");
  });

  it.each([
    ["evals/nothing.yaml", "no such suite: evals/nothing.yaml\n  Check the path"],
    ["evals", "evals is a directory; a suite is a YAML or JSON file\n  Name the file"],
    ["nowhere/qa.yaml", "no such suite: nowhere/qa.yaml\n  Check the path"],
  ])("a manifest that is not there: %s", async (path, says) => {
    await using fixture = await createFixture(suiteFiles());
    for (const command of ["run", "validate"]) {
      const end = await regrade([command, path], { in: fixture.path });
      expectRefusal(end, 2);
      expect(end.stderr).toContain(says);
      expect(end.stderr).not.toContain(fixture.path);
    }
  });
});

describe("a template field that no row has", () => {
  it("is a warning with the nearest field, and the run goes on", async () => {
    const files = suiteFiles();
    const manifest = (files["evals/qa.yaml"] ?? "")
      .replace("{{q}}?", "{{q}} {{ qq }}?")
      .replace("name: qa", "name: qa\nmetadata: { owner: me }");
    await using fixture = await createFixture({ ...files, "evals/qa.yaml": manifest });
    const end = await regrade(["run", "evals/qa.yaml", "--out", "out"], { in: fixture.path });
    expect(end.code).toBe(0);
    expect(end.stderr).toMatch(/^warning: evals\/qa\.yaml:4:\d+: /m);
    expect(end.stderr).toContain("Did you mean '{{q}}'?");
    expect(end.stderr).not.toMatch(/\n\s+at /);
    const checked = await regrade(["validate", "evals/qa.yaml"], { in: fixture.path });
    expect(checked.code).toBe(0);
    expect(checked.stderr).toContain("Did you mean '{{q}}'?");
    expect(checked.stdout).toContain("all right (1 task, 60 cases, 1 candidate)");
  });
});

describe("inputs of a command in another folder of the repository", () => {
  it("are found, and stay inside the repository", async () => {
    const candidates = '{ app: { command: [python3, ../app/app.py], inputs: ["../app/**"] } }';
    await using fixture = await createFixture({
      ...suiteFiles({ candidates, cases: 3 }),
      ".git/HEAD": "",
      "app/app.py": sumApp,
    });
    expect(await regrade(["validate", "evals/qa.yaml"], { in: fixture.path })).toMatchObject({
      code: 0,
      stderr: "",
    });
    await fixture.writeFile(
      "evals/qa.yaml",
      suiteFiles({ candidates: candidates.replace("../app/**", "../../**") })["evals/qa.yaml"] ??
        "",
    );
    const outside = await regrade(["validate", "evals/qa.yaml"], { in: fixture.path });
    expectRefusal(outside, 2);
    expect(outside.stderr).toContain("../../** leads out of the repository");
  });
});

describe("a suite outside the folder that the user stands in", () => {
  it("is bounded by its repository, not by the user's folder", async () => {
    const files = Object.fromEntries(
      Object.entries(suiteFiles()).map(([path, text]) => [`repo/${path}`, text]),
    );
    const manifest = (files["repo/evals/qa.yaml"] ?? "").replace(
      "data/qa.jsonl",
      "../data/qa.jsonl",
    );
    await using fixture = await createFixture({
      ...files,
      "repo/.git/HEAD": "",
      "repo/evals/qa.yaml": manifest,
      "repo/data/qa.jsonl": files["repo/evals/data/qa.jsonl"] ?? "",
      "elsewhere/readme": "",
    });
    const end = await regrade(["validate", "../repo/evals/qa.yaml"], {
      in: fixture.getPath("elsewhere"),
    });
    expect(end).toMatchObject({ code: 0, stderr: "" });
  });
});
