import { readUsage } from "../answer-fields.ts";
import { nestedIn, nestedList, outputText, serverOf, wholeIn, wordsIn } from "../agent/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Generated } from "../../model/models/candidate.ts";
import type { Usage } from "../../model/outcomes/sample.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import { readWorkspace } from "../../model/ports/workspace.ts";

/** A trajectory as an answer with its case, or the reason why it is none. */
type Read =
  | {
      readonly caseId: string | undefined;
      readonly repeat: number | undefined;
      readonly generated: Generated;
    }
  | { readonly reason: string };

/**
 * Reads a trajectory of ATIF (Agent Trajectory Interchange Format) 1.0 to 1.7. A file that Regrade wrote has its case
 * in `extra`.
 */
export function readTrajectory(value: Json): Read {
  if (!isJsonObject(value)) return { reason: "it is no JSON object" };
  const version = wordsIn(value, "schema_version") ?? "";
  if (!/^ATIF-v1\.\d+$/.test(version)) return { reason: "its schema_version is not ATIF-v1.…" };
  if (!Array.isArray(value["steps"])) return { reason: "it has no list of steps" };
  const steps = nestedList(value, "steps").filter((step) => step["is_copied_context"] !== true);
  const extra = nestedIn(value, "extra") ?? {};
  return {
    caseId: wordsIn(extra, "case_id"),
    repeat: wholeIn(extra, "repeat"),
    generated: generatedOf(value, steps, extra),
  };
}

function generatedOf(
  trajectory: JsonObject,
  steps: readonly JsonObject[],
  extra: JsonObject,
): Generated {
  const usage = usageOf(trajectory, steps);
  const workspace = readWorkspace(extra["workspace"]);
  const transcript = transcriptOf(trajectory, steps, usage);
  const left = { transcript, responseId: null, ...(workspace && { workspace }) };
  const error = nestedIn(extra, "error");
  if (error !== undefined) {
    const kind = error["fault"] === "candidate" ? "failed" : "unavailable";
    const message = `as recorded: ${wordsIn(error, "message") ?? "it failed"}`;
    const type = wordsIn(error, "type") ?? "recorded_failure";
    return { kind, type, message, ...left, ...(usage && { usage }) };
  }
  const said = steps.findLast((step) => step["source"] === "agent" && textOf(step) !== "");
  if (said === undefined) {
    const message = "its trajectory has no word of the agent";
    return { kind: "failed", type: "no_result", message, ...left, ...(usage && { usage }) };
  }
  const tookMs = wholeIn(extra, "latency_ms") ?? durationOf(steps);
  return {
    kind: "answered",
    outputText: textOf(said),
    incomplete: false,
    usage,
    ...left,
    ...(tookMs !== undefined && { tookMs }),
  };
}

/** A message as text; it is a text or a list of parts. */
function textOf({ message = null }: JsonObject): string {
  return outputText(message);
}

function transcriptOf(
  trajectory: JsonObject,
  steps: readonly JsonObject[],
  usage: Usage | null,
): Transcript {
  const agent = nestedIn(trajectory, "agent") ?? {};
  const { name = null, version = null, model_name: model = null } = agent;
  const answer = steps.findLastIndex((step) => step["source"] === "agent" && textOf(step) !== "");
  const prompt = steps.findIndex((step) => step["source"] === "user");
  const entries = steps.flatMap((step, i) =>
    stepEntries(step, { isAnswer: i === answer, isPrompt: i === prompt }),
  );
  const turns = steps.filter((step) => step["source"] === "agent").length;
  const took = durationOf(steps);
  const usd = usage?.usd ?? null;
  const end = {
    type: "end",
    reason: "completed",
    turns,
    ...(took !== undefined && { duration_ms: took }),
    ...(usd !== null && { usd }),
  };
  return [{ type: "session", runtime: name, version, model }, ...entries, end];
}

/** Transcript entries of a step. The final answer (the sample's output) and the question (the prompt) are left out. */
function stepEntries(
  step: JsonObject,
  { isAnswer, isPrompt }: { readonly isAnswer: boolean; readonly isPrompt: boolean },
): Transcript {
  const text = textOf(step);
  if (step["source"] === "user") return isPrompt ? [] : [{ type: "message", role: "user", text }];
  if (step["source"] !== "agent") return [];
  const reasoning = wordsIn(step, "reasoning_content");
  return [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", text: reasoning }]),
    ...(text === "" || isAnswer ? [] : [{ type: "message", role: "assistant", text }]),
    ...nestedList(step, "tool_calls").flatMap(callEntries),
    ...skillEntries(step),
    ...resultEntries(step),
  ];
}

const skillTools = ["Skill", "skill", "activate_skill"];

function callEntries(call: JsonObject): Transcript {
  const { tool_call_id: id = null, arguments: given = {} } = call;
  const name = wordsIn(call, "function_name") ?? "";
  return [{ type: "tool_call", id, name, arguments: given, ...serverOf(name) }];
}

/** Entries for the skills that the step names; if it names none, for those that it calls. */
function skillEntries(step: JsonObject): Transcript {
  const named = nestedIn(step, "extra")?.["skills"];
  const skills = Array.isArray(named) ? named : nestedList(step, "tool_calls").flatMap(skillsOf);
  return skills.map((name) => ({ type: "skill", name }));
}

function skillsOf(call: JsonObject): readonly string[] {
  const given = call["arguments"] ?? null;
  const isSkill = skillTools.includes(wordsIn(call, "function_name") ?? "");
  if (!isSkill || !isJsonObject(given)) return [];
  const skill = wordsIn(given, "skill") ?? wordsIn(given, "name");
  return skill === undefined ? [] : [skill];
}

function resultEntries(step: JsonObject): Transcript {
  const failed = nestedIn(step, "extra")?.["failed_calls"];
  return nestedList(nestedIn(step, "observation") ?? {}, "results").map((result) => {
    const { source_call_id: id = null, content = null } = result;
    const hasFailed =
      nestedIn(result, "extra")?.["is_error"] === true ||
      (Array.isArray(failed) && failed.includes(id));
    const output = outputText(content);
    const entry = { type: "tool_result", id, output };
    return hasFailed ? Object.assign(entry, { is_error: true }) : entry;
  });
}

/** Time from the first step to the last; undefined if either has no time. */
function durationOf(steps: readonly JsonObject[]): number | undefined {
  const times = steps.map((step) => Date.parse(wordsIn(step, "timestamp") ?? ""));
  const known = times.filter((time) => !Number.isNaN(time));
  const [first, last] = [known.at(0), known.at(-1)];
  return first === undefined || last === undefined || known.length < 2 ? undefined : last - first;
}

/** Usage of the whole trajectory, else the sum of its steps. */
function usageOf(trajectory: JsonObject, steps: readonly JsonObject[]): Usage | null {
  const final = nestedIn(trajectory, "final_metrics") ?? {};
  const whole = readUsage({
    input_tokens: final["total_prompt_tokens"] ?? null,
    output_tokens: final["total_completion_tokens"] ?? null,
    cached_tokens: final["total_cached_tokens"] ?? null,
    usd: final["total_cost_usd"] ?? null,
  });
  if (whole !== null) return whole;
  const metrics = steps
    .map((step) => nestedIn(step, "metrics"))
    .filter((each) => each !== undefined);
  if (metrics.length === 0) return null;
  const sum = (key: string): number =>
    metrics.reduce<number>((total, each) => total + (wholeIn(each, key) ?? 0), 0);
  return {
    input_tokens: sum("prompt_tokens"),
    output_tokens: sum("completion_tokens"),
    cached_tokens: sum("cached_tokens"),
    reasoning_tokens: 0,
    usd: null,
  };
}
