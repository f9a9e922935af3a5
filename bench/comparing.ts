import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Run } from "../src/model/outcomes/run.ts";
import { median } from "./measure.ts";
import { atMost, beside, type Row } from "./table.ts";

const run = promisify(execFile);

interface Asked {
  readonly folder: string;
  readonly cli: string;
  readonly quick: boolean;
}

/** Resources of one process, independent of other load on the machine. */
interface Taken {
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

/**
 * `regrade compare` on two runs of a million samples, against a script that reads and parses both files line by line and keeps
 * nothing. Processor time, in turns: the machine may be shared.
 */
export async function comparing({ folder, cli, quick }: Asked): Promise<Row[]> {
  const samples = quick ? 100_000 : 1_000_000;
  const [base, head] = [join(folder, "compared-base"), join(folder, "compared-head")];
  await makeRuns({ folder, cli, samples }, [base, head]);
  const bare = join(import.meta.dirname, "bare-lines.ts");
  const [ours, theirs]: [Taken[], Taken[]] = [[], []];
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    theirs.push(await taken([bare, join(base, "scores.jsonl"), join(head, "scores.jsonl")]));
    ours.push(await taken([cli, "compare", base, head, "--json"]));
  }
  await Promise.all([base, head].map((each) => rm(each, { recursive: true })));
  const seconds = (all: readonly Taken[]): number => median(all.map((each) => each.cpuSeconds));
  const megabytes = (all: readonly Taken[]): number =>
    median(all.map((each) => each.peakMegabytes));
  const count = samples.toLocaleString("en-US");
  return [
    atMost(3, {
      what: `regrade compare on two runs of ${count} samples : reading and parsing both files`,
      ratio: seconds(ours) / seconds(theirs),
      seen: `${seconds(ours).toFixed(1)} s : ${seconds(theirs).toFixed(1)} s of processor time`,
    }),
    beside({
      what: "its memory, bytes a sample of both sides",
      ratio: (megabytes(ours) * 1e6) / (2 * samples),
      seen: `${Math.round(megabytes(ours))} MB`,
    }),
  ];
}

const tellUsage =
  "data:text/javascript,process.on('exit',()=>{const {userCPUTime:u,systemCPUTime:s,maxRSS:m}=process.resourceUsage();process.stderr.write('\\nTAKEN '+JSON.stringify([(u+s)/1e6,m/1e3]))})";

/** The verdict of the comparison, whichever it is, is none of ours. */
async function taken(argv: readonly string[]): Promise<Taken> {
  const ended = await run(process.execPath, ["--import", tellUsage, ...argv], {
    maxBuffer: 1 << 26,
  }).catch((error: unknown) => error as { readonly stderr: string });
  const found = /TAKEN (\[.*\])/.exec(ended.stderr)?.[1];
  if (found === undefined) throw new Error(`${argv.join(" ")}: ${ended.stderr}`);
  const [cpuSeconds = 0, peakMegabytes = 0] = JSON.parse(found) as number[];
  return { cpuSeconds, peakMegabytes };
}

/** Two runs that differ from those of a small suite only in their size. */
async function makeRuns(
  { folder, cli, samples }: Pick<Asked, "folder" | "cli"> & { readonly samples: number },
  directories: readonly string[],
): Promise<void> {
  const small = join(folder, "compared-small");
  await mkdir(small, { recursive: true });
  const suite = {
    name: "large",
    dataset: "data.jsonl",
    prompt_template: "{{q}}",
    target_template: "{{a}}",
    grader: "exact_match",
    candidates: { app: { replay: "outputs.jsonl" } },
  };
  await writeFile(join(small, "suite.yaml"), JSON.stringify(suite));
  await writeFile(join(small, "data.jsonl"), '{"id":"c","q":"?","a":"!"}\n');
  await writeFile(join(small, "outputs.jsonl"), '{"case_id":"c","output_text":"!"}\n');
  const out = join(small, "out");
  const argv = ["run", join(small, "suite.yaml"), "--baseline", "none", "--out", out, "--quiet"];
  await run(process.execPath, [cli, ...argv]);
  const made = JSON.parse(await readFile(join(out, "run.json"), "utf8")) as Run;
  for (const [i, directory] of directories.entries()) {
    await mkdir(directory, { recursive: true });
    const request_counts = { total: samples, completed: samples, failed: 0 };
    const text = JSON.stringify({ ...made, id: `run_${i}`, request_counts });
    await writeFile(join(directory, "run.json"), text);
    await writeScores(join(directory, "scores.jsonl"), samples, i);
  }
}

/** Nine of ten are right, and one of twenty differs between the sides. */
async function writeScores(path: string, samples: number, side: number): Promise<void> {
  const file = createWriteStream(path);
  for (let i = 0; i < samples; i += 1) {
    const content = createHash("sha256").update(String(i)).digest("hex").slice(0, 16);
    const isRight = i % 10 !== 0 && (side === 0 || i % 40 !== 1);
    const row = {
      task: "large",
      case_id: `case-${i}`,
      content,
      candidate: "app",
      repeat: 0,
      outcome: "scored",
      scores: { exact_match: isRight ? 1 : 0 },
      cluster: null,
      slices: {},
    };
    if (!file.write(`${JSON.stringify(row)}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}
