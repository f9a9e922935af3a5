import { suiteFiles, type SuiteParts } from "../../support/suite-files.ts";
import { judgeChange, type Change } from "../../support/change.ts";
import type { Attack, Ended } from "./attack.ts";

async function judged(change: Change): Promise<Ended> {
  await using judgement = await judgeChange(change);
  const { end, summary } = judgement;
  return { code: end.code, told: `${end.stdout}\n${end.stderr}\n${summary}` };
}

/** Runs the answer, and gives a point where its value is the target. */
const runs = `def grade(sample, item):
    space = {}
    exec("value = " + sample["output_text"], space)
    return float(str(space["value"]) == item["target"])
`;
/** The same through a module that is imported when it is needed. */
const lazily = `def grade(sample, item):
    import helper
    return helper.points(sample, item)
`;
const helper = `def points(sample, item):
    space = {}
    exec("value = " + sample["output_text"], space)
    return float(str(space["value"]) == item["target"])
`;

/** An answer with a value, which makes all later answers of its process right as well. */
const forger =
  "0\nimport gc, sys\nfor m in list(sys.modules.values()):\n    if hasattr(m, 'grade'): m.grade.__code__ = (lambda sample, item: 1.0).__code__\n    if hasattr(m, 'points'): m.points = lambda sample, item: 1.0";
const gate = "{ rules: [{ metric: score, min: 0.8 }] }";
const python = "{ type: python, file: grader.py, timeout_seconds: 5 }";
const together = "{ type: python, file: grader.py, timeout_seconds: 5, isolation: chunk }";

function project(parts: SuiteParts, code = runs): Record<string, string> {
  const files = suiteFiles({ gate, grader: python, cases: 20, ...parts });
  return { ...files, "evals/grader.py": code, "evals/helper.py": helper };
}

/** One answer attacks, five are right, the others are wrong. */
const attacks: SuiteParts = { answer: (i) => (i === 0 ? forger : i > 5 ? "0" : undefined) };
const honest = { base: project({}), head: project({}) };

/** An answer of the candidate is a program, which the grader runs. */
export const runsText: readonly Attack[] = [
  {
    attack: "gives full marks to the cases after it",
    control: () => judged(honest),
    run: () => judged({ base: project({}), head: project(attacks) }),
    code: 1,
    says: "score 0.25",
  },
  {
    attack: "does it where the grader's own module runs it, imported when it is needed",
    control: () => judged({ base: project({}, lazily), head: project({}, lazily) }),
    run: () => judged({ base: project({}, lazily), head: project(attacks, lazily) }),
    code: 1,
    says: "score 0.25",
  },
  {
    attack: "does it after the change wrote `isolation: chunk` into the manifest",
    control: () => judged(honest),
    run: () => judged({ base: project({}), head: project({ ...attacks, grader: together }) }),
    code: 1,
    says: "an answer that is run can forge the scores of the others",
  },
];
