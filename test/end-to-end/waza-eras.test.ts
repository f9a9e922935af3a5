import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect } from "vitest";
import { readRunDirectory, regrade } from "../support/cli.ts";
import { itSome } from "../support/rows.ts";

/** Files of each version, of the examples that its documentation gives, run as they are. */

/** The document's own graders, the same in the first two versions. */
const inline = `graders:
  - type: code
    name: basic_check
    config:
      assertions:
        - "len(output) > 10"
        - "'success' in output.lower()"

  - type: regex
    name: format_check
    config:
      must_match:
        - "deployed to .+"
`;

const first = `
  - type: script
    name: custom_logic
    config:
      script: graders/my_grader.py

  - type: tool_calls
    name: tool_validator
    config:
      required:
        - pattern: "azd up"
        - pattern: "git commit"
      forbidden:
        - pattern: "rm -rf"
        - pattern: "sudo"
      max_calls: 20
`;

const script = `#!/usr/bin/env python3
import json
import sys

def grade(context: dict) -> dict:
    output = context.get("output", "")
    
    # Your custom logic here
    score = 1.0 if "success" in output else 0.0
    
    return {
        "score": score,
        "passed": score >= 0.5,
        "message": "Custom grading complete",
        "details": {"custom_field": "value"}
    }

if __name__ == "__main__":
    context = json.load(sys.stdin)
    print(json.dumps(grade(context)))
`;

const program = `
  - type: program
    name: quality_checker
    config:
      command: python3
      args: ["graders/quality_checker.py"]
`;

const specific = `# In task YAML
graders:
  - name: task_specific_check
    type: code
    assertions:
      - "specific_condition"
    weight: 0.5  # Weight within this task
`;

const triggers = `skill: code-explainer

should_trigger_prompts:
  - prompt: "Explain this code to me"
    reason: "Direct explanation request"        # optional, for documentation
    confidence: high                            # high (default) or medium

  - prompt: "I don't understand what this code is doing"
    confidence: medium

should_not_trigger_prompts:
  - prompt: "Write me a function to sort a list"
    reason: "Code writing request, not explanation"
    confidence: high

  - prompt: "Fix the bug in my code"
    confidence: medium
`;

const metrics = `metrics:
  - name: trigger_accuracy
    threshold: 0.9
    weight: 30
`;

const text = `graders:
  - type: text
    name: format_check
    config:
      regex_match:
        - "deployed to .+"
      contains: ["SUCCESS"]
  - type: tool_constraint
    name: no_shell
    config:
      reject_tools:
        - tool: "bash"
          command_pattern: "rm\\\\s+-rf"
`;

const latest = `graders:
  - type: text
    name: format_check
    config:
      regex_match: ["deployed to .+"]
  - type: tool_calls
    name: no_calls
    config:
      max_calls: 0
  - type: tool_constraint
    name: only
    config:
      allow_only: []
`;

interface Era {
  readonly graders: string;
  readonly config?: string;
  readonly prompt?: string;
  readonly task?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly rest?: string;
  readonly said: string;
  readonly code: number;
  readonly scores: Readonly<Record<string, number>>;
}

const eras: Readonly<Record<string, Era>> = {
  "0.2": {
    graders: `${inline}${first}`,
    prompt: "success: DEPLOYED TO https://x",
    files: { "graders/my_grader.py": script },
    said: "up to 0.2",
    code: 1,
    // Patterns match in any case. waza's mock calls no tools: two of the five checks fail.
    scores: { basic_check: 1, format_check: 1, custom_logic: 1, tool_validator: 0.6, passed: 0 },
  },
  "0.3 to 0.11, the document's own": {
    graders: `${inline}${program}`,
    files: {
      "graders/quality_checker.py":
        "import os, sys\nassert os.environ['WAZA_WORKSPACE_DIR']\nsys.exit(0 if 'deployed' in sys.stdin.read() else 1)\n",
      "trigger_tests.yaml": triggers,
    },
    rest: metrics,
    said: "0.3 to 0.11",
    code: 0,
    scores: { basic_check: 1, format_check: 1, quality_checker: 1, score: 1, passed: 1 },
  },
  "0.3 to 0.11, with a task's own grader": {
    graders: inline,
    prompt: "success: DEPLOYED TO https://x",
    task: specific,
    said: "0.3 to 0.11",
    code: 1,
    // The name stands for nothing, as in the document; the pattern distinguishes upper and lower case.
    scores: { basic_check: 1, format_check: 0, task_specific_check: 0, score: 1 / 2.5, passed: 0 },
  },
  "0.12": {
    graders: text,
    said: "0.12 and 0.13",
    code: 0,
    scores: { format_check: 1, no_shell: 1, passed: 1 },
  },
  "0.14 and later": {
    graders: latest,
    config: ", workers: 2",
    task: "expected: { output_contains: [success, missing] }\n",
    said: "0.14",
    code: 1,
    scores: { format_check: 1, no_calls: 1, only: 1, _output_contains: 0.5, passed: 0 },
  },
};

describe("a file of waza of version", () => {
  itSome(Object.entries(eras))("%s runs as it is", async (_, era) => {
    const { graders, config = "", task = "", files = {}, rest = "", said, code, scores } = era;
    const prompt = era.prompt ?? "success: deployed to https://x";
    await using fixture = await createFixture({
      "eval.yaml": `name: e
skill: code-explainer
version: "1.0"
config: { trials_per_task: 1, timeout_seconds: 30, executor: mock, model: m${config} }
${graders}tasks: ["tasks/*.yaml"]
${rest}`,
      "tasks/a.yaml": `id: a\nname: A\ninputs: { prompt: ${JSON.stringify(prompt)} }\n${task}`,
      ...files,
    });
    const end = await regrade(["run", "eval.yaml", "--out", "run"], { in: fixture.path });
    expect(end.code, end.stderr).toBe(code);
    expect(end.stderr).toContain(said);
    const { samples } = await readRunDirectory(join(fixture.path, "run"));
    const own = samples.filter(({ task_id }) => task_id !== "trigger");
    expect(own).toHaveLength(1);
    expect(own[0]?.scores, JSON.stringify(own[0]?.judge)).toMatchObject(scores);
    if (files["trigger_tests.yaml"] !== undefined) expect(samples).toHaveLength(5);
  });
});
