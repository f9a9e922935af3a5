import { suiteFiles } from "../../support/suite-files.ts";
import { jsonLines } from "../../support/cli.ts";
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

const adds = 'int(prompt.rsplit("+", 1)[0].split()[-1]) + 1';

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
    row: (i) => ({ answer: `${i + 1}`, solution: [`(${i + 1}.0)`], lang: "en" }),
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

const examples = `fewshot: { count: 8, dataset: { file: shots.jsonl }, prompt_template: "{{question}}", target_template: "{{is}}" }\n`;
const looksUp = `asked = prompt.split("What is ")[-1].rstrip("?")
print(prompt.split(asked + "\\n")[1].split("\\n")[0] if prompt.count(asked) > 1 else "unknown")`;

/** The change shows its app examples: the cases with their answers under other names, or other questions. */
function shown(shots: boolean): Promise<Ended> {
  const candidates = "{ app: { command: [python3, -S, app.py] } }";
  const files = suiteFiles({ cases: 8, candidates });
  const manifest = files["evals/qa.yaml"] ?? "";
  const first = shots ? 0 : 50;
  const rows = Array.from({ length: 9 }, (_, i) => {
    return { question: `${first + i}+1`, is: `${first + i + 1}` };
  });
  return judged({
    base: { ...files, "evals/app.py": app(adds) },
    head: {
      "evals/qa.yaml": `${manifest}${examples}`,
      "evals/shots.jsonl": jsonLines(rows),
      "evals/app.py": shots ? `import sys\nprompt = sys.stdin.read()\n${looksUp}\n` : app(adds),
    },
  });
}

const labels = ["one", "two", "three"];

/** Rows whose answer stands in other fields too: as it is, in a list, and as a number for each label. */
function copied(manifest: (text: string) => string): Promise<Ended> {
  const files = suiteFiles({
    cases: 12,
    answer: (i) => labels[i % 3],
    row: (i) => ({
      a: labels[i % 3],
      gold: ` ${labels[i % 3]?.toUpperCase()}`,
      answers: { text: [labels[i % 3]] },
      label: i % 3,
      hint: i < 6 ? `${labels[i % 3]} or none` : "none",
    }),
  });
  return judged({ base: files, head: { "evals/qa.yaml": manifest(files["evals/qa.yaml"] ?? "") } });
}

const asks =
  (field: string) =>
  (text: string): string =>
    text.replace("What is {{q}}?", `What is {{q}}? {{${field}}}`);
let hinted: Promise<Ended> | undefined;
const withHint = (): Promise<Ended> => (hinted ??= copied(asks("hint")));
const isCopy = (field: string): string => `${field}, whose values are the targets`;

const labelled = (i: number): Readonly<Record<string, unknown>> => ({ a: labels[i % 3] });

/** The change adds a column to its rows, and shows it. */
function addingColumn(column: (i: number) => string): Promise<Ended> {
  const parts = { cases: 12, answer: (i: number) => labels[i % 3] };
  const more = suiteFiles({ ...parts, row: (i) => ({ ...labelled(i), column: column(i) }) });
  const head = { ...more, "evals/qa.yaml": asks("column")(more["evals/qa.yaml"] ?? "") };
  return judged({ base: suiteFiles({ ...parts, row: labelled }), head });
}

const inBase64 = (i: number) => ({ hidden: btoa(`${i + 1}`), hint: btoa(`row ${i}`) });

/** Rows whose answers are all different, and stand in base64 in another field. */
function encoded(field: string): Promise<Ended> {
  const files = suiteFiles({ cases: 12, row: inBase64 });
  const head = { "evals/qa.yaml": asks(field)(files["evals/qa.yaml"] ?? "") };
  return judged({ base: files, head });
}

/** A grader that comes with Regrade, and reads what it expects from a field of the row. */
async function expecting(own: string, field: string): Promise<Ended> {
  const files = suiteFiles({
    cases: 8,
    grader: own,
    row: (i) => ({ calls: ["search"], should_trigger: i % 2 === 0, lang: "en" }),
    gate: "{ rules: [{ metric: '*', min: 0 }] }",
  });
  const manifest = (files["evals/qa.yaml"] ?? "").replace('target_template: "{{a}}"\n', "");
  const head = { "evals/qa.yaml": asks(field)(manifest) };
  return judged({ base: { ...files, "evals/qa.yaml": manifest }, head });
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
  {
    attack: "shows the cases with their answers as examples, in fields of other names",
    control: () => shown(false),
    run: () => shown(true),
    code: 1,
    says: "qa/exact_match 0.0%",
  },
  ...["gold", "answers", "label"].map((field) => ({
    attack: `puts a field into the prompt that has the answer under another name: ${field}`,
    control: withHint,
    run: () => copied(asks(field)),
    code: 1 as const,
    says: isCopy(field),
  })),
  {
    attack: "adds a column with the answers to its rows, and puts it into the prompt",
    control: () => addingColumn((i) => (i % 2 === 0 ? "de" : "en")),
    run: () => addingColumn((i) => labels[i % 3] ?? ""),
    code: 1,
    says: isCopy("column"),
  },
  {
    attack: "puts a field into the prompt that has the answer in base64",
    control: () => encoded("hint"),
    run: () => encoded("hidden"),
    code: 1,
    says: isCopy("hidden"),
  },
  {
    attack: "puts the calls into the prompt that the grader expects",
    control: () => expecting("{ type: tool_calls, required: calls }", "lang"),
    run: () => expecting("{ type: tool_calls, required: calls }", "calls"),
    code: 1,
    says: "uses `calls`, which only the base's target uses",
  },
  {
    attack: "puts a field into the prompt that is a copy of the one that the grader reads",
    control: otherwise,
    run: () => graded((text) => text.replace("What is {{q}}?", "{{solution.0}}")),
    code: 1,
    says: isCopy("solution.0"),
  },
];
