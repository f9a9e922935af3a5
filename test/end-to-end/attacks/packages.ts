import { suiteFiles, type SuiteParts } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";

const own = `try:
    from scoring.points import points
except ImportError:
    points = lambda answer, target: float(answer == target)

def grade(sample, item):
    return points(sample["output_text"], item["target"])
`;
const strict = "def points(answer, target):\n    return float(answer == target)\n";
const kind = "def points(answer, target):\n    return 1.0\n";

/** A grader that imports the repository's own package, which the workflow installs before. */
function project(points: string, parts: SuiteParts = {}): Record<string, string> {
  const grader = "{ type: python, file: own.py }";
  const gate = "{ rules: [{ metric: score, min: 0.8 }] }";
  return {
    ...suiteFiles({ cases: 8, grader, gate, ...parts }),
    "evals/own.py": own,
    "pyproject.toml": "[project]\nname = 'scoring'\nversion = '1'\n",
    "src/scoring/__init__.py": "",
    "src/scoring/points.py": points,
    "src/scoring/other.py": "x = 1\n",
  };
}

const change = (head: Record<string, string>): Promise<Ended> =>
  judged({ base: project(strict), head });
const altered =
  "imports `src/scoring/points.py`, which this change alters: a job that installs this repository's package";

/** The change edits the package that the grader imports. */
export const packages: readonly Attack[] = [
  {
    attack: "lets the package give full marks that the grader imports",
    control: () => change({ "src/scoring/other.py": "x = 2\n" }),
    run: () => change({ "src/scoring/points.py": kind }),
    code: 1,
    says: altered.replaceAll("`", ""),
  },
];
