import { at, isPresent, keyPlaceOf, objectOf, type Part } from "../base/part.ts";
import type { Translated } from "../base/foreign.ts";
import type { ResultFormat } from "../model/results.ts";
import { problem } from "../model/refusal.ts";

/** A file of a tool that Regrade does not run, but whose results it judges. */
interface OtherFile {
  readonly tool: string;
  readonly format: ResultFormat;
  readonly kind: "configuration" | "results";
  /** Keys that a manifest does not have, and such a file always has. */
  readonly keys: readonly string[];
}

const files: readonly OtherFile[] = [
  { tool: "promptfoo", format: "promptfoo", kind: "results", keys: ["evalId", "results"] },
  { tool: "promptfoo", format: "promptfoo", kind: "configuration", keys: ["prompts", "providers"] },
  { tool: "promptfoo", format: "promptfoo", kind: "configuration", keys: ["prompts", "targets"] },
  { tool: "promptfoo", format: "promptfoo", kind: "configuration", keys: ["prompts", "tests"] },
  { tool: "lm-eval", format: "lm-eval", kind: "configuration", keys: ["doc_to_text"] },
  { tool: "lm-eval", format: "lm-eval", kind: "configuration", keys: ["dataset_path"] },
  { tool: "lm-eval", format: "lm-eval", kind: "results", keys: ["results", "configs"] },
  { tool: "Inspect", format: "inspect", kind: "results", keys: ["eval", "plan"] },
  { tool: "deepeval", format: "deepeval", kind: "results", keys: ["testCases"] },
];

/** A manifest with a misspelt key is a manifest all the same. */
const ownKeys = ["tasks", "dataset", "prompt_template", "grader", "graders", "candidates"];

/** Refuses a file of a tool that Regrade does not run, with the way to judge its results; undefined: it is none. */
export function refusalOfOther(root: Part): Translated | undefined {
  if (objectOf(root) === undefined || ownKeys.some((key) => isPresent(at(root, key))))
    return undefined;
  const found = files.find(({ keys }) => keys.every((key) => isPresent(at(root, key))));
  const [first] = found?.keys ?? [];
  if (found === undefined || first === undefined) return undefined;
  const place = keyPlaceOf(at(root, first));
  return { kind: "refused", problems: [problem("manifest_of_other_tool", found, place)] };
}
