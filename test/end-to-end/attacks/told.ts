import { suiteFiles } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";

const base = suiteFiles();

/** The change asks with another prompt, and brings the answers that it gets. */
function asking(prompt: string): Promise<Ended> {
  const manifest = base["evals/qa.yaml"] ?? "";
  return judged({
    base,
    head: { "evals/qa.yaml": manifest.replace("What is {{q}}?", prompt) },
  });
}

let honest: Promise<Ended> | undefined;
const control = (): Promise<Ended> => (honest ??= asking("How much is {{q}}?"));
const says = "uses `a`, which only the base's target uses: the candidate is told the answer";

/** The change tells its candidate the answer. */
export const told: readonly Attack[] = [
  {
    attack: "puts the target's field into the prompt",
    control,
    run: () => asking("What is {{q}}? (It is {{ a }}.)"),
    code: 1,
    says,
  },
  {
    attack: "puts the whole row into the prompt",
    control,
    run: () => asking("What is asked in {{row}}?"),
    code: 1,
    says,
  },
];
