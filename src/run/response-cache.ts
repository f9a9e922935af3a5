import { candidateKinds } from "../model/candidate-kinds.ts";
import { canonicalJson } from "../model/json.ts";
import type { Candidate, Generated, GenerateRequest } from "../model/candidate.ts";
import type { HashText } from "../model/files.ts";
import { formatProblem, problem } from "../model/refusal.ts";
import { callsTools } from "../model/transcript.ts";
import type { Answer, AnswerCache } from "../model/store.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";

/** Answers of earlier runs, for candidates whose answers may be cached. */
export interface ResponseCache {
  readonly recall: (
    candidate: Candidate,
    request: GenerateRequest,
  ) => Promise<Answer | undefined> | undefined;
  /** Resolves once the answer is kept; undefined if it may not be. */
  readonly remember: (
    candidate: Candidate,
    request: GenerateRequest,
    answer: Answer,
  ) => Promise<void> | undefined;
  readonly close: () => Promise<void>;
}

/** Stores nothing: used with `--no-cache`. */
export const noResponseCache: ResponseCache = {
  recall: () => undefined,
  remember: () => undefined,
  close: async () => undefined,
};

/** A memory in a cache. Only answers are kept that have something in them: never an error, a refusal or nothing. */
export function createResponseCache(cache: AnswerCache, hashText: HashText): ResponseCache {
  const keyOf = (candidate: Candidate, request: GenerateRequest): string | undefined => {
    const key = candidate.cacheKey?.(request);
    return key === undefined ? undefined : hashText(canonicalJson(key)).slice(-64);
  };
  return {
    recall: (candidate, request) => {
      const key = keyOf(candidate, request);
      if (key === undefined) return undefined;
      return cache.find(key).then((found) => found && atTodaysPrice(found, candidate));
    },
    remember: (candidate, request, answer) => {
      const { generated } = answer;
      if (generated.kind !== "answered" || isNothing(generated)) return undefined;
      const key = keyOf(candidate, request);
      return key === undefined ? undefined : cache.keep(key, answer);
    },
    close: cache.close,
  };
}

/** A call of a tool is an answer without words. */
function isNothing({
  outputText,
  transcript,
}: Extract<Generated, { readonly kind: "answered" }>): boolean {
  return outputText.trim() === "" && !callsTools(transcript);
}

/** A kept answer with the dollars that it would cost today: prices are corrected, and a gate may judge them. */
export function atTodaysPrice(answer: Answer, { price }: Candidate): Answer {
  const { generated } = answer;
  if (price === undefined || generated.kind !== "answered" || generated.usage === null)
    return answer;
  return { ...answer, generated: { ...generated, usage: price(generated.usage) } };
}

/** Whether the cache can be trusted: a change's own program, or a commit, could have put answers into it. */
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
