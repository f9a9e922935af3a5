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

const maxTurns = limit("The largest number of turns.", 10);
const maxTokens = limit("The largest number of tokens, input and output together.", 50000);
const allowed = names(
  "Names of tools that may be called, and no others; [] allows none.",
  "read_file",
);

const passed = binary("passed", "1 where all checks hold.");
const precision = graded(
  "precision",
  "Of the actions that were taken, the share that was expected.",
);
const recall = graded("recall", "Of the expected actions, the share that was taken.");

/** Graders of an agent's work: its files, tool calls, skills and effort. */
export const agentGraders = {
  files: {
    description: "Files that an agent must or must not leave, and their content.",
    metrics: [graded("files", "The share of the checks that hold."), passed],
    isHere: true,
    options: {
      must_exist: names("Paths, from the workspace, that must exist.", "README.md"),
      must_not_exist: names("Paths, from the workspace, that must not exist.", "debug.log"),
      content_patterns: {
        type: "array",
        maxItems: 1000,
        items: {
          type: "object",
          description: "A file that must exist, and patterns for its content.",
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
    description: "Compares an agent's files with the expected ones, whole or in parts.",
    metrics: [graded("diff", "The share of the checks that hold."), passed],
    isHere: true,
    options: {
      expected_files: {
        type: "array",
        minItems: 1,
        maxItems: 1000,
        items: {
          type: "object",
          description: "A file that must exist, and its expected content.",
          properties: {
            path,
            snapshot: {
              type: "string",
              minLength: 1,
              description: "A file, relative to the manifest, that it must equal byte by byte.",
              examples: ["expected/app.py"],
            },
            sha256: {
              type: "string",
              pattern: "^[0-9a-f]{64}$",
              description:
                "The hash of the expected content, instead of a file: `snapshot` is then only a name.",
              examples: ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
            },
            contains: {
              type: "array",
              maxItems: 1000,
              items: { type: "string", description: "A text." },
              description:
                "Texts that the file must contain; with `-` in front, that it must not contain (`+` means the same as no sign).",
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
      graded("sequence", "The F1 of the called names, regardless of their order."),
      binary("passed", "1 where the calls match by the rule of matching_mode."),
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
        description: "The grader of waza whose wording the feedback has.",
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
        ...patterns("Patterns of the same form that must match no call.", "rm -rf"),
        default: [],
      },
      allow_only: { ...allowed, type: ["array", "null"], default: null },
      min_calls: limit("The smallest number of tool calls.", 1),
      max_calls: limit("The largest number of tool calls.", 20),
      max_turns: maxTurns,
      max_tokens: maxTokens,
    },
  },
  behavior: {
    description: "Limits on an agent's work: calls, turns, tokens, time.",
    metrics: [graded("behavior", "The share of the checks that hold."), passed],
    isHere: true,
    options: {
      max_tool_calls: limit("The largest number of tool calls.", 20),
      max_turns: maxTurns,
      max_tokens: maxTokens,
      required_tools: names("Names of tools that must be called.", "search"),
      forbidden_tools: names("Names of tools that must not be called.", "delete_account"),
      max_duration_ms: limit("The largest number of milliseconds.", 60000),
    },
  },
  skills: {
    description: "Checks which skills an agent uses.",
    metrics: [
      graded(
        "skills",
        "The F1 of the used skills, lowered for other skills if these are not allowed; 0 if a forbidden one was used.",
      ),
      binary("passed", "1 where the skills match by the rule of mode, and none is forbidden."),
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
