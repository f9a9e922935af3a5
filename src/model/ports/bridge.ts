import type { JsonObject } from "../json.ts";
import type { Usage } from "../outcomes/sample.ts";
import type { ModelRef } from "../definition/suite.ts";

// Models that graders ask, over the bridge

export interface ProgramModels {
  /** Calls of one execution at most. */
  readonly maxCalls: number;
  readonly call: CallModel;
}

/** Answers a grader's call. Never throws: a failure is an end, too. */
export type CallModel = (call: ModelCall) => Promise<ModelCallEnd>;

export interface ModelCall {
  /** The graded sample's id, or `task/candidate` for a batch. */
  readonly subject: string;
  /**
   * Index of the call within this execution, from 0. The n-th call of a subject is answered once, even if another process
   * asks again.
   */
  readonly index: number;
  readonly helper: "responses_create" | "embeddings_create";
  /** The request as the grader gave it: JSON that is not checked yet. */
  readonly request: JsonObject;
}

export type ModelCallEnd =
  /** The helper's return value. */
  | { readonly kind: "answered"; readonly response: JsonObject }
  /** A mistake of the grader, or a request that is not allowed: raised in Python with this message. */
  | { readonly kind: "refused"; readonly message: string }
  /**
   * Nobody's fault (quota, network, a stopped run): raised in Python too, and the sample is ungraded whatever `grade`
   * then returns.
   */
  | { readonly kind: "unavailable"; readonly type: string; readonly message: string };

/** Sends a grader's request with the run's key, retries, concurrency limit and budget. Never throws. */
export type AskModel = (ask: ModelAsk) => Promise<ModelReply>;

export interface ModelAsk {
  readonly model: ModelRef;
  readonly helper: ModelCall["helper"];
  /** The checked request, as the Responses or the Embeddings API defines it, without `model`. */
  readonly request: JsonObject;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

export type ModelReply =
  /**
   * `response`: in the form of the Responses API, with `output_text`, or of the Embeddings API, whatever the provider's
   * own form is.
   */
  | { readonly kind: "answered"; readonly response: JsonObject; readonly usage: Usage | null }
  /** The provider rejects this request, or its API can't express it. */
  | { readonly kind: "refused"; readonly message: string }
  /** `halted`: every further request would be unavailable too. */
  | { readonly kind: "unavailable" | "halted"; readonly type: string; readonly message: string };
