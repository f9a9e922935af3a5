import { binary, type BuiltinDeclaration } from "./declaration.ts";

/** Graders of an answer's form. */
export const formatGraders = {
  json_valid: {
    description: "1 where the answer is valid JSON.",
    metrics: [
      binary("json_valid", "1 when the extracted output is one JSON value and nothing else."),
    ],
    options: {},
  },
  json_schema: {
    description: "1 where the answer is JSON that a schema accepts.",
    metrics: [
      binary("schema_match", "1 when the extracted output is JSON that the schema accepts."),
    ],
    timeoutSeconds: 5,
    fileOption: "schema",
    options: {
      schema: {
        type: ["string", "object"],
        minLength: 1,
        description:
          "A JSON Schema (draft 2020-12), or the path of a JSON file that has one, relative to the manifest.",
        examples: ["schemas/answer.json"],
      },
      answer: {
        type: "string",
        enum: ["extracted", "whole"],
        default: "extracted",
        description:
          "Whether the extracted output is read, or the answer as it came (output_text): a fence around it is then no JSON.",
        examples: ["whole"],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;
