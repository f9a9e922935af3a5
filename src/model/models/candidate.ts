import type { FenceReport } from "../ports/fence.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Message } from "./message.ts";
import type { Usage } from "../outcomes/sample.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { AdaptiveSlots } from "../ports/slots.ts";

export interface GenerateRequest {
  readonly taskId: string;
  readonly caseId: string;
  readonly repeat: number;
  readonly prompt: string;
  /** The fields that the prompt uses or that `pass` names. Never the target. */
  readonly fields: JsonObject;
  /** The messages to send; `prompt` then has the same content as one text. */
  readonly messages?: readonly Message[];
  /** Further turns of the user, each sent after the previous one is answered. */
  readonly turns?: readonly Message[];
  /** Recorded results of the tools that the candidate may call. */
  readonly toolResults?: ToolResults;
  /** The instructions for this case, if they are a template. */
  readonly instructions?: string;
}

/** Recorded results by the tool's name. The first one with the call's arguments is used, otherwise one for any arguments. */
export type ToolResults = Readonly<Record<string, readonly RecordedResult[]>>;

export type RecordedResult = {
  readonly arguments?: Json;
  readonly output: string;
  readonly is_error: boolean;
};

/**
 * Result of a request to a candidate. `failed` is the candidate's fault and counts as the worst score. `unavailable` is
 * nobody's fault and has no score. `halted` is like `unavailable`, but every further request would end the same way (no
 * quota, a wrong key): the run stops.
 */
export type Generated =
  | {
      readonly kind: "answered";
      readonly outputText: string;
      readonly incomplete: boolean;
      readonly transcript: readonly JsonObject[] | null;
      /** Items that the provider needs back when the conversation continues; never stored. */
      readonly thoughts?: readonly JsonObject[];
      readonly responseId: string | null;
      readonly usage: Usage | null;
      /** Files that an agent left in its folder. */
      readonly workspace?: Workspace;
      /** For a recorded answer: its latency when it was recorded. */
      readonly tookMs?: number;
    }
  | {
      readonly kind: "refused" | "failed" | "unavailable" | "halted";
      readonly type: string;
      readonly message: string;
      /** Usage of the attempts, which costs money despite the failure. */
      readonly usage?: Usage;
      /** Transcript of an unusable answer: thoughts, the reason for its end. */
      readonly incomplete?: boolean;
      readonly transcript?: readonly JsonObject[] | null;
      readonly responseId?: string | null;
      readonly workspace?: Workspace;
    };

/**
 * Reports the cost of an answer when it arrives, if one request may be answered several times; null if the provider
 * does not report it. `asksAgain`: waits until the budget allows another attempt; false if it does not, or if the run
 * has ended. `next`: the text of the next request, if it differs from the first.
 */
export type Pay = (
  usage: Usage | null,
  asksAgain: boolean,
  next?: () => string,
) => Promise<boolean>;

/** A candidate that is ready to answer. */
export interface Candidate {
  readonly id: string;
  /**
   * Never throws because of one bad sample; a throw is a bug or a Refusal. A candidate that calls `pay` for one answer
   * calls it for all.
   */
  readonly generate: (
    request: GenerateRequest,
    signal: AbortSignal,
    pay?: Pay,
  ) => Promise<Generated>;
  /** Maximum number of requests in flight if the manifest says `auto` and there are no `slots`. */
  readonly concurrency: number;
  /** Adaptive limit for `auto`, shared by the candidates of one provider and key. */
  readonly slots?: AdaptiveSlots;
  /** True if an answer costs something, so that a resumed run must not ask again. */
  readonly costly: boolean;
  /** Description of an agent's workspace and required calls: the base's policy may replace them. */
  readonly terms?: string;
  /** The sandbox around its program (`fence`); absent if it asks for none. */
  readonly fence?: FenceReport;
  /** True if answers come from a file: latency then says nothing about the candidate. */
  readonly recorded?: boolean;
  /** The samples that a recording answers; absent if it need not answer those of this suite. */
  readonly recordings?: {
    readonly has: (sample: Pick<GenerateRequest, "taskId" | "caseId" | "repeat">) => boolean;
    /** Some of its case ids. */
    readonly some: readonly string[];
  };
  /** Everything that an answer depends on, if known: such an answer may be stored for later runs. Absent: never stored. */
  readonly cacheKey?: ((request: GenerateRequest) => Json) | undefined;
  /** The cost of an answer's tokens by the manifest's prices of today. A cached answer keeps its original cost. */
  readonly price?: (tokens: Usage) => Usage;
  readonly close: () => Promise<void>;
}
