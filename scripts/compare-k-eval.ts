import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { startModels } from "./compare-k-eval/models.ts";

/**
 * Asks k-eval itself for what `regrade run config.yaml` says: the same config file, loopback models and MCP server.
 *
 *     python3.13 -m venv /tmp/k-eval && /tmp/k-eval/bin/pip install k-eval==1.2.1
 *     npm install --prefix /tmp/claude @anthropic-ai/claude-code@2.1.330
 *     node scripts/compare-k-eval.ts /tmp/k-eval/bin/k-eval /tmp/claude/node_modules/.bin/claude
 *
 * Means, deviations, claims and the fields of both exported files must be equal, but for what docs/k-eval.md names. Exits with 1
 * where they are not.
 */
async function compare(kEval: string, claude: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "compare-k-eval-"));
  const models = await startModels();
  try {
    await writeProject(folder, models.url);
    const env = environment({ folder, claude, url: models.url });
    await end(kEval, ["run", "config.yaml", "--output-dir", "theirs"], { folder, env });
    const cli = join(root, "dist", "cli.mjs");
    const run = ["run", "own.yaml", "--baseline", "none", "--out", "run", "--quiet"];
    await end(process.execPath, [cli, ...run], { folder, env });
    await end(process.execPath, [cli, "report", "run", "--as", "k-eval", "--out", "ours"], {
      folder,
      env,
    });
    const [theirs, ours] = [await read(join(folder, "theirs")), await read(join(folder, "ours"))];
    return tell(differences(theirs, ours), theirs);
  } finally {
    models.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const root = dirname(import.meta.dirname);

const config = `name: graph-value
version: "1"
dataset: { path: questions.jsonl, question_key: question, answer_key: answer }
agent: { type: claude_code_sdk, model: claude-sonnet-4-5 }
judge: { model: openai/judge, temperature: 0.0 }
mcp_servers:
  graph: { type: stdio, command: python3, args: [graph.py] }
conditions:
  with-graph: { mcp_servers: [graph], system_prompt: Use the graph., require_mcp_tool_use: true }
  baseline: { mcp_servers: [], system_prompt: Answer. }
execution:
  num_repetitions: 3
  max_concurrent: 1
  retry: { max_attempts: 2, initial_backoff_seconds: 1, backoff_multiplier: 2 }
`;

const server = `import json, sys

for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answers = {
        "initialize": {"protocolVersion": asked.get("params", {}).get("protocolVersion"), "capabilities": {"tools": {}},
                       "serverInfo": {"name": "graph", "version": "1"}},
        "tools/list": {"tools": [{"name": "lookup", "description": "Looks a question up.",
                                  "inputSchema": {"type": "object", "properties": {"question": {"type": "string"}}}}]},
        "tools/call": {"content": [{"type": "text", "text": "a fact"}]},
    }
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answers.get(asked["method"], {})}), flush=True)
`;

/** The same config file, with the judge at the loopback's address. */
function ownManifest(url: string): string {
  const providers = {
    local: { base_url: `${url}/v1`, api: "chat", api_key_env: "JUDGE_KEY" },
  };
  return JSON.stringify({ uses: "config.yaml", providers, run: { judge_model: "local:judge" } });
}

async function writeProject(folder: string, url: string): Promise<void> {
  const rows = [1, 2, 3].map((i) => ({ question: `Question ${i}?`, answer: `Answer ${i}.` }));
  await writeFile(join(folder, "config.yaml"), config);
  await writeFile(join(folder, "own.yaml"), ownManifest(url));
  await writeFile(join(folder, "graph.py"), server);
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  await writeFile(join(folder, "questions.jsonl"), lines);
  await mkdir(join(folder, "home"));
}

interface Place {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

function environment(at: { folder: string; claude: string; url: string }): NodeJS.ProcessEnv {
  return {
    PATH: [dirname(resolve(at.claude)), process.env["PATH"] ?? ""].join(delimiter),
    HOME: join(at.folder, "home"),
    // Claude Code refuses to run without questions as root unless this is set.
    IS_SANDBOX: "1",
    ANTHROPIC_BASE_URL: at.url,
    ANTHROPIC_API_KEY: "loopback",
    OPENAI_API_BASE: `${at.url}/v1`,
    OPENAI_API_KEY: "loopback",
    JUDGE_KEY: "loopback",
  };
}

/** Waits for a program that must succeed, while the models answer. */
async function end(program: string, args: readonly string[], at: Place): Promise<void> {
  await promisify(execFile)(program, args, { cwd: at.folder, env: at.env, timeout: 600_000 });
}

type Fields = Readonly<Record<string, unknown>>;

interface Written {
  readonly means: Fields;
  readonly lines: readonly Fields[];
}

async function read(folder: string): Promise<Written> {
  const names = await readdir(folder);
  const lines = names.find((name) => name.endsWith(".detailed.jsonl")) ?? "";
  const means = names.find((name) => name.endsWith(".json")) ?? "";
  const text = await readFile(join(folder, lines), "utf8");
  return {
    means: JSON.parse(await readFile(join(folder, means), "utf8")) as Fields,
    lines: text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Fields),
  };
}

/** Fields that differ from run to run, and those that docs/k-eval.md names. */
const own = new Set([
  "evaluation_id",
  "retrieved_timestamp",
  "evaluation_timestamp",
  "elapsed_seconds",
  "duration_ms",
  "cost_usd",
  "file_path",
  "version",
  "eval_library.name",
]);

function differences(theirs: Written, ours: Written): readonly string[] {
  return [
    ...differing("means", theirs.means, ours.means),
    ...differing("lines", sorted(theirs.lines), sorted(ours.lines)),
  ];
}

function sorted(lines: readonly Fields[]): readonly Fields[] {
  const key = ({ evaluation_name, sample_idx }: Fields): string =>
    JSON.stringify([evaluation_name, sample_idx]);
  return lines.map(inOrderOfAnswers).toSorted((a, b) => key(a).localeCompare(key(b)));
}

interface Repetition {
  readonly repetition_index: number;
  readonly agent_response?: string;
}

/**
 * A line with its repetitions sorted by answer: the model gives a different answer each time, so that their order is
 * chance.
 */
function inOrderOfAnswers(line: Fields): Fields {
  const runs = line["run_details"] as readonly Required<Repetition>[];
  const answers = runs.map((run) => run.agent_response).toSorted();
  const places = new Map(
    runs.map((run) => [run.repetition_index, answers.indexOf(run.agent_response)]),
  );
  const moved = (each: Repetition): Repetition => ({
    ...each,
    repetition_index: places.get(each.repetition_index) ?? -1,
  });
  const inOrder = (list: unknown): readonly Repetition[] =>
    (list as readonly Repetition[])
      .map(moved)
      .toSorted((a, b) => a.repetition_index - b.repetition_index);
  const evaluation = line["evaluation"] as { readonly details: Fields };
  const claims = evaluation.details["unverified_claims"] as readonly string[];
  const details = { ...evaluation.details, unverified_claims: claims.toSorted() };
  return {
    ...line,
    output: { ...(line["output"] as object), raw: answers[0] },
    run_details: inOrder(runs),
    answer_attribution: inOrder(line["answer_attribution"]),
    evaluation: { ...evaluation, details },
  };
}

function differing(path: string, theirs: unknown, ours: unknown): readonly string[] {
  if (own.has(path.split(".").at(-1) ?? "") || own.has(path.split(".").slice(-2).join(".")))
    return [];
  if (isObject(theirs) && isObject(ours)) {
    const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    return [...keys].flatMap((key) => differing(`${path}.${key}`, theirs[key], ours[key]));
  }
  if (typeof theirs === "number" && typeof ours === "number" && Math.abs(theirs - ours) < 1e-9)
    return [];
  if (JSON.stringify(theirs) === JSON.stringify(ours)) return [];
  return [`${path}: k-eval ${JSON.stringify(theirs)}, Regrade ${JSON.stringify(ours)}`];
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function tell(found: readonly string[], { lines }: Written): number {
  for (const each of found) console.log(each);
  console.log(`${lines.length} lines compared, ${found.length} differences`);
  return found.length === 0 && lines.length > 0 ? 0 : 1;
}

const [kEval = "k-eval", claude = "claude"] = process.argv.slice(2);
process.exitCode = await compare(kEval, claude);
