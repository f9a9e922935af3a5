import { binary, graded, type BuiltinDeclaration } from "./declaration.ts";

/** The grader of a row's own checks. */
export const rowCheckGraders = {
  row_checks: {
    description: "Checks that each row carries: a case's own expectations.",
    metrics: [
      graded("score", "The weighted mean of the checks' scores."),
      binary("passed", "1 when all checks pass."),
    ],
    givesOthers: true,
    timeoutSeconds: 10,
    options: {
      field: {
        type: "string",
        minLength: 1,
        pattern: '^[^{}"\\n]+$',
        patternErrorMessage: "the name of a field, without braces and quotes",
        description: "The row's field that holds its checks: a list.",
        examples: ["checks"],
      },
      also: {
        type: "array",
        maxItems: 100,
        items: { $ref: "#/$defs/rowCheck" },
        default: [],
        description:
          "Checks of every row, beside its own. With them a row may have none of its own.",
        examples: [[{ type: "json_valid" }]],
      },
      judge_calls: {
        type: "integer",
        minimum: 0,
        maximum: 1000,
        default: 0,
        description: "How often the checks of one row may ask judges. Default: never.",
        examples: [8],
      },
      judge_models: {
        type: "array",
        maxItems: 20,
        items: { type: "string", minLength: 1, description: "`provider:model`, or auto." },
        default: ["auto"],
        description:
          "With judge_calls: the judges that checks of rows may name; auto is run.judge_model.",
        examples: [["auto", "openai:gpt-5.4-mini"]],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;
