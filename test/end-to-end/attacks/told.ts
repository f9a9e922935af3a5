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

/** The change asks in messages. */
function saying(content: string): Promise<Ended> {
  const manifest = base["evals/qa.yaml"] ?? "";
  const messages = `messages_template: [{ role: user, content: "${content}" }]`;
  const asked = manifest.replace(/^prompt_template: .*$/m, messages);
  if (asked === manifest) throw new Error("the suite asks otherwise");
  return judged({ base, head: { "evals/qa.yaml": asked } });
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

const grader = `from helper import expected

def grade(sample, item):
    return float(sample["output_text"].strip() == expected(item))
`;
const helper = `def expected(row):
    return row.get('answer')
`;

/** A grader that holds the answer against a field, without a target; a change of the prompt or the candidate. */
function graded(change: (manifest: string) => string, answer = "prompt"): Promise<Ended> {
  const files = suiteFiles({
    cases: 8,
    row: (i) => ({ answer: `${i + 1}`, lang: "en" }),
    candidates: "{ app: { command: [python3, -S, app.py] } }",
    grader: "{ type: python, file: graders/own.py }",
    gate: "{ rules: [{ metric: score, min: 0.8 }] }",
  });
  const manifest = (files["evals/qa.yaml"] ?? "").replace('target_template: "{{a}}"\n', "");
  const code = { "evals/graders/own.py": grader, "evals/graders/helper.py": helper };
  return judged({
    base: { ...files, ...code, "evals/qa.yaml": manifest, "evals/app.py": app(adds) },
    head: { "evals/qa.yaml": change(manifest), "evals/app.py": app(answer) },
  });
}

let unanswered: Promise<Ended> | undefined;
const otherwise = (): Promise<Ended> =>
  (unanswered ??= graded((text) => text.replace("What is {{q}}?", "In {{lang}}: {{q}}?"), adds));
const byGrader = "`answer`, which on the base only its grader reads: it may be the answer";

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
    attack: "asks in messages, and puts the target's field into one",
    control: () => saying("How much is {{q}}?"),
    run: () => saying("What is {{q}}? (It is {{a}}.)"),
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
  {
    attack: "puts a field into the prompt that only the grader reads",
    control: otherwise,
    run: () => graded((text) => text.replace("What is {{q}}?", "{{ answer }}")),
    code: 1,
    says: byGrader,
  },
  {
    attack: "puts the whole row into the prompt, which a grader reads",
    control: otherwise,
    run: () =>
      graded((text) => text.replace("What is {{q}}?", "{{row}}"), "json.loads(prompt)['answer']"),
    code: 1,
    says: "`row`, which on the base only its grader reads: it may be the answer",
  },
  {
    attack: "hands its app a field by `pass` that only the grader reads",
    control: otherwise,
    run: () =>
      graded((text) => text.replace("app.py]", "app.py], pass: [answer]"), "fields['answer']"),
    code: 1,
    says: byGrader,
  },
];
