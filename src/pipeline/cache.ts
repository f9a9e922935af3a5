import { canonicalJson } from "../domain/json.ts";
import type { Candidate, GenerateRequest, HashText } from "../domain/ports.ts";
import type { Answer, AnswerCache } from "../domain/store.ts";

/** What earlier runs were answered, for those candidates whose answers may be kept. */
export interface Memory {
  readonly recall: (candidate: Candidate, request: GenerateRequest) => Promise<Answer | undefined>;
  /** Resolves once the answer is kept, where it may be. */
  readonly remember: (
    candidate: Candidate,
    request: GenerateRequest,
    answer: Answer,
  ) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Remembers nothing: what `--no-cache` asks for. */
export const noMemory: Memory = {
  recall: async () => undefined,
  remember: async () => undefined,
  close: async () => undefined,
};

/** A memory in a cache. Only answers are kept that have something in them: never an error, a refusal or nothing. */
export function createMemory(cache: AnswerCache, hashText: HashText): Memory {
  const keyOf = (candidate: Candidate, request: GenerateRequest): string | undefined => {
    const key = candidate.cacheKey?.(request);
    return key === undefined ? undefined : hashText(canonicalJson(key)).slice(-64);
  };
  return {
    recall: async (candidate, request) => {
      const key = keyOf(candidate, request);
      return key === undefined ? undefined : cache.find(key);
    },
    remember: async (candidate, request, answer) => {
      const { generated } = answer;
      if (generated.kind !== "answered" || generated.outputText.trim() === "") return;
      const key = keyOf(candidate, request);
      if (key !== undefined) await cache.keep(key, answer);
    },
    close: cache.close,
  };
}
