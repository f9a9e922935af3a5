import { problem, type Problem } from "../domain/refusal.ts";
import type { Verdict } from "../domain/run.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
export type SandboxMode = "auto" | "required" | "off";

/** The action's inputs, read: what a run of the action needs to know. */
export interface Settings {
  /** Paths or globs, relative to `workingDirectory`. Never empty. */
  readonly suites: readonly string[];
  /** undefined: what the manifest says. */
  readonly baseline: BaselineChoice | undefined;
  readonly failOn: readonly Verdict[];
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  /** A command or a path. */
  readonly python: string;
  readonly sandbox: SandboxMode;
  readonly cache: boolean;
  readonly retentionDays: number;
  readonly workingDirectory: string;
}

export type BaselineChoice =
  | { readonly kind: "none" }
  | { readonly kind: "path"; readonly path: string };

export type ReadInputs =
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

interface Read<T> {
  readonly value: T;
  readonly problems: readonly Problem[];
}

const verdictsThatMayFail = ["fail", "error", "inconclusive", "neutral"] as const;
const sandboxModes = ["auto", "required", "off"] as const;

/** GitHub's own upper limit, of private repositories; public ones end at 90 days. */
const longestRetentionDays = 400;

/**
 * Reads the inputs, all their problems at once. `env` has them as the runner hands them over:
 * `INPUT_` and the name in capitals, hyphens kept. An empty input counts as its default, so that
 * `fail-on: ${{ vars.UNSET }}` can't switch the gate off.
 */
export function readInputs(env: Environment, platform: string = process.platform): ReadInputs {
  const failOn = readFailOn(input(env, "fail-on"));
  const sandbox = readWord(env, "sandbox", sandboxModes);
  const cache = readWord(env, "cache", ["true", "false"]);
  const retentionDays = readRetentionDays(input(env, "retention-days"));
  const baseline = readBaseline(input(env, "baseline"));
  const problems = [failOn, sandbox, cache, retentionDays, baseline].flatMap(
    (read) => read.problems,
  );
  if (problems.length > 0) return { kind: "problems", problems };
  const suites = splitList(input(env, "suite"));
  const settings: Settings = {
    suites: suites.length > 0 ? suites : ["evals/*.{yaml,yml,json}"],
    baseline: baseline.value,
    failOn: failOn.value,
    candidates: splitList(input(env, "candidates")),
    tasks: splitList(input(env, "tasks")),
    python: input(env, "python") || (platform === "win32" ? "python" : "python3"),
    sandbox: sandbox.value,
    cache: cache.value === "true",
    retentionDays: retentionDays.value,
    workingDirectory: input(env, "working-directory") || ".",
  };
  return { kind: "settings", settings };
}

function input(env: Environment, name: string): string {
  return (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

function readFailOn(text: string): Read<readonly Verdict[]> {
  const words = splitList(text);
  if (words.length === 0) return { value: ["fail", "error"], problems: [] };
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

/** One of a few words; the first is the default. */
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

function readRetentionDays(text: string): Read<number> {
  if (text === "") return { value: 14, problems: [] };
  const value = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= longestRetentionDays) return { value, problems: [] };
  const details = { input: "retention-days", found: text, min: 1, max: longestRetentionDays };
  return { value: 14, problems: [problem("input_not_a_number", details)] };
}

function readBaseline(text: string): Read<BaselineChoice | undefined> {
  if (text === "") return { value: undefined, problems: [] };
  if (text === "none") return { value: { kind: "none" }, problems: [] };
  if (text === "auto")
    return { value: undefined, problems: [problem("input_baseline_auto", undefined)] };
  return { value: { kind: "path", path: text }, problems: [] };
}

/** Splits at commas and new lines, but not within the braces of a glob: `a/*.{yaml,yml}, b.json`. */
export function splitList(text: string): readonly string[] {
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
