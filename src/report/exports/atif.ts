import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import { isAgentic } from "../../model/models/session.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import { type ExportedFile, type ExportedRun, singleText } from "./exported.ts";

/**
 * Writes the samples of agents as trajectories of ATIF 1.7, one per file; `replay: {path, format: atif}` reads them
 * again.
 */
export async function* atifFiles({ run, samples }: ExportedRun): AsyncGenerator<ExportedFile> {
  const several = run.candidates.length > 1;
  for await (const sample of samples()) {
    if (!isAgentic(sample.transcript)) continue;
    const name = `${several ? `${fileWord(sample.model)}/` : ""}${nameOf(sample)}.json`;
    yield { name, pieces: singleText(`${JSON.stringify(trajectoryOf(sample), null, 2)}\n`) };
  }
}

/** The file's name includes the sample's id, because two cases' names may be alike once they are cut for a file. */
function nameOf({ task_id, case_id, repeat, id }: Sample): string {
  return fileWord(`${task_id}_${case_id.slice(0, 80)}_${repeat}_${id.slice(-8)}`);
}

function fileWord(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, "_");
}

function trajectoryOf(sample: Sample): JsonObject {
  const { id, model, usage, transcript, error } = sample;
  const session = (transcript ?? []).find(({ type }) => type === "session") ?? {};
  const steps = stepsOf(sample).map((step, i) => Object.assign({ step_id: i + 1 }, step));
  const { case_id, task_id, repeat, latency_ms, workspace } = sample;
  const failure = error?.stage === "generate" ? { error: { ...error } } : {};
  return {
    schema_version: "ATIF-v1.7",
    session_id: id,
    agent: {
      name: textIn(session, "runtime") ?? model,
      version: textIn(session, "version") ?? "unknown",
      ...fieldUnlessAbsent("model_name", textIn(session, "model")),
    },
    steps,
    final_metrics: {
      ...(usage && {
        total_prompt_tokens: usage.input_tokens,
        total_completion_tokens: usage.output_tokens,
        total_cached_tokens: usage.cached_tokens,
        ...(usage.usd !== null && { total_cost_usd: usage.usd }),
      }),
      total_steps: steps.length,
    },
    extra: {
      case_id,
      task_id,
      repeat,
      latency_ms: Math.round(latency_ms ?? 0),
      ...(workspace && { workspace }),
      ...failure,
    },
  };
}

/** The steps of a sample: the prompt, then each turn with its calls and their results, then the answer. */
function stepsOf({ prompt, transcript, output_text: answer }: Sample): readonly JsonObject[] {
  const steps: JsonObject[] = [{ source: "user", message: prompt }];
  let turn = noTurn;
  const close = (): void => {
    if (turn.length > 0) steps.push(agentStep(turn));
    turn = noTurn;
  };
  for (const entry of transcript ?? []) {
    const { type, role } = entry;
    if (type === "message" && role === "user") {
      close();
      steps.push({ source: "user", message: textIn(entry, "text") ?? "" });
    } else if (isOwn(entry)) {
      if (turn.some((each) => each["type"] === "tool_result")) close();
      turn = [...turn, entry];
    } else if (type === "tool_result" || type === "skill") turn = [...turn, entry];
  }
  if (answer !== null) {
    const isSilent = turn.every(({ type }) => type === "reasoning" || type === "skill");
    if (!isSilent) close();
    turn = [...turn, { type: "message", role: "assistant", text: answer }];
  }
  close();
  return steps;
}

const noTurn: Transcript = [];

function isOwn({ type = null, role }: JsonObject): boolean {
  return own.includes(type) || (type === "message" && role === "assistant");
}

/** Kinds of entries that belong to an agent's turn besides its messages. */
const own: readonly Json[] = ["reasoning", "tool_call"];

function agentStep(turn: Transcript): JsonObject {
  const of = (kind: string): Transcript => turn.filter(({ type }) => type === kind);
  const said = of("message").map((entry) => textIn(entry, "text") ?? "");
  const thought = of("reasoning").map((entry) => textIn(entry, "text") ?? "");
  const calls = of("tool_call").map(({ id = null, name = "", arguments: given = {} }) => ({
    tool_call_id: id,
    function_name: name,
    arguments: isJsonObject(given) ? given : { value: given },
  }));
  const results = of("tool_result");
  const failed = results.flatMap(({ id = null, is_error }) => (is_error === true ? [id] : []));
  return {
    source: "agent",
    message: said.join("\n"),
    ...(thought.length > 0 && { reasoning_content: thought.join("\n") }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(results.length > 0 && { observation: { results: results.map(resultOf) } }),
    extra: {
      failed_calls: failed,
      skills: of("skill").map((entry) => textIn(entry, "name") ?? ""),
    },
  };
}

function resultOf({ id = null, output = null }: JsonObject): JsonObject {
  return {
    source_call_id: id,
    content: typeof output === "string" ? output : JSON.stringify(output),
  };
}

function textIn(entry: JsonObject, key: string): string | undefined {
  const value = entry[key];
  return typeof value === "string" ? value : undefined;
}

function fieldUnlessAbsent(key: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}
