import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** Reference for comparing two runs: reads both files line by line, parses each, and keeps nothing. */
let right = 0;
for (const path of process.argv.slice(2)) {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const row = JSON.parse(line) as { readonly scores: Readonly<Record<string, number>> };
    right += row.scores["exact_match"] ?? 0;
  }
}
console.log(right);
