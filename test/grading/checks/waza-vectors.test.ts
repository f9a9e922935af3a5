import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../src/model/json.ts";
import { agentSample, graded, sha256Of } from "./graded.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

/** waza's graders by the names of ours. */
const ours: Readonly<Record<string, string>> = {
  text: "text",
  file: "files",
  diff: "diff",
  behavior: "behavior",
  action_sequence: "sequence",
  skill_invocation: "skills",
  tool_constraint: "tool_constraint",
};

/** Where we differ on purpose, by the reason. */
const different: Readonly<Record<string, readonly string[]>> = {
  "a check that checks nothing is refused, and so are keys in another case": [
    "e2.text.config-key-names-are-case-insensitive",
    "e2.text.unknown-keys-ignored-auto-pass-silent-no-op",
  ],
  "a pattern that is none is refused before the run": [
    "e2.text.invalid-regex-not-match-reports-failure",
    "e2.file.invalid-regex-on-missing-file-is-reported-as-missing-not-invalid",
  ],
  "samples hold files, and no empty folders": [
    "e2.file.directory-satisfies-must-exist",
    "e2.file.must-not-exist-on-directory-fails",
    "e2.file.content-path-is-a-directory",
  ],
  "calls are counted, and named, by the transcript alone": [
    "e2.behavior.max-tool-calls-uses-tool-call-count-not-tools-used-length",
    "e2.tool_constraint.matches-tool-calls-only-not-tools-used",
  ],
  "the manifest's schema refuses it before these graders are opened": [
    "e2.action_sequence.via-create-invalid-mode",
    "e2.skill_invocation.mode-required-no-default",
    "e2.skill_invocation.action-sequence-mode-name-is-rejected",
    "e2.text.decode-integer-in-a-string-list-rejected",
    "e2.behavior.negative-limit",
    "e2.behavior.decode-float-limit-is-truncated",
  ],
  "0 is a limit": [
    "e2.behavior.explicit-zero-limit-means-not-configured",
    "e2.behavior.all-zero-is-constructor-error",
  ],
  "a snapshot that is not there, or out of the repository, is refused before the run": [
    "e2.diff.snapshot-relative-path-may-leave-context-dir-not-validated",
    "e2.diff.snapshot-file-missing-is-a-failed-check",
  ],
  "the words differ": ["e2.action_sequence.nil-session"],
  "the test can't tell files of before and after apart": [
    "e3.diff.captured-workspace-files-preferred-over-disk",
  ],
};

const differing = new Set(Object.values(different).flat());

interface Vector {
  readonly id: string;
  readonly era: string;
  readonly grader: string;
  readonly config: JsonObject | null;
  readonly input: JsonObject;
  readonly expected: JsonObject;
}

describe.skipIf(!existsSync(file))("waza's public vectors", () => {
  const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const fit = all.filter(({ era, grader }) => era !== "E0" && ours[grader] !== undefined);

  const same = fit.filter(({ id }) => !differing.has(id));

  it("are there", () => expect(same.length).toBeGreaterThan(200));

  it.each(same.map((vector) => [vector.id, vector] as const))("%s", async (_, vector) => {
    const { expected } = vector;
    const type = ours[vector.grader] ?? "";
    const told = await graded(type, optionsOf(vector), sampleOf(vector));
    if (expected["stage"] !== undefined) return expect(told).toHaveProperty("fault");
    if ("fault" in told) throw new Error(`refused: ${told.fault}`);
    const { score, passed, feedback } = expected;
    if (typeof score === "number") expect(told.scores[type]).toBeCloseTo(score, 9);
    if (typeof passed === "boolean") expect(told.scores["passed"]).toBe(passed ? 1 : 0);
    if (typeof feedback === "string") expect(told.judge["feedback"]).toBe(feedback);
  });
});

/** As the manifest's reader gives them: the hash in the place of a snapshot's path. */
function optionsOf({ grader, config, input }: Vector): JsonObject {
  const options: JsonObject = grader === "text" ? { ...config, answer: "whole" } : { ...config };
  const files = options["expected_files"];
  if (!Array.isArray(files)) return options;
  return { ...options, expected_files: files.map((entry) => withHash(entry, input)) };
}

function withHash(entry: Json, { context_files }: JsonObject): Json {
  if (!isJsonObject(entry) || typeof entry["snapshot"] !== "string") return entry;
  const path = entry["snapshot"];
  const content = isJsonObject(context_files) ? context_files[path] : undefined;
  const sha256 = typeof content === "string" ? sha256Of(content) : "none";
  return { ...entry, snapshot: { file: path, sha256 } };
}

function sampleOf({ grader, input }: Vector): JsonObject {
  const { output, session, skill_invocations: skills, workspace, duration_ms } = input;
  const text = typeof output === "string" ? output : "";
  if (grader === "text") return { output_text: text, extracted_output: text };
  const told: JsonObject = isJsonObject(session) ? session : {};
  const isUntold = !isJsonObject(session) && grader !== "skill_invocation";
  const found = agentSample({
    calls: callsOf(told),
    skills: textsOf(skills),
    usage: usageOf(told),
    latency_ms: typeof duration_ms === "number" ? duration_ms : 0,
    turns: numberOf(told["total_turns"]),
    ...(isJsonObject(workspace) && { files: filesOf(workspace) }),
  });
  const { transcript, ...rest } = found;
  return isUntold ? rest : { transcript: transcript ?? null, ...rest };
}

function callsOf({ tool_calls, tools_used, tool_call_count }: JsonObject): readonly {
  readonly name: string;
  readonly arguments: JsonObject;
}[] {
  if (Array.isArray(tool_calls) && tool_calls.length > 0)
    return tool_calls.filter(isJsonObject).map((call) => ({
      name: typeof call["name"] === "string" ? call["name"] : "",
      arguments: isJsonObject(call["arguments"]) ? call["arguments"] : {},
    }));
  const names = textsOf(tools_used);
  const more = Math.max(0, numberOf(tool_call_count) - names.length);
  return [...names, ...Array.from({ length: more }, () => "more")].map((name) => ({
    name,
    arguments: {},
  }));
}

function usageOf({ usage, tokens_total }: JsonObject): JsonObject {
  const { input_tokens = 0, output_tokens = 0 } = isJsonObject(usage) ? usage : {};
  if (typeof tokens_total === "number") return { input_tokens: tokens_total, output_tokens: 0 };
  return { input_tokens, output_tokens };
}

function filesOf({ files }: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(isJsonObject(files) ? files : {}).map(([path, text]) => [
      path,
      typeof text === "string" ? text : "",
    ]),
  );
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function numberOf(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}
