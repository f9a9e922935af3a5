import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BenchSuite } from "./make-suite.ts";
import { timed } from "./measure.ts";
import { beside, milliseconds, type Row } from "./table.ts";

const version = "0.121.20";
/** It brings some 900 packages. */
const installLimitMs = 10 * 60_000;
/** A Python grader takes it 50 ms a sample: so few are enough to see it. */
const pythonSamples = 200;

export interface Asked {
  readonly suite: BenchSuite;
  readonly samples: number;
  /** Seconds of the bare loop. */
  readonly ideal: number;
  readonly url: string;
  readonly model: string;
  readonly key: string;
  readonly inFlight: number;
}

/**
 * promptfoo at the same requests, installed from npm for the occasion: with a grader in JavaScript and with the one in
 * Python. If it can't be installed, a row says so.
 */
export async function promptfoo(
  { folder, quick }: { readonly folder: string; readonly quick: boolean },
  asked: Asked,
): Promise<readonly Row[]> {
  const home = join(folder, "promptfoo");
  if (quick) return [skipped("--quick leaves it out")];
  const problem = await install(home);
  if (problem !== undefined) return [skipped(`it could not be installed here: ${problem}`)];
  try {
    return await measure(home, asked);
  } catch (error) {
    // With many tests 0.121.20 sometimes ends in "write after end" after completing its work: a failed run is no
    // measurement.
    return [skipped(reasonOf(error))];
  }
}

async function measure(home: string, asked: Asked): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const start = (await evaluate(home, { ...asked, samples: 1, grader: "javascript" })).seconds;
  for (const grader of ["javascript", "python"] as const) {
    const samples = grader === "python" ? Math.min(pythonSamples, asked.samples) : asked.samples;
    const { seconds } = await evaluate(home, { ...asked, samples, grader });
    const ideal = (asked.ideal * samples) / asked.samples;
    rows.push(
      beside({
        what: `${samples} samples, 50 ms, a grader in ${grader}, promptfoo ${version} : the bare loop`,
        ratio: (seconds - start) / ideal,
        seen: `${milliseconds(seconds)} − ${milliseconds(start)} to start : ${milliseconds(ideal)}`,
      }),
    );
  }
  return rows;
}

function skipped(reason: string): Row {
  return beside({
    what: `promptfoo ${version}`,
    ratio: undefined,
    seen: `not measured (${reason})`,
  });
}

async function install(home: string): Promise<string | undefined> {
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "package.json"), '{ "private": true }\n');
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", `promptfoo@${version}`];
  try {
    await promisify(execFile)("npm", args, { cwd: home, timeout: installLimitMs });
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Its last line. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").at(-1) ?? text;
}

async function evaluate(
  home: string,
  asked: Omit<Asked, "ideal"> & { readonly grader: "javascript" | "python" },
): ReturnType<typeof timed> {
  const { suite, samples, url, model, key, inFlight, grader } = asked;
  const lines = (await readFile(suite.data, "utf8")).split("\n").filter(Boolean).slice(0, samples);
  const rows = lines.map((line) => JSON.parse(line) as { question: string; answer: string });
  const config = {
    prompts: ["Answer: {{question}}"],
    providers: [
      {
        id: `openai:chat:${model}`,
        config: { apiBaseUrl: url, apiKey: key, temperature: 0, max_tokens: 512 },
      },
    ],
    defaultTest: { assert: [{ type: grader, value: `file://${await writeGrader(home, grader)}` }] },
    tests: rows.map(({ question, answer }) => ({ vars: { question, answer } })),
  };
  const file = join(home, `promptfooconfig-${grader}.json`);
  await writeFile(file, JSON.stringify(config));
  const program = join(home, "node_modules", ".bin", "promptfoo");
  const flags = ["--no-cache", "--no-table", "--no-progress-bar", "--no-write"];
  // Not by its first line: the Node on the PATH may be another one.
  return timed([process.execPath, program, "eval", "-c", file, "-j", String(inFlight), ...flags], {
    directory: home,
    env: {
      PROMPTFOO_DISABLE_TELEMETRY: "1",
      PROMPTFOO_DISABLE_UPDATE: "1",
      PROMPTFOO_CONFIG_DIR: join(home, "config"),
    },
    // 100: some test failed, which does not matter here.
    codes: [0, 100],
    quiet: true,
  });
}

/** The bench's token F1, behind the names that promptfoo calls. */
async function writeGrader(home: string, grader: "javascript" | "python"): Promise<string> {
  const path = join(home, grader === "python" ? "grader.py" : "grader.js");
  if (grader === "javascript") {
    await writeFile(path, javascriptGrader);
    return path;
  }
  const ours = await readFile(join(import.meta.dirname, "token_f1.py"), "utf8");
  await writeFile(path, `${ours}${pythonEnd}`);
  return path;
}

const pythonEnd = `

def get_assert(output, context):
    scores = grade({"output_text": output}, context["vars"])["scores"]
    return {"pass": True, "score": scores["token_f1"], "reason": ""}
`;

const javascriptGrader = `const tokens = (text) => text.toLowerCase().match(/\\w+/g) ?? [];
module.exports = (output, { vars }) => {
  const [predicted, gold] = [tokens(output), tokens(vars.answer)];
  const left = new Map();
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of predicted) {
    const count = left.get(word) ?? 0;
    if (count > 0) common += 1;
    left.set(word, count - 1);
  }
  const score = common === 0 ? 0 : (2 * common) / (predicted.length + gold.length);
  return { pass: true, score, reason: "" };
};
`;
