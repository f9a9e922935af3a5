import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";

export interface BenchSuite {
  readonly suite: string;
  readonly data: string;
  readonly grader: string;
  readonly bareLoop: string;
}

const vocabulary =
  "the order was shipped on monday and arrives late because customs asked for papers".split(" ");

/** A suite of `rows` recorded answers of some hundred words, graded by token F1 in Python; replay and data are one file. */
export async function makeSuite(
  folder: string,
  rows: number,
  changed: object = {},
): Promise<BenchSuite> {
  await mkdir(folder, { recursive: true });
  const data = join(folder, "data.jsonl");
  const out = createWriteStream(data);
  for (let i = 0; i < rows; i += 1) {
    const line = `${JSON.stringify(row(i))}\n`;
    if (!out.write(line)) await once(out, "drain");
  }
  out.end();
  await finished(out);
  const grader = join(folder, "token_f1.py");
  await cp(join(import.meta.dirname, "token_f1.py"), grader);
  const suite = join(folder, "suite.json");
  await writeFile(suite, JSON.stringify({ ...manifest(), ...changed }));
  return { suite, data, grader, bareLoop: join(import.meta.dirname, "bare_loop.py") };
}

function manifest(): object {
  return {
    name: "bench",
    dataset: "data.jsonl",
    prompt_template: "Answer: {{question}}",
    target_template: "{{answer}}",
    grader: { type: "python", file: "token_f1.py" },
    metrics: [{ id: "token_f1", range: [0, 1], scale: "graded" }],
    candidates: {
      recorded: { replay: { file: "data.jsonl", output_field: "output", id_field: "id" } },
    },
    gate: { rules: [{ metric: "token_f1", min: 0.1 }] },
  };
}

function row(i: number): unknown {
  return {
    id: `case-${i}`,
    question: words(i, 40),
    answer: words(i * 7, 50),
    output: words(i * 7 + 3, 50),
  };
}

function words(seed: number, count: number): string {
  return Array.from(
    { length: count },
    (_, k) => vocabulary[(seed + k * (1 + (seed % 5))) % vocabulary.length],
  ).join(" ");
}
