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

const adds = 'int(prompt.split("+")[0].split()[-1]) + 1';

/** A row that has its answer in `meta`, beside what may be told. */
function rowOf(i: number): { readonly meta: object } {
  return { meta: { lang: "en", answer: `${i + 1}` } };
}

function app(answer: string): string {
  return `import json, os, sys
fields = json.loads(os.environ["REGRADE_FIELDS"])
prompt = sys.stdin.read()
print(${answer})
`;
}

/** An app that is handed what the prompt uses, and says what is asked of it. */
function handed(prompt: string, answer: string): Promise<Ended> {
  const candidates = "{ app: { command: [python3, -S, app.py] } }";
  const files = suiteFiles({ cases: 8, row: rowOf, candidates });
  const manifest = (files["evals/qa.yaml"] ?? "").replace("{{a}}", "{{meta.answer}}");
  return judged({
    base: { ...files, "evals/qa.yaml": manifest, "evals/app.py": app(adds) },
    head: {
      "evals/qa.yaml": manifest.replace("What is {{q}}?", prompt),
      "evals/app.py": app(answer),
    },
  });
}

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
  {
    attack:
      "asks with another part of the field that holds the answer, and lets its app read the rest",
    control: () => handed("What is {{q}}, in {{meta.lang}}?", adds),
    run: () =>
      handed("What is {{q}}, in {{meta.lang}}?", 'fields["meta"].get("answer", "unknown")'),
    code: 1,
    says: "qa/exact_match 0.0%",
  },
];
