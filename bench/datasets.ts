import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { median, timed, type Measured } from "./measure.ts";
import { atMost, beside, type Row } from "./table.ts";

export interface DatasetBench {
  readonly folder: string;
  readonly cli: string;
  readonly quick: boolean;
}

/** The dataset server is asked for eight pages at once, and takes its time for each. */
const latencyMs = 20;
const megabyte = 1_000_000;

/** Data sets of a million rows: brought here page by page, and run from end to end. */
export async function largeDatasets(bench: DatasetBench): Promise<Row[]> {
  return [...(await bringing(bench)), ...(await running(bench))];
}

async function bringing({ quick }: DatasetBench): Promise<Row[]> {
  const rows = quick ? 100_000 : 1_000_000;
  const rounds = quick ? 3 : 1;
  const server = spawn(process.execPath, [script("rows-server.ts"), `${latencyMs}`, `${rows}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const url = await addressOf(server);
    const [bare, brought]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      bare.push((await timed(node("bare-pages.ts", url, rows))).seconds);
      brought.push((await timed(node("bring-pages.ts", url, rows))).seconds);
    }
    const seconds = median(brought);
    const { peakBytes } = await timed(node("bring-pages.ts", url, rows), { watched: true });
    return [
      atMost(1.3, {
        what: `bringing ${rows} rows here : a bare fetch of their pages`,
        ratio: seconds / median(bare),
        seen: `${seconds.toFixed(1)} s : ${median(bare).toFixed(1)} s, ${latencyMs} ms a page`,
      }),
      beside({
        what: "its memory",
        ratio: undefined,
        seen: `${Math.round(peakBytes / megabyte)} MB, Node with the sources' types taken out`,
      }),
    ];
  } finally {
    server.stdin?.end();
  }
}

async function running({ folder, cli, quick }: DatasetBench): Promise<Row[]> {
  const few = 10_000;
  const many = quick ? 100_000 : 1_000_000;
  const rounds = quick ? 1 : 3;
  const small: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) small.push(await runRows({ folder, cli }, few));
  const large = await runRows({ folder, cli }, many);
  const fewRate = few / median(small.map((each) => each.seconds));
  const manyRate = many / large.seconds;
  return [
    atMost(600, {
      what: `peak memory of ${many} rows in MB`,
      ratio: large.peakBytes / megabyte,
      seen: `replay, a Python grader, a mean; Node and Python together`,
    }),
    atMost(1.25, {
      what: `samples a second of ${few} rows : of ${many}`,
      ratio: fewRate / manyRate,
      seen: `${Math.round(fewRate)} : ${Math.round(manyRate)}`,
    }),
  ];
}

async function runRows(
  { folder, cli }: Pick<DatasetBench, "folder" | "cli">,
  rows: number,
): Promise<Measured> {
  const directory = join(folder, `rows-${rows}`);
  await mkdir(directory, { recursive: true });
  const out = createWriteStream(join(directory, "data.jsonl"));
  for (let i = 0; i < rows; i += 1) {
    if (!out.write(`${JSON.stringify(row(i))}\n`)) await once(out, "drain");
  }
  out.end();
  await finished(out);
  const suite = join(directory, "suite.json");
  await writeFile(suite, JSON.stringify(manifest));
  const argv = [process.execPath, cli, "run", suite, "--out", join(directory, "run"), "--quiet"];
  // All of them, so that the looking costs each as much.
  const measured = await timed(argv, { watched: true });
  await rm(directory, { recursive: true, force: true });
  return measured;
}

const manifest = {
  name: "rows",
  dataset: "data.jsonl",
  prompt_template: "What is {{q}}?",
  target_template: "{{a}}",
  grader: {
    type: "python",
    source:
      "def grade(sample, item):\n    return {'scores': {'right': float(sample['output_text'] == item['target'])}}\n",
  },
  metrics: [{ id: "right", aggregation: "mean", range: [0, 1], scale: "binary" }],
  candidates: {
    recorded: { replay: { file: "data.jsonl", output_field: "output", id_field: "id" } },
  },
  gate: { rules: [{ metric: "right", min: 0.1 }] },
};

function row(i: number): unknown {
  return { id: `case-${i}`, q: `${i} + ${i % 7}`, a: `${i + (i % 7)}`, output: `${i + (i % 8)}` };
}

function script(name: string): string {
  return join(import.meta.dirname, name);
}

function node(name: string, url: string, rows: number): readonly string[] {
  return [process.execPath, script(name), url, `${rows}`];
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the server has no output");
  const [chunk] = await once(stdout, "data");
  return String(chunk).trim();
}
