import type { JsonObject } from "../json.ts";
import { graded, modelOptions, type BuiltinDeclaration } from "./declaration.ts";

const contexts: JsonObject = {
  type: "string",
  minLength: 1,
  default: "contexts",
  description:
    "Where the retrieved contexts are: a field of the row, or extracted.NAME, one of output_extraction.fields. A list of texts, or of objects with a text.",
  examples: ["extracted.sources"],
};

const question: JsonObject = {
  type: "string",
  minLength: 1,
  default: "prompt",
  description:
    "Where the question is: a field of the row, or extracted.NAME. prompt is the prompt as it was asked.",
  examples: ["question"],
};

const asking = { asksJudge: true, timeoutSeconds: 600 } as const;

/** Graders of answers that are made from retrieved contexts. Their definitions are in their Python files. */
export const ragGraders = {
  faithfulness: {
    ...asking,
    description: "A model says which claims of the answer the contexts support (RAGAS).",
    metrics: [
      graded(
        "faithfulness",
        "The part of the answer's claims that can be inferred from the contexts.",
      ),
    ],
    modelCalls: 2,
    fieldOptions: ["contexts", "question"],
    options: { contexts, question, ...modelOptions(4096) },
  },
  answer_relevance: {
    ...asking,
    description: "How near questions that fit the answer are to the question (RAGAS).",
    metrics: [
      graded(
        "answer_relevance",
        "The mean cosine between the question and questions that a model wrote from the answer.",
      ),
    ],
    modelCalls: 2,
    asksEmbedding: true,
    fieldOptions: ["question"],
    options: {
      question,
      questions: {
        type: "integer",
        minimum: 1,
        maximum: 10,
        default: 3,
        description: "How many questions the judge writes from the answer.",
        examples: [5],
      },
      embedding_model: {
        type: "string",
        minLength: 1,
        default: "auto",
        description: "The model for embeddings, `provider:model`; auto is run.embedding_model.",
        examples: ["openai:text-embedding-3-small"],
      },
      ...modelOptions(2048),
    },
  },
  context_precision: {
    ...asking,
    description: "Whether the useful contexts come first (Ragas).",
    metrics: [
      graded(
        "context_precision",
        "The average precision of the contexts, in their order: whether the useful ones come first.",
      ),
    ],
    needsTarget: true,
    fieldOptions: ["contexts", "question"],
    options: { contexts, question, ...modelOptions(4096) },
  },
  context_recall: {
    ...asking,
    description: "Which claims of the target the contexts hold (Ragas).",
    metrics: [
      graded(
        "context_recall",
        "The part of the target's claims that can be attributed to the contexts.",
      ),
    ],
    needsTarget: true,
    fieldOptions: ["contexts"],
    options: { contexts, ...modelOptions(4096) },
  },
  citation_correctness: {
    ...asking,
    description: "Whether citations such as [1] support what the answer says (ALCE).",
    metrics: [
      graded(
        "citation_correctness",
        "The harmonic mean of citation recall and citation precision.",
      ),
      graded(
        "citation_recall",
        "The part of the answer's statements that the contexts they cite support.",
      ),
      graded("citation_precision", "The part of the citations that their statement needs."),
    ],
    modelCalls: 2,
    fieldOptions: ["contexts"],
    options: { contexts, ...modelOptions(4096) },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;
