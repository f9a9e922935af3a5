import { isJsonObject, type JsonObject, jsonObjectIn } from "../model/json.ts";
import type { ModelCall, ModelCallEnd, ProgramModels } from "../model/ports/bridge.ts";

const helpers = ["responses_create", "embeddings_create"] as const;

export interface HostQuestion {
  readonly subject: string;
  /** Index within this execution, from 0. */
  readonly index: number;
  /** The question as the process with user code sent it, unchecked. */
  readonly question: string;
}

/** Answers a grader's question. Limits are checked here, because the grader's process may forge its own count. */
export async function answerQuestion(
  models: ProgramModels | undefined,
  { subject, index, question }: HostQuestion,
): Promise<ModelCallEnd> {
  if (models === undefined) return refused("this grader has no access to models");
  if (index >= models.maxCalls)
    return refused(
      `the grader has asked models as often as max_model_calls allows, ${models.maxCalls} times`,
    );
  const call = readCall(jsonObjectIn(question));
  if (call === undefined) return refused("the question is not one that ctx asks");
  return models.call({ subject, index, ...call });
}

function readCall(
  asked: JsonObject | undefined,
): Pick<ModelCall, "helper" | "request"> | undefined {
  const helper = helpers.find((known) => known === asked?.["helper"]);
  const request = asked?.["request"];
  return helper === undefined || !isJsonObject(request) ? undefined : { helper, request };
}

function refused(message: string): ModelCallEnd {
  return { kind: "refused", message };
}
