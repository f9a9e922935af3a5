import { candidateKinds } from "../model/definition/candidate-kinds.ts";
import { canonicalJson } from "../model/json.ts";
import type { Candidate, Generated, GenerateRequest } from "../model/models/candidate.ts";
import type { HashText } from "../model/ports/files.ts";
import { formatProblem, problem } from "../model/refusal.ts";
import { callsTools } from "../model/models/transcript.ts";
import type { Answer, AnswerCache } from "../model/ports/store.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";

/** A store of answers of earlier runs, for candidates whose answers may be cached. */
export interface ResponseCache {
  readonly get: (
    candidate: Candidate,
    request: GenerateRequest,
  ) => Promise<Answer | undefined> | undefined;
  /** Resolves when the answer is stored; undefined if it may not be stored. */
  readonly put: (
    candidate: Candidate,
    request: GenerateRequest,
    answer: Answer,
  ) => Promise<void> | undefined;
  readonly close: () => Promise<void>;
}

/** Never finds or stores an answer: used with `--no-cache`. */
export const noResponseCache: ResponseCache = {
  get: () => undefined,
  put: () => undefined,
  close: async () => undefined,
};

/** A response cache over a store. It keeps only answers with content: never errors, refusals or empty ones. */
export function createResponseCache(cache: AnswerCache, hashText: HashText): ResponseCache {
  const keyOf = (candidate: Candidate, request: GenerateRequest): string | undefined => {
    const key = candidate.cacheKey?.(request);
    return key === undefined ? undefined : hashText(canonicalJson(key)).slice(-64);
  };
  return {
    get: (candidate, request) => {
      const key = keyOf(candidate, request);
      if (key === undefined) return undefined;
      return cache.find(key).then((found) => found && atTodaysPrice(found, candidate));
    },
    put: (candidate, request, answer) => {
      const { generated } = answer;
      if (generated.kind !== "answered" || isNothing(generated)) return undefined;
      const key = keyOf(candidate, request);
      return key === undefined ? undefined : cache.keep(key, answer);
    },
    close: cache.close,
  };
}

/** A tool call is an answer even without text. */
function isNothing({
  outputText,
  transcript,
}: Extract<Generated, { readonly kind: "answered" }>): boolean {
  return outputText.trim() === "" && !callsTools(transcript);
}

/** A stored answer with the cost that it would have today: prices are corrected at times, and a gate may judge costs. */
export function atTodaysPrice(answer: Answer, { price }: Candidate): Answer {
  const { generated } = answer;
  if (price === undefined || generated.kind !== "answered" || generated.usage === null)
    return answer;
  return { ...answer, generated: { ...generated, usage: price(generated.usage) } };
}

/** Whether the cache can be trusted: a change's own program, or a commit, may have put answers into it. */
export async function mayBelieve(
  { candidateSpecs }: Prepared,
  { cache, report }: Tools,
): Promise<boolean> {
  if (candidateSpecs.some(({ kind }) => candidateKinds[kind].program)) return false;
  if (await cache.isOwn()) return true;
  const { folder } = cache;
  report({ kind: "warning", text: formatProblem(problem("cache_of_commit", { folder })) });
  return false;
}
