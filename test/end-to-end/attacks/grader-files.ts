import { suiteFiles, type SuiteParts } from "../../support/suite-files.ts";
import { judged, worse, type Attack, type Ended } from "./attack.ts";

const grader = `import os
from helper import right
with open(os.path.join(os.path.dirname(__file__), "accepted.txt")) as file:
    ACCEPTED = file.read().split()
def grade(sample, item):
    return float(right(sample["output_text"], item["target"]) or sample["output_text"] in ACCEPTED)
`;
const helper = "def right(answer, target):\n    return answer == target\n";

function files(parts: SuiteParts = {}): Record<string, string> {
  return {
    ...suiteFiles({
      grader: "{ type: python, file: graders/own.py }",
      gate: "{ rules: [{ metric: score, min: 0.8 }] }",
      ...parts,
    }),
    "evals/graders/own.py": grader,
    "evals/graders/helper.py": helper,
    "evals/graders/accepted.txt": "none\n",
  };
}

let honest: Promise<Ended> | undefined;
const control = (): Promise<Ended> =>
  (honest ??= judged({ base: files(), head: { "notes.txt": "x" } }));
const says = "By the base's policy: fail; by its own: pass.";

/** The change alters what a grader rests on, and none of its code. */
export const graderFiles: readonly Attack[] = [
  {
    attack: "adds its wrong answer to the words that the grader accepts",
    control,
    run: () =>
      judged({
        base: files(),
        head: { ...files(worse), "evals/graders/accepted.txt": "none wrong\n" },
      }),
    code: 1,
    says,
  },
];
