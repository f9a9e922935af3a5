import type { AgentSpec } from "../models/agent.ts";
import type { AnswerSpec } from "../models/answer.ts";
import type { FenceWish } from "../ports/fence.ts";
import type { Json, JsonObject } from "../json.ts";
import type { BaseRecording } from "./recorded.ts";
import type { FileRef } from "./suite.ts";
import type { Provider } from "../models/providers.ts";

/** A program of the user's own. */
interface ProgramSpec {
  readonly id: string;
  /** undefined: it may use all files that the user may. */
  readonly fence?: FenceWish;
  /** Command that prepares a checkout of the base before this candidate runs there; undefined: it is not known how. */
  readonly setup?: readonly string[];
  /** Globs, relative to the manifest: files whose content the answers depend on. */
  readonly inputs: readonly string[];
  /** Names of environment variables to pass on. */
  readonly env: readonly string[];
  /** Row fields to pass on besides the prompt. */
  readonly pass: readonly string[];
  readonly timeout_seconds: number;
}

export type CandidateSpec =
  | AgentSpec
  | (ProgramSpec & { readonly kind: "command"; readonly command: readonly string[] })
  | {
      readonly id: string;
      readonly kind: "replay";
      /** A file of recordings, one per line; for trajectories (`format`) the folder that contains them. */
      readonly file: FileRef;
      readonly format?: "atif";
      /** The model whose lines are read if the file holds several. */
      readonly model: string | undefined;
      readonly output_field: string;
      readonly id_field: string;
      /** Cases for which the base has an answer, if a base judges: those of its recording, or all; undefined: unknown. */
      readonly answeredBefore?: BaseRecording | "all";
    }
  | {
      readonly id: string;
      readonly kind: "model";
      /** As the manifest has it: `openai:gpt-4.1-mini`. */
      readonly model: string;
      readonly provider: Provider;
      /** The model's name at its provider: `gpt-4.1-mini`. */
      readonly name: string;
      readonly generation: Generation;
    }
  | AnswerSpec
  | (ProgramSpec & { readonly kind: "worker"; readonly worker: readonly string[] })
  | {
      readonly id: string;
      readonly kind: "http";
      readonly url: string;
      readonly method: string;
      /**
       * Templates: they may use `{{prompt}}`, row fields that the prompt uses or `pass` names, and `{{env.NAME}}` for
       * names in `env`.
       */
      readonly headers: Readonly<Record<string, string>>;
      /** Every text in it is a template. undefined: no body. */
      readonly body: Json | undefined;
      /** A JSON pointer into the answer; "" is the whole body as text. */
      readonly output: string;
      /** A JSON pointer to the tool calls in the answer. */
      readonly tool_calls?: string;
      readonly inputs: readonly string[];
      readonly env: readonly string[];
      readonly pass: readonly string[];
      readonly timeout_seconds: number;
      readonly max_retries: number;
    };

/** Settings of model calls, with aliases resolved and defaults filled in. */
export interface Generation {
  readonly instructions?: string;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_output_tokens?: number;
  readonly stop?: readonly string[];
  readonly tools?: Json;
  readonly tool_choice?: Json;
  readonly parallel_tool_calls?: boolean;
  readonly max_tool_calls?: number;
  readonly reasoning?: Json;
  readonly text?: Json;
  readonly truncation?: string;
  readonly service_tier?: string;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly top_k?: number;
  readonly min_p?: number;
  readonly repetition_penalty?: number;
  readonly do_sample?: boolean;
  readonly extra_body?: JsonObject;
  readonly chat_template_kwargs?: JsonObject;
  readonly prefill_think?: Json;
  readonly use_cache?: boolean;
  readonly timeout_seconds: number;
  readonly max_retries: number;
  readonly max_empty_retries: number;
}
