import { at, type Part } from "../../base/part.ts";
import { isGiven, optionalText, refuseValue, type WazaEval } from "./eval.ts";

/**
 * The judge model of a grader; `auto` if it is the run's. A manifest that has its own `run` names the judge of all
 * graders.
 */
export function judgeOfGrader(part: Part, file: WazaEval): string {
  if (file.tools.ownKeys?.has("run") === true) return "auto";
  const shared = at(at(file.root, "config"), "judge_model");
  const own = isGiven(part) ? modelNamed(part, file) : undefined;
  // Until 0.13 the file's judge overrides every grader's own.
  const isOwn = own !== undefined && (file.era === "E3" || !isGiven(shared));
  return isOwn ? own : "auto";
}

/** A model with its provider; undefined if there is none, or if its provider is unknown, which is refused. */
export function modelNamed(part: Part, file: WazaEval): string | undefined {
  const name = optionalText(part, file);
  if (name === undefined || name === "") return undefined;
  return (
    withProvider(name) ??
    refuseValue(
      part,
      "a model whose provider is known by its name (gpt-…, claude-…, gemini-…), or provider:model",
      file,
    )
  );
}

function withProvider(name: string): string | undefined {
  if (name.includes(":")) return name;
  if (/^(?:gpt-|o\d|chatgpt-)/.test(name)) return `openai:${name}`;
  if (name.startsWith("claude-")) return `anthropic:${name}`;
  if (name.startsWith("gemini-")) return `google:${name}`;
  return name.startsWith("mistral-") ? `mistral:${name}` : undefined;
}
