import type { JsonObject } from "../json.ts";
import { binary, type BuiltinDeclaration, graded } from "./declaration.ts";

function names(description: string, example: string): JsonObject {
  return {
    type: "array",
    maxItems: 1000,
    items: { type: "string", minLength: 1, description: "A name." },
    default: [],
    description,
    examples: [[example]],
  };
}

function limit(description: string, example: number): JsonObject {
  return {
    type: ["integer", "null"],
    minimum: 0,
    default: null,
    description,
    examples: [example],
  };
}

function patterns(description: string, example: string): JsonObject {
  return {
    type: "array",
    maxItems: 1000,
    items: { type: "string", minLength: 1, description: "A pattern of RE2." },
    description,
    examples: [[example]],
  };
}

const path: JsonObject = {
  type: "string",
  minLength: 1,
  description: "A path from the workspace.",
  examples: ["src/app.py"],
};

/** One call must match all parts. */
const tool: JsonObject = {
  type: ["string", "object"],
  minLength: 1,
  description: "A name, or what a call must look like.",
  properties: {
    tool: {
      type: "string",
      minLength: 1,
      description: "A pattern of RE2 for the name, in any case of letters.",
      examples: ["^bash$"],
    },
    command_pattern: {
      type: "string",
      description: "A pattern of RE2 for the argument `command`, in any case of letters.",
      examples: ["rm -rf"],
    },
    skill_pattern: {
      type: "string",
      description: "A pattern of RE2 for the argument `skill`, in any case of letters.",
      examples: ["deploy"],
    },
    path_pattern: {
      type: "string",
      description: "A pattern of RE2 for the argument `path`, in any case of letters.",
      examples: ["^/etc"],
    },
    args: {
      type: "object",
      description:
        "By an argument's name exactly one of equals, regex, contains, range ({gte, gt, lte, lt}) and json_schema.",
      additionalProperties: { type: "object", description: "What the argument must be." },
      examples: [{ city: { equals: "Paris" } }],
    },
  },
  additionalProperties: false,
};

function tools(description: string, example: string): JsonObject {
  return {
    type: "array",
    maxItems: 1000,
    items: tool,
    default: [],
    description,
    examples: [[example]],
  };
}

const maxTurns = limit("How many turns there may be.", 10);
const maxTokens = limit("How many tokens it may take, input and output together.", 50000);
const allowed = names(
  "Names of tools that may be called, and no others; [] allows none.",
  "read_file",
);

const passed = binary("passed", "1 where all checks hold.");
const precision = graded("precision", "The share of what was done that was expected.");
const recall = graded("recall", "The share of what was expected that was done.");

/** Graders of an agent's work: its files, tool calls, skills and effort. */
export const agentGraders = {
  files: {
    description: "Files that an agent must leave, or must not, and what stands in them.",
    metrics: [graded("files", "The share of the checks that hold."), passed],
    isHere: true,
    options: {
      must_exist: names("Paths from the workspace that must be there.", "README.md"),
      must_not_exist: names("Paths from the workspace that must not be there.", "debug.log"),
      content_patterns: {
        type: "array",
        maxItems: 1000,
        items: {
          type: "object",
          description: "A file that must be there, and patterns for its content.",
          properties: {
            path,
            must_match: patterns("Patterns of RE2 that must match somewhere.", "def main"),
            must_not_match: patterns("Patterns of RE2 that must match nowhere.", "(?i)todo"),
          },
          required: ["path"],
          additionalProperties: false,
        },
        default: [],
        description: "Files, and patterns for their content.",
        examples: [[{ path: "app.py", must_match: ["def main"] }]],
      },
    },
  },
  diff: {
    description: "Files beside what they should be: whole, or parts of them.",
    metrics: [graded("diff", "The share of the checks that hold."), passed],
    isHere: true,
    options: {
      expected_files: {
        type: "array",
        minItems: 1,
        maxItems: 1000,
        items: {
          type: "object",
          description: "A file that must be there, and what must stand in it.",
          properties: {
            path,
            snapshot: {
              type: "string",
              minLength: 1,
              description:
                "A file beside the manifest that it must equal, byte by byte; relative to the manifest.",
              examples: ["expected/app.py"],
            },
            sha256: {
              type: "string",
              pattern: "^[0-9a-f]{64}$",
              description:
                "The hash of what it must equal, in the place of a file: `snapshot` beside it is a name alone.",
              examples: ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
            },
            contains: {
              type: "array",
              maxItems: 1000,
              items: { type: "string", description: "A text." },
              description:
                "Texts that must be there; with `-` in front: that must be gone (`+`: that must be there).",
              examples: [["+def main():", "-print("]],
            },
          },
          required: ["path"],
          additionalProperties: false,
        },
        description: "The files, each with a snapshot or texts.",
        examples: [[{ path: "app.py", contains: ["+def main():"] }]],
      },
    },
  },
  sequence: {
    description: "Whether tools were called in the right order.",
    metrics: [
      graded("sequence", "The F1 of the names that were called, whatever their order."),
      binary("passed", "1 where the calls match in the way that matching_mode says."),
      precision,
      recall,
    ],
    isHere: true,
    options: {
      expected_actions: {
        type: "array",
        minItems: 1,
        maxItems: 1000,
        items: { type: "string", minLength: 1, description: "A name." },
        description: "Names of tools, in their order.",
        examples: [["read_file", "write_file"]],
      },
      matching_mode: {
        type: "string",
        enum: ["in_order_match", "exact_match", "any_order_match"],
        default: "in_order_match",
        description:
          "in_order_match: others may be between; exact_match: these and no others; any_order_match: each as often as it stands here, in any order.",
        examples: ["exact_match"],
      },
    },
  },
  tool_constraint: {
    description: "Which tools an agent must call and may call, and with what arguments.",
    metrics: [graded("tool_constraint", "The share of the checks that hold."), passed],
    isHere: true,
    options: {
      expect_tools: tools("Calls that must be made: names, or what a call looks like.", "search"),
      reject_tools: tools("Calls that must not be made.", "delete_account"),
      words: {
        type: "string",
        enum: ["tool_constraint", "tool_calls", "patterns"],
        default: "tool_constraint",
        description: "As which of waza's graders the feedback is worded.",
        examples: ["tool_calls"],
      },
      expect_patterns: {
        ...patterns(
          'Patterns of RE2, in any case of letters, that must match the calls as text: a line `name {"argument":"value"}` each.',
          "search.*refund",
        ),
        default: [],
      },
      reject_patterns: {
        ...patterns("Such patterns that must match nowhere.", "rm -rf"),
        default: [],
      },
      allow_only: { ...allowed, type: ["array", "null"], default: null },
      min_calls: limit("How many calls of tools there must be.", 1),
      max_calls: limit("How many calls of tools there may be.", 20),
      max_turns: maxTurns,
      max_tokens: maxTokens,
    },
  },
  behavior: {
    description: "What an agent's work may take: calls, turns, tokens, time.",
    metrics: [graded("behavior", "The share of the checks that hold."), passed],
    isHere: true,
    options: {
      max_tool_calls: limit("How many calls of tools there may be.", 20),
      max_turns: maxTurns,
      max_tokens: maxTokens,
      required_tools: names("Names of tools that must be called.", "search"),
      forbidden_tools: names("Names of tools that must not be called.", "delete_account"),
      max_duration_ms: limit("How many milliseconds it may take.", 60000),
    },
  },
  skills: {
    description: "Which skills an agent uses.",
    metrics: [
      graded(
        "skills",
        "The F1 of the skills that were used, less where others are not allowed; 0 where a forbidden one is among them.",
      ),
      binary(
        "passed",
        "1 where the skills match in the way that mode says, and none is forbidden.",
      ),
      precision,
      recall,
    ],
    isHere: true,
    options: {
      required_skills: names("Names of skills that must be used.", "code-explainer"),
      forbidden_skills: names("Names of skills that must not be used.", "deploy"),
      mode: {
        type: "string",
        enum: ["any_order", "in_order", "exact_match"],
        default: "any_order",
        description:
          "any_order: each as often as it stands here; in_order: others may be between; exact_match: these and no others.",
        examples: ["in_order"],
      },
      allow_extra: {
        type: "boolean",
        default: true,
        description: "Whether other skills cost nothing; false: they lower the score.",
        examples: [false],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;
