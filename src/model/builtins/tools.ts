import { binary, type BuiltinDeclaration } from "./declaration.ts";

/** Graders of an answer's tool calls. */
export const toolGraders = {
  tool_calls: {
    description: "1 where the right tools were called, in the right way.",
    metrics: [
      binary("tool_calls", "1 when the calls of tools are as they should be."),
      {
        ...binary(
          "tool_precision",
          "The share of the calls that were required; without calls 1 where none is required, else 0.",
        ),
        scale: "graded",
      },
      {
        ...binary(
          "tool_recall",
          "The share of the required calls that were made; 1 where none is required.",
        ),
        scale: "graded",
      },
    ],
    timeoutSeconds: 5,
    options: {
      required: {
        type: ["string", "array"],
        minLength: 1,
        items: { type: ["string", "object"], minLength: 1 },
        default: [],
        description:
          "Calls that must be made: names, or {name, arguments} where these arguments must be there with these values; or the name of a row's field that has such a list.",
        examples: [["search", { name: "get_order", arguments: { id: "A-17" } }]],
      },
      forbidden: {
        type: "array",
        items: { type: "string", minLength: 1 },
        default: [],
        description: "Names of tools that must not be called.",
        examples: [["delete_account"]],
      },
      exact: {
        type: "boolean",
        default: false,
        description: "Whether there may be no other calls than the required ones.",
        examples: [true],
      },
      order: {
        type: "boolean",
        default: false,
        description:
          "Whether the required calls must be made in the order in which they stand; others may be between.",
        examples: [true],
      },
      arguments: {
        type: "object",
        additionalProperties: { type: "object" },
        default: {},
        description:
          "A JSON Schema (draft 2020-12) by the tool's name: the arguments of each of its calls must fit.",
        examples: [{ get_order: { required: ["id"] } }],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;
