import type { CandidateSpec } from "../model/suite.ts";
import { fieldsIn, fill } from "./http-template.ts";
import type { OpenedCandidate } from "./open.ts";

type AnswerSpec = Extract<CandidateSpec, { readonly kind: "answer" }>;

/** Nothing waits for anything. */
const answerConcurrency = 256;

/** An answer that the suite gives itself. It calls no tools, and its way to the answer has no steps. */
export function openAnswer({ id, kind, answer }: AnswerSpec): OpenedCandidate {
  return {
    candidate: {
      id,
      generate: async ({ prompt, fields }) => ({
        kind: "answered",
        outputText: fill(answer, { prompt, fields, env: {} }),
        incomplete: false,
        transcript: [],
        responseId: null,
        usage: null,
      }),
      concurrency: answerConcurrency,
      costly: false,
      recorded: true,
      close: async () => undefined,
    },
    hash: { kind, answer },
  };
}

/** The row fields that the answer is made of. */
export function fieldsOfAnswer({ answer }: AnswerSpec): readonly string[] {
  return fieldsIn(answer);
}
