import { binary, type BuiltinDeclaration, graded } from "./declaration.ts";

/** The grader that is a program of any language. */
export const programGraders = {
  program: {
    description:
      "A program of any language, in the sandbox: exit code 0 passes. The answer is on its stdin, and the agent's files in REGRADE_WORKSPACE_DIR.",
    metrics: [
      graded("program", "1 where it passes, else 0; with `result: json` the score that it prints."),
      binary("passed", "1 where it passes."),
    ],
    isHere: true,
    options: {
      command: {
        type: "string",
        minLength: 1,
        pattern: "^[^\\u0000]+$",
        patternErrorMessage: "a command without the character 0",
        description:
          "The program: a name on the PATH, or a path relative to `directory`. No shell reads it.",
        examples: ["python3"],
      },
      args: {
        type: "array",
        maxItems: 1000,
        items: {
          type: "string",
          pattern: "^[^\\u0000]*$",
          patternErrorMessage: "an argument without the character 0",
          description: "An argument.",
        },
        default: [],
        description:
          "Its arguments, unchanged. Files that they name by paths relative to `directory` are a part of the grader.",
        examples: [["graders/check.py"]],
      },
      files: {
        type: "array",
        maxItems: 1000,
        items: {
          type: ["string", "object"],
          minLength: 1,
          description:
            "A file or a folder, relative to the manifest; in a row a file with its hash.",
          properties: {
            path: {
              type: "string",
              minLength: 1,
              description: "A file, relative to the manifest.",
              examples: ["graders/check.py"],
            },
            sha256: {
              type: "string",
              pattern: "^[0-9a-f]{64}$",
              description: "The hash of its content.",
              examples: ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
            },
          },
          required: ["path", "sha256"],
          additionalProperties: false,
        },
        default: [],
        description:
          "Further files of the repository that it reads; it can read no others there. Their hashes are a part of the grader.",
        examples: [["graders/words.txt", "graders/lib"]],
      },
      directory: {
        type: "string",
        minLength: 1,
        default: ".",
        description: "The folder that it starts in, relative to the manifest.",
        examples: ["graders"],
      },
      env: {
        type: "array",
        maxItems: 100,
        items: {
          type: "string",
          pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
          patternErrorMessage: "the name of a variable of the environment",
          description: "A name.",
        },
        default: [],
        description:
          "Names of variables of the environment that it is given beside PATH, language and time zone. None that may hold a secret.",
        examples: [["JAVA_HOME"]],
      },
      timeout_seconds: {
        type: "number",
        minimum: 1,
        maximum: 600,
        default: 30,
        description: "Time limit for a sample, in seconds.",
        examples: [60],
      },
      input: {
        type: "string",
        enum: ["output", "json"],
        default: "output",
        description:
          "What its stdin has: output, the answer as it came; json, an object with output, transcript, tool_calls, errors, duration_ms and the row as task.",
        examples: ["json"],
      },
      result: {
        type: "string",
        enum: ["exit_code", "json"],
        default: "exit_code",
        description:
          "How it judges: exit_code, 0 passes; json, it prints an object with score (0 to 1), passed, message and details.",
        examples: ["json"],
      },
      words: {
        type: "string",
        enum: ["program", "script"],
        default: "program",
        description: "The grader of waza whose wording the feedback has.",
        examples: ["script"],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;
