import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";

const topics = ["Art", "Music", "Politics", "Science and technology", "Sports", "TV shows"];

/** A suite of `rows` recorded answers, judged by a unit metric and the aggregators over its results. */
export async function makeAggregateSuite(folder: string, rows: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const out = createWriteStream(join(folder, "data.jsonl"));
  for (let i = 0; i < rows; i += 1) {
    if (!out.write(`${JSON.stringify(row(i))}\n`)) await once(out, "drain");
  }
  out.end();
  await finished(out);
  const suite = join(folder, "suite.json");
  await writeFile(suite, JSON.stringify(manifest()));
  return suite;
}

function row(i: number): unknown {
  const output = topics[(i + (i % 7 === 0 ? 1 : 0)) % topics.length];
  return { id: `case-${i}`, question: `Question ${i}`, topic: topics[i % topics.length], output };
}

function manifest(): object {
  const keys = { predicted_key: "text", golden_key: "text" };
  return {
    name: "aggregates",
    dataset: "data.jsonl",
    prompt_template: "{{question}}",
    target_template: "{{topic}}",
    graders: [
      { type: "unit_metric", name: "exact_match", metric: "exact_match" },
      aggregate("accuracy"),
      aggregate("f1_score", keys),
    ],
    candidates: {
      recorded: { replay: { file: "data.jsonl", output_field: "output", id_field: "id" } },
    },
    gate: { rules: [{ metric: "*exact_match-accuracy*", min: 0.1 }] },
  };
}

function aggregate(aggregator: string, options: object = {}): object {
  const name = `exact_match-${aggregator}`;
  return { type: "aggregate", name, source: "exact_match", aggregator, ...options };
}
