import { jsonLines } from "./cli.ts";

export interface SuiteParts {
  readonly name?: string;
  readonly cases?: number;
  /** A wrong answer of the recording; undefined: the right one. */
  readonly answer?: (i: number) => string | undefined;
  /** Cases without a recording. */
  readonly unrecorded?: (i: number) => boolean;
  readonly grader?: string;
  readonly candidates?: string;
  readonly gate?: string;
  /** More fields of a row. */
  readonly row?: (i: number) => Readonly<Record<string, unknown>>;
  /** More lines of the manifest. */
  readonly more?: readonly string[];
}

/**
 * A small project: `evals/qa.yaml` with sums to add up, a data set and a recording. Case `c7` asks "7+1?".
 */
export function suiteFiles(parts: SuiteParts = {}): Record<string, string> {
  const rows = Array.from({ length: parts.cases ?? 60 }, (_, i) => ({
    id: `c${i}`,
    q: `${i}+1`,
    a: `${i + 1}`,
    ...parts.row?.(i),
  }));
  const outputs = rows.flatMap(({ id, a }, i) =>
    parts.unrecorded?.(i) === true ? [] : [{ case_id: id, output_text: parts.answer?.(i) ?? a }],
  );
  return {
    "evals/qa.yaml": manifest(parts),
    "evals/data/qa.jsonl": jsonLines(rows),
    "evals/outputs.jsonl": jsonLines(outputs),
  };
}

function manifest({ name, grader, candidates, gate, more = [] }: SuiteParts): string {
  return [
    `name: ${name ?? "qa"}`,
    "dataset: { file: data/qa.jsonl, id_field: id }",
    'prompt_template: "What is {{q}}?"',
    'target_template: "{{a}}"',
    `grader: ${grader ?? "exact_match"}`,
    `candidates: ${candidates ?? "{ app: { replay: outputs.jsonl } }"}`,
    `gate: ${gate ?? "{ rules: [{ metric: exact_match, min: 0.8 }] }"}`,
    ...more,
    "",
  ].join("\n");
}

/** A command candidate that adds up, and writes a line to `calls.log` for each call. */
export const sumApp = `import re, sys
prompt = sys.stdin.read()
with open("calls.log", "a") as log:
    log.write(prompt + "\\n")
a, b = re.search(r"(\\d+)\\+(\\d+)", prompt).groups()
print(int(a) + int(b))
`;

/** Declares `sumApp` as the only candidate. */
export const sumCandidate = "{ app: { command: [python3, -S, app.py] } }";
