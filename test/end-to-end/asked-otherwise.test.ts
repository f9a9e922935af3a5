import { expect, it } from "vitest";
import { judgeChange } from "../support/change.ts";
import { suiteFiles, sumApp, sumCandidate } from "../support/suite-files.ts";

const files = suiteFiles({ cases: 12, candidates: sumCandidate });
const base = { ...files, "evals/app.py": sumApp };
const manifest = files["evals/qa.yaml"] ?? "";
const broken = `import sys\nsys.stdin.read()\nprint("wrong")\n`;

it("a change that breaks its program and has a copy of the old one asked is told of, in one line", async () => {
  const head = {
    "evals/app.py": broken,
    "evals/old_app.py": sumApp,
    "evals/qa.yaml": manifest.replace("app.py", "old_app.py"),
  };
  await using judged = await judgeChange({ base, head });
  const { run, summary, end } = judged;
  expect(run.gate.verdict).toBe("pass");
  expect(run.policy?.changed).toMatchObject([{ part: "candidates", effect: "told" }]);
  expect(summary).toContain(
    "**What is judged:** the candidate `app` is started otherwise: `command` \\[python3, -S, app.py\\] → \\[python3, -S, old\\_app.py\\].",
  );
  expect(end.stdout).toContain(
    "What is judged: the candidate app is started otherwise: command [python3, -S, app.py] → [python3, -S, old_app.py].",
  );
  expect(summary).toContain("this change does not alter how it is judged");
});

it("a program that was written over after the checkout is told of", async () => {
  const head = { "evals/app.py": broken };
  await using judged = await judgeChange({ base, head, made: { "evals/app.py": sumApp } });
  expect(judged.run.gate.verdict).toBe("pass");
  expect(judged.summary).toContain(
    "**What is judged:** `evals/app.py` is not here as in the commit, as a build, an earlier step or another suite's program wrote over it",
  );
});

it("a field that contains the target, and a program that looks for the eval, are told of", async () => {
  const { "evals/qa.yaml": asking = "", ...others } = suiteFiles({
    cases: 12,
    candidates: sumCandidate,
    row: (i) => ({ source: `set/${i + 1}/x${i}` }),
  });
  const reads =
    "import os, sys\nassert 'REGRADE_FIELDS' in os.environ\nprint(sys.stdin.read().split('/')[1])\n";
  await using judged = await judgeChange({
    base: { ...others, "evals/qa.yaml": asking, "evals/app.py": sumApp },
    head: {
      "evals/qa.yaml": asking.replace("What is", "{{source}}: What is"),
      "evals/app.py": reads,
    },
  });
  expect(judged.run.gate.verdict).toBe("pass");
  expect(judged.run.policy?.changed.map(({ note }) => note)).toEqual([
    "`evals/app.py`, of which a program is made, newly names `REGRADE_FIELDS`, by which it can tell a run of evals: see that it answers the same elsewhere",
    "the candidate is told `source`, which contains the target in 12 of 12 cases: see that it is not the answer",
    "another prompt is asked for `qa`",
  ]);
});
