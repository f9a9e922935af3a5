import { problem, type Problem } from "../../model/refusal.ts";
import type { ResultsAsked } from "../../model/results.ts";
import type { Overrides } from "../../model/definition/overrides.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";
import { mostShards, readShard, type ShardChoice } from "../../model/outcomes/shard.ts";
import { commentModes, type CommentMode } from "./comment-mode.ts";
import { readOverrideInputs } from "./override-inputs.ts";
import { readResultsInputs } from "./results-inputs.ts";
import type { Environment } from "../../model/ports/processes.ts";

type SandboxMode = "auto" | "required" | "off";

/** `run` judges suites; `merge` judges the shards of a matrix; `report` judges a fork's outputs. */
type Mode = "run" | "merge" | "report";
/** `auto` says nothing if the permission is missing; `true` warns. */
export type CheckRunMode = "auto" | "true" | "false";

/** Parsed inputs of the action. */
export interface Settings {
  readonly mode: Mode;
  /** Empty: GitHub's API is not used. */
  readonly token: string;
  readonly comment: CommentMode;
  readonly checkRun: CheckRunMode;
  /** Paths or globs, relative to `workingDirectory`. Never empty. */
  readonly suites: readonly string[];
  /** undefined: the manifest decides. */
  readonly baseline: BaselineChoice | undefined;
  /** `auto`: the base commit's policy if a change is judged; `none`; else a git ref or a folder. */
  readonly policyFrom: string;
  readonly failOn: readonly Verdict[];
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  /** Cases per task; undefined: the manifest decides. */
  readonly maxSamples: number | undefined;
  /** Values that replace the manifest's; undefined: the manifest decides. */
  readonly overrides: Overrides | undefined;
  /** The shard that this job runs; undefined: everything. */
  readonly shard: ShardChoice | undefined;
  /** Skips suites that the change does not touch. */
  readonly changedOnly: boolean;
  /** Refuses suites with likely mistakes. */
  readonly strict: boolean;
  /** A command or a path. */
  readonly python: string;
  readonly sandbox: SandboxMode;
  readonly cache: boolean;
  /** A folder, relative to the working directory; empty: the user's own cache folder. */
  readonly cachePath: string;
  readonly retentionDays: number | undefined;
  /** Makes a page of each run and uploads it. */
  readonly report: boolean;
  readonly workingDirectory: string;
  /** Results of another tool, which are judged instead of suites. */
  readonly results: ResultsAsked | undefined;
}

type BaselineChoice =
  | { readonly kind: "none" }
  /** A baseline is searched among the runs of the base branch. */
  | { readonly kind: "auto" }
  | { readonly kind: "path"; readonly path: string };

type ReadInputs =
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

interface Read<T> {
  readonly value: T;
  readonly problems: readonly Problem[];
}

const verdictsThatMayFail = ["fail", "error", "inconclusive", "neutral"] as const;
const modes = ["run", "merge", "report"] as const;
const checkRunModes = ["auto", "true", "false"] as const;
const sandboxModes = ["auto", "required", "off"] as const;

/** GitHub's upper limit for private repositories; for public ones it is 90 days. */
const retention = { input: "retention-days", min: 1, max: 400 };
/** Limit of `max-samples`; no data set may have more rows. */
const mostSamples = 1_000_000;

/**
 * Reads the inputs, and reports all their problems at once. `env` has them as the runner passes them: `INPUT_` followed
 * by the name in capitals, with its hyphens. An empty input counts as its default, so that `fail-on: ${{ vars.UNSET }}`
 * can't switch the gate off.
 */
export function readInputs(env: Environment, platform: string = process.platform): ReadInputs {
  const failOn = readFailOn(input(env, "fail-on"));
  const sandbox = readWord(env, "sandbox", sandboxModes);
  const cache = readWord(env, "cache", ["true", "false"]);
  const retentionDays = readNumber(env, retention);
  const maxSamples = readNumber(env, { input: "max-samples", min: 1, max: mostSamples });
  const mode = readWord(env, "mode", modes);
  const comment = readWord(env, "comment", commentModes);
  const checkRun = readCheckRun(env, mode.value);
  const shard = readShardInput(input(env, "shard"), mode.value);
  const report = readWord(env, "report", ["true", "false"]);
  const changedOnly = readWord(env, "changed-only", ["false", "true"]);
  const strict = readWord(env, "strict", ["false", "true"]);
  const reading = { read: (name: string) => input(env, name), split: splitList };
  const overrides = readOverrideInputs(reading);
  const results = readResultsInputs({ ...reading, usualSuites });
  const words = [mode, comment, checkRun, failOn, sandbox, cache, report, changedOnly, strict];
  const all = [...words, retentionDays, maxSamples, overrides, shard, results];
  const problems = all.flatMap((read) => read.problems);
  if (problems.length > 0) return { kind: "problems", problems };
  const suites = splitList(input(env, "suite"));
  const settings: Settings = {
    mode: mode.value,
    token: input(env, "token"),
    // A shard writes nothing on the pull request; the merging job does.
    comment: shard.value === undefined ? comment.value : "never",
    checkRun: shard.value === undefined ? checkRun.value : "false",
    suites: suites.length > 0 ? suites : [usualSuites],
    baseline: readBaseline(input(env, "baseline")),
    policyFrom: input(env, "policy-from") || "auto",
    failOn: failOn.value.filter((verdict) => !shard.value || verdict !== "neutral"),
    candidates: splitList(input(env, "candidates")),
    tasks: splitList(input(env, "tasks")),
    maxSamples: maxSamples.value,
    overrides: overrides.value,
    shard: shard.value,
    changedOnly: changedOnly.value === "true",
    strict: strict.value === "true",
    python: input(env, "python") || (platform === "win32" ? "python" : "python3"),
    sandbox: sandbox.value,
    cache: cache.value === "true",
    cachePath: input(env, "cache-path"),
    retentionDays: retentionDays.value,
    report: report.value === "true",
    workingDirectory: input(env, "working-directory") || ".",
    results: results.value,
  };
  return { kind: "settings", settings };
}

const usualSuites = "evals/*.{yaml,yml,json}";

function input(env: Environment, name: string): string {
  return (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/** The default of `fail-on`. A gate fails closed: an undecided result is no pass. */
const failOnByDefault = ["fail", "error", "inconclusive"] as const;

function readFailOn(text: string): Read<readonly Verdict[]> {
  const words = splitList(text);
  if (words.length === 0) return { value: failOnByDefault, problems: [] };
  if (words.length === 1 && words[0] === "never") return { value: [], problems: [] };
  const known = verdictsThatMayFail.filter((verdict) => words.includes(verdict));
  const unknown = words.filter((word) => known.every((verdict) => verdict !== word));
  const allowed = [...verdictsThatMayFail, "or never alone"];
  return {
    value: known,
    problems: unknown.map((found) =>
      problem("input_unknown_word", { input: "fail-on", found, allowed }),
    ),
  };
}

/**
 * The mode for check runs. A report's verdict is its check, so the check is then always written, and its failure is
 * reported.
 */
function readCheckRun(env: Environment, mode: Settings["mode"]): Read<CheckRunMode> {
  const read = readWord(env, "check-run", checkRunModes);
  if (mode !== "report") return read;
  const problems = read.value === "false" ? [problem("report_without_check", undefined)] : [];
  return { value: "true", problems: [...read.problems, ...problems] };
}

/** Reads one of a few words; the first is the default. */
function readWord<Word extends string>(
  env: Environment,
  name: string,
  allowed: readonly [Word, ...Word[]],
): Read<Word> {
  const [usual] = allowed;
  const text = input(env, name);
  const found = allowed.find((word) => word === (text || usual));
  if (found !== undefined) return { value: found, problems: [] };
  const details = { input: name, found: text, allowed };
  return { value: usual, problems: [problem("input_unknown_word", details)] };
}

/** Reads a whole number; undefined if the input is empty. */
function readNumber(
  env: Environment,
  asked: { readonly input: string; readonly min: number; readonly max: number },
): Read<number | undefined> {
  const found = input(env, asked.input);
  if (found === "") return { value: undefined, problems: [] };
  const value = /^\d{1,7}$/.test(found) ? Number(found) : 0;
  if (value >= asked.min && value <= asked.max) return { value, problems: [] };
  return { value: undefined, problems: [problem("input_not_a_number", { ...asked, found })] };
}

function readShardInput(text: string, mode: Mode): Read<ShardChoice | undefined> {
  if (text === "") return { value: undefined, problems: [] };
  const value = readShard(text);
  const found = { name: "the input 'shard'", found: text, most: mostShards };
  if (value === undefined) return { value, problems: [problem("shard_invalid", found)] };
  if (mode === "run") return { value, problems: [] };
  return { value, problems: [problem("shard_and_mode", { mode })] };
}

function readBaseline(text: string): BaselineChoice | undefined {
  if (text === "") return undefined;
  if (text === "none" || text === "auto") return { kind: text };
  return { kind: "path", path: text };
}

/** Splits at commas and new lines, but not within the braces of a glob: `a/*.{yaml,yml}, b.json`. */
function splitList(text: string): readonly string[] {
  const items: string[] = [];
  let item = "";
  let depth = 0;
  for (const character of text) {
    if (character === "{") depth += 1;
    if (character === "}") depth = Math.max(0, depth - 1);
    const ends = character === "\n" || (character === "," && depth === 0);
    if (ends) {
      items.push(item);
      depth = 0;
    }
    item = ends ? "" : item + character;
  }
  return [...items, item].map((one) => one.trim()).filter((one) => one !== "");
}
