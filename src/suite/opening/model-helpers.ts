import { singleGraders, type SingleGrader } from "../../model/definition/graders.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import type { Tools } from "../../tools.ts";
import { sourceText } from "../policy/graders/grader-fields.ts";
import type { TaskToOpen } from "./open-task.ts";

/** The helpers of `ctx`, and the key of `run` with the model that `auto` stands for. */
const helpers = [
  { helper: "responses_create", key: "judge_model" },
  { helper: "embeddings_create", key: "embedding_model" },
] as const;

/** Reports graders that ask for the run's judge or embedding model if the run names none. */
export async function unnamedModels(
  { spec, index, resolved }: TaskToOpen,
  { files }: Tools,
): Promise<readonly Problem[]> {
  const { judge_model, embedding_model } = resolved.suite;
  const named = { judge_model, embedding_model };
  // If the run names neither, the check of the manifest has reported it.
  if (judge_model === undefined && embedding_model === undefined) return [];
  const found: Problem[] = [];
  for (const [i, grader] of singleGraders(spec.grader).entries()) {
    if (grader.models === undefined) continue;
    const code = await codeOf(grader, files);
    const key = spec.grader.type === "several" ? ["graders", i] : ["grader"];
    for (const { helper, key: model } of helpers) {
      if (named[model] !== undefined || !asksForAuto(code, helper)) continue;
      const place = resolved.place(["tasks", index, ...key]);
      found.push(problem("helper_model_missing", { helper, key: model }, place));
    }
  }
  return found;
}

async function codeOf(grader: SingleGrader, files: Tools["files"]): Promise<string> {
  if (grader.type !== "python") return "";
  const { source } = grader;
  return source.kind === "inline" ? source.text : sourceText(source.file.absolute, files);
}

/** Whether some call of the helper names no model, or "auto". The value of a variable can't be determined here. */
function asksForAuto(code: string, helper: string): boolean {
  return code
    .split(new RegExp(`\\b${helper}\\s*\\(`))
    .slice(1)
    .some((after) => {
      const [call = ""] = after.split(/_create\s*\(/);
      const [, value] = /\bmodel\s*=\s*([^,)\n]+)/.exec(call.slice(0, longestCall)) ?? [];
      return value === undefined ? !call.includes("**") : /^["']auto["']$/.test(value.trim());
    });
}

/** Number of characters that are read after a call's opening bracket. */
const longestCall = 4000;
