/** One line of the table: a folder of src/ (or a file in it, with `.ts`) and its allowed imports besides itself. */
export interface Layer {
  readonly name: string;
  readonly holds: string;
  readonly block: "ground" | "subjects" | "adapters" | "joint" | "doors";
  /** Names of other lines; "anything" for doors without a limit. */
  readonly imports: readonly string[] | "anything";
}

const ground = ["model", "base", "ledger", "stats"];
const subjects = [
  "manifest",
  "dataset",
  "results",
  "prompt",
  "extraction",
  "candidate",
  "grading",
  "gate",
  "report",
  "dialects",
];

/** The content of each subject, for the table. */
const subjectHolds: Readonly<Record<string, string>> = {
  manifest: "the manifest: its shape, its mistakes, the suite that it means",
  dataset: "rows of files and of data sets that are elsewhere; case ids",
  results: "result files of other tools, read into records",
  prompt: "templates, few-shot examples, what graders are given of a row",
  extraction: "the part of an answer that is graded",
  candidate: "what is judged: models, programs, HTTP apps, recordings",
  grading: "graders behind one port, and the models that they ask",
  gate: "a run, a baseline and rules to findings: codes and figures, no sentence",
  report:
    "findings to sentences (words), and these to markdown, terminal, JUnit, comment and check",
  dialects: "suites of other tools to manifests of our own, as data",
};

const joint: readonly (readonly [name: string, holds: string])[] = [
  ["tools.ts", "the interfaces of the adapters"],
  ["suite", "a manifest to an opened suite; the base's policy"],
  ["verdict", "summary, diagnosis, conclusion, pooled baselines, policy's decision"],
  ["plan", "noise, power, what can be detected, cost"],
  [
    "run",
    "samples, answers, batches; confirming, running the base, grading again, swapping, shards",
  ],
  ["runs", "run, merge, validate, plan: a run from outside"],
  ["analyse", "calibrate, compare, show, power, import, export"],
];

/**
 * The layers of src/: each line lists the lines that it may import. The linter's rules (oxlint.config.ts), `npm run
 * structure` and the table of docs/architecture.md are generated from it.
 */
export const layers: readonly Layer[] = [
  {
    name: "model",
    holds: "types, ports, kinds with their traits, problems and their texts",
    block: "ground",
    imports: [],
  },
  {
    name: "base",
    holds: "mechanisms without product words: JSON, lines, globs, work in order",
    block: "ground",
    imports: ["model"],
  },
  { name: "ledger", holds: "scores in columns", block: "ground", imports: ["model", "base"] },
  {
    name: "stats",
    holds: "distributions, tests, intervals, adjustments",
    block: "ground",
    imports: ["model", "base", "ledger"],
  },
  ...subjects.map((name): Layer => ({
    name,
    holds: subjectHolds[name] ?? "",
    block: "subjects",
    imports: ground,
  })),
  {
    name: "io",
    holds: "files, processes, network, git, secrets and their redaction",
    block: "adapters",
    imports: ["model", "base"],
  },
  {
    name: "store",
    holds: "run directories, journals, caches",
    block: "adapters",
    imports: ["model", "base", "ledger", "io"],
  },
  {
    name: "python-host",
    holds: "our side of python/regrade",
    block: "adapters",
    imports: ["model", "base", "io"],
  },
  {
    name: "mcp",
    holds: "servers of tools (Model Context Protocol) by the official SDK",
    block: "adapters",
    imports: ["model", "base", "io"],
  },
  ...joint.map(([name, holds], i): Layer => ({
    name,
    holds,
    block: "joint",
    imports: [...ground, ...subjects, ...joint.slice(0, i).map(([before]) => before)],
  })),
  {
    name: "wiring.ts",
    holds: "makes the tools of the adapters",
    block: "doors",
    imports: ["model", "base", "ledger", "io", "store", "python-host", "mcp", "tools.ts"],
  },
  ...["github", "cli"].map((name): Layer => ({
    name,
    holds: name === "cli" ? "the command line" : "the action, and all that it asks of GitHub",
    block: "doors",
    imports: [...ground, ...subjects, ...joint.map(([each]) => each), "wiring.ts"],
  })),
  ...["main.ts", "post.ts", "cli.ts", "ci-run.ts", "launch.ts", "launch-action.ts"].map(
    (name): Layer => ({
      name,
      holds: "an entry point",
      block: "doors",
      imports: "anything",
    }),
  ),
];

/** Blocks whose layers may use files, processes, the network and the clock. */
export const mayTouch: readonly Layer["block"][] = ["adapters", "doors"];

/** Modules whose import is an effect. */
export const effectModules = [
  "node:fs",
  "node:fs/promises",
  "node:child_process",
  "node:cluster",
  "node:dgram",
  "node:dns",
  "node:http",
  "node:http2",
  "node:https",
  "node:net",
  "node:os",
  "node:process",
  "node:tls",
  "node:worker_threads",
  "execa",
  "undici",
  "@actions/*",
  "@modelcontextprotocol/*",
];

/** Globals whose use is an effect. */
export const effectGlobals = ["process", "fetch", "setTimeout", "setInterval"];
