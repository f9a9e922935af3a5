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
