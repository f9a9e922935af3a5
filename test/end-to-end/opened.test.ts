import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { writeFile } from "node:fs/promises";
import { git } from "../support/change.ts";
import { regrade, type CliEnd } from "../support/cli.ts";
import { startProject } from "../support/github/project.ts";
import { runOf } from "../support/github/run-of.ts";
import { suiteFiles, sumApp, sumCandidate } from "../support/suite-files.ts";

const suite = suiteFiles({ cases: 8, candidates: sumCandidate });

it(
  "a data set that the base's own program opens: main's run records it, and a change that opens it too is only told so",
  { tags: "long" },
  async () => {
    // The name is made by a loop, so that nothing in the change's text tells of it.
    const opening = `open("".join(chr(ord(c) - 1) for c in "ebub0rb/ktpom")).read()\n`;
    await using project = await startProject({ ...suite, "evals/app.py": `${sumApp}${opening}` });
    const main = runOf(await project.push("main"));
    expect(main).toMatchObject({ gate: { verdict: "pass" }, opened: ["evals/data/qa.jsonl"] });
    await project.commit("change", { "evals/app.py": `${sumApp}\n${opening}` });
    const change = await project.pull("change");
    expect(runOf(change).gate).toMatchObject({ verdict: "pass" });
    expect(change.summary).toContain("evals/data/qa.jsonl");
  },
);

it("a program that opens no data set leaves no such record", async () => {
  await using project = await startProject({ ...suite, "evals/app.py": sumApp });
  expect(runOf(await project.push("main")).opened).toBeUndefined();
});

it("the rows that a preprocessor made are watched: a change's program that finds their file fails", async () => {
  const preprocessed = suiteFiles({
    cases: 8,
    candidates: sumCandidate,
    more: ["preprocess: { type: python, file: rows.py }"],
  });
  const rows = "def transform_row(row):\n    return row\n";
  await using project = await startProject({
    ...preprocessed,
    "evals/rows.py": rows,
    "evals/app.py": sumApp,
  });
  const searching = `import glob, os
for path in glob.glob(os.environ["TMPDIR"] + "/regrade-*/*"):
    if os.path.isfile(path):
        open(path, "rb").read()
`;
  await project.commit("change", { "evals/app.py": `${sumApp}${searching}` });
  // A folder of its own, where no other test's files are found.
  await using temporary = await createFixture({});
  const end = await project.pull("change", { env: { TMPDIR: temporary.path } });
  expect(runOf(end).gate).toMatchObject({ verdict: "fail" });
  expect(end.summary).toContain("(preprocessed)");
});

it("a data set is watched also while a drop is run again: an app that looks up the answers only then fails", async () => {
  const gate = "{ confirm: always, rules: [{ metric: exact_match, max_drop: 0.02 }] }";
  const files = suiteFiles({ cases: 20, candidates: sumCandidate, gate });
  await using project = await startProject({ ...files, "evals/app.py": sumApp });
  await project.push("main");
  const app = `import os, re, sys
a, b = re.search(r"(\\d+)\\+(\\d+)", sys.stdin.read()).groups()
if os.path.exists("asked-" + a):
    open("".join(chr(ord(c) - 1) for c in "ebub0rb/ktpom")).read()
    print(int(a) + int(b))
else:
    open("asked-" + a, "w").close()
    print("wrong")
`;
  await project.commit("change", { "evals/app.py": app });
  const end = await project.pull("change");
  const { gate: judged, confirmation } = runOf(end);
  expect(confirmation?.rounds).toHaveLength(1);
  expect(judged.rules[0]?.code).toBe("drop_not_confirmed");
  expect(judged.verdict).toBe("fail");
  expect(end.summary).toContain("A process opened `evals/data/qa.jsonl`");
});

it(
  "a drop that is run again, in a repository whose objects git keeps in files of their own, accuses no program that opens nothing",
  { tags: "long" },
  async () => {
    const gate =
      "{ confirm: always, rules: [{ metric: exact_match, max_drop: 0.02 }], baseline: { path: baseline } }";
    const files = suiteFiles({ cases: 20, candidates: sumCandidate, gate });
    await using fixture = await createFixture({ ...files, "evals/app.py": sumApp });
    const commit = (message: string): void => {
      git(fixture.path, "add", "--all");
      git(fixture.path, "commit", "--quiet", "--message", message);
    };
    const run = (...argv: readonly string[]): Promise<CliEnd> =>
      regrade(["run", "evals/qa.yaml", ...argv], { in: fixture.path, env: { CI: "true" } });
    git(fixture.path, "init", "--quiet");
    commit("base");
    await run("--baseline", "none", "--out", "evals/baseline");
    commit("baseline");
    // Wrong when it is first asked, as in a bad hour.
    const app = `import os, re, sys
a, b = re.search(r"(\\d+)\\+(\\d+)", sys.stdin.read()).groups()
asked = os.environ["TMPDIR"] + "/asked-" + a
print(int(a) + int(b) if os.path.exists(asked) else "wrong")
open(asked, "w").close()
`;
    await writeFile(fixture.getPath("evals/app.py"), app);
    commit("change");
    await using temporary = await createFixture({});
    const env = { CI: "true", TMPDIR: temporary.path };
    const argv = ["run", "evals/qa.yaml", "--policy-from", "HEAD~1"];
    const end = await regrade(argv, { in: fixture.path, env });
    expect(end.stdout).toContain("not confirmed when run again");
    expect(end.stdout).not.toContain("was opened");
    expect(end.code).toBe(0);
  },
);
