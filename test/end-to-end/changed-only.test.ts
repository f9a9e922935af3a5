import { describe, expect, it } from "vitest";
import { startProject } from "../support/github/project.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** Two suites of one repository; a pull request that touches one of them, or none. */

const grader = "{ type: python, metric_id: right, file: graders/right.py }";
const gate = "{ rules: [{ metric: right, min: 0.5 }] }";
const right =
  "from words import same\n\ndef grade(sample, item):\n    return float(same(sample['output_text'], item['a']))\n";

function files(): Record<string, string> {
  const one = suiteFiles({ cases: 6, grader, gate });
  const app = "{ app: { command: [python3, -S, app.py], inputs: [app.py, 'lib/**'] } }";
  const other = suiteFiles({ cases: 6, name: "other", candidates: app });
  return {
    ...one,
    "evals/graders/right.py": right,
    "evals/graders/words.py": "def same(a, b):\n    return a == b\n",
    "other/qa.yaml": other["evals/qa.yaml"] ?? "",
    "other/data/qa.jsonl": other["evals/data/qa.jsonl"] ?? "",
    "other/app.py":
      "from lib.add import add\nimport re, sys\nprint(add(*re.findall(r'\\d+', sys.stdin.read())))\n",
    "other/lib/add.py": "import numbers_of\n\ndef add(a, b):\n    return int(a) + int(b)\n",
    "other/numbers_of.py": "# Imported, and in no `inputs`.\n",
    "README.md": "# App\n",
  };
}

const inputs = { suite: "evals/qa.yaml, other/qa.yaml", "changed-only": "true" };

describe("changed-only runs the suites that a change touches, and reports the others", () => {
  const changes: readonly {
    readonly what: string;
    readonly files: Readonly<Record<string, string>>;
    readonly runs: readonly string[];
  }[] = [
    { what: "a text about the app", files: { "README.md": "# The app\n" }, runs: [] },
    {
      what: "a module that a grader imports",
      files: { "evals/graders/words.py": "def same(a, b):\n    return a.strip() == b\n" },
      runs: ["qa"],
    },
    {
      what: "a file that a candidate declares",
      files: { "other/lib/add.py": "def add(a, b):\n    return int(b) + int(a)\n" },
      runs: ["other"],
    },
    {
      what: "a module that a declared file imports",
      files: { "other/numbers_of.py": "int = float\n" },
      runs: ["other"],
    },
    { what: "a recording", files: { "evals/outputs.jsonl": "" }, runs: ["qa"] },
  ];

  itSome(changes)("$what", { timeout: 120_000 }, async ({ files: changed, runs }) => {
    await using project = await startProject(files());
    await project.commit("change", changed);
    const end = await project.pull("change", { inputs });
    for (const suite of ["qa", "other"]) {
      const isRun = runs.includes(suite);
      const [told] =
        new RegExp(`^${suite}: (?:neutral, not run|pass|error)$`, "m").exec(end.stdout) ?? [];
      expect(told === `${suite}: neutral, not run`, end.stdout).toBe(!isRun);
      expect(end.stdout).toContain(`changed-only: ${isRun ? "run, as" : "not affected"}`);
    }
    if (runs.length > 0) return;
    expect(end.code).toBe(0);
    expect(end.outputs).toMatchObject({ verdict: "neutral" });
    expect(end.summary).toContain("ot affected");
    expect(project.github.rest.state.comments).toEqual([]);
  });

  it("a suite whose files the program of another one puts back, which is told though it commits them", async () => {
    await using project = await startProject(files());
    const app = `${files()["other/app.py"]}
import json, subprocess
with open("../evals/outputs.jsonl", "w") as file:
    for i in range(6):
        file.write(json.dumps({"case_id": f"c{i}", "output_text": f"{i + 1}"}) + "\\n")
subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--all", "--message=x"])
`;
    const wrong = suiteFiles({ cases: 6, answer: () => "wrong" })["evals/outputs.jsonl"] ?? "";
    await project.commit("change", { "evals/outputs.jsonl": wrong, "other/app.py": app });
    const order = { ...inputs, suite: "other/qa.yaml, evals/qa.yaml" };
    const end = await project.pull("change", { inputs: order });
    expect(end.stdout).toContain("changed-only: run, as evals/outputs.jsonl differs");
    expect(end.summary).toContain("`evals/outputs.jsonl` is not here as in the commit");
  });

  it("not with a comment of its own, and clears the red that an earlier push left", async () => {
    await using project = await startProject(files());
    await project.commit("change", { "other/lib/add.py": "def add(a, b):\n    return -1\n" });
    const broken = await project.pull("change", { inputs });
    expect(broken.code, broken.stdout).toBe(1);
    await project.commit("change", { "other/lib/add.py": files()["other/lib/add.py"] ?? "" });
    const mended = await project.pull("change", { inputs });
    expect(mended.code, mended.stdout).toBe(0);
    const { comments } = project.github.rest.state;
    expect(comments).toHaveLength(1);
    expect(comments[0]?.body).toContain("**other: not affected.**");
  });

  it("everything, where there is no base to compare with", { tags: "smoke" }, async () => {
    await using project = await startProject(files());
    const end = await project.push("main", { inputs });
    expect(end.code, end.stdout).toBe(0);
    expect(end.stdout).toContain("every suite is run");
  });
});
