import { problem } from "../../model/refusal.ts";
import type { FewshotSpec } from "../../model/definition/suite.ts";
import { resolveDataset } from "./dataset.ts";
import type { ManifestContext } from "../context.ts";
import { imageFolder } from "./messages.ts";
import {
  at,
  isPresent,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
} from "../../base/part.ts";

/**
 * A task's few-shot examples, from `num_fewshot` or `fewshot`; undefined if it wants none, `refused` if a part of them is
 * invalid. Missing templates are the task's.
 */
export async function resolveFewshot(
  task: Part,
  context: ManifestContext,
): Promise<FewshotSpec | undefined | "refused"> {
  const part = at(task, "fewshot");
  const count = countOf(task, context);
  const own = at(part, "dataset");
  const dataset = isPresent(own) ? await resolveDataset(own, context, "train") : undefined;
  if (isPresent(own) && dataset === undefined) return "refused";
  if (count === undefined) return "refused";
  if (count === 0) return undefined;
  warnIdleSeed(part, context);
  const key = isPresent(part) ? "fewshot" : "num_fewshot";
  const target_template = textIn("target_template", task);
  const isMessages = isPresent(at(task, "messages_template"));
  if (isMessages && !areMessages(task, key, context)) return "refused";
  const example_template = textOf(at(part, "example_template")) ?? "{{prompt}}\n{{target}}";
  if (target_template === undefined && /\{\{\s*target\s*\}\}/.test(example_template)) {
    context.warn(problem("fewshot_without_target", undefined, placeOf(at(task, key))));
  }
  return {
    key,
    count,
    dataset,
    prompt_template: textIn("prompt_template", task),
    target_template,
    example_template,
    separator: textOf(at(part, "separator")) ?? "\n\n",
    ...choiceOf(part),
    ...(dataset && isMessages && { images: imageFolder(dataset, context) }),
  };
}

function choiceOf(part: Part): Pick<FewshotSpec, "strategy" | "seed"> {
  const strategy = textOf(at(part, "strategy")) === "random" ? "random" : "first";
  return { strategy, seed: numberOf(at(part, "seed")) ?? 0 };
}

/** Suites of the hosted product write the default, 0, beside `strategy: first`. */
function warnIdleSeed(part: Part, context: ManifestContext): void {
  const { strategy, seed } = choiceOf(part);
  if (strategy === "random" || seed === 0) return;
  const why = "only `strategy: random` draws by it";
  context.warn(problem("setting_idle", { key: "seed", why }, keyPlaceOf(at(part, "seed"))));
}

/**
 * Whether the examples become messages, a question and an answer each. If so, keys that join examples as text are
 * refused.
 */
function areMessages(task: Part, key: FewshotSpec["key"], context: ManifestContext): boolean {
  const part = at(task, "fewshot");
  const joining = presentKeys(part, ["example_template", "separator"]);
  for (const each of joining)
    context.refuse(problem("fewshot_joined", { key: each }, keyPlaceOf(at(part, each))));
  const place = keyPlaceOf(at(task, key));
  const hasAnswer = textIn("target_template", task) !== undefined;
  if (!hasAnswer) context.refuse(problem("fewshot_answer_missing", undefined, place));
  const turns = isPresent(at(at(task, "messages_template"), "turns"));
  const hasQuestion = !turns || isPresent(at(part, "prompt_template"));
  if (!hasQuestion) context.refuse(problem("fewshot_question_missing", undefined, place));
  return joining.length === 0 && hasAnswer && hasQuestion;
}

function textIn(key: "prompt_template" | "target_template", task: Part): string | undefined {
  return textOf(at(at(task, "fewshot"), key)) ?? textOf(at(task, key));
}

/** `num_fewshot` is lm-eval's name for `fewshot.count`: both are allowed if they are equal. */
function countOf(task: Part, context: ManifestContext): number | undefined {
  const part = at(task, "fewshot");
  const [plain, counted] = [at(task, "num_fewshot"), at(part, "count")];
  const [number, count] = [numberOf(plain), numberOf(counted)];
  if (number !== undefined && count !== undefined && number !== count) {
    const found = { key: "num_fewshot", other: "fewshot.count" };
    return context.refuse(problem("setting_conflict", found, keyPlaceOf(plain)));
  }
  const wanted = count ?? number ?? 0;
  if (wanted === 0 && isPresent(part)) {
    const why = "it asks for no examples (`count`: how many go before the prompt)";
    context.warn(problem("setting_idle", { key: "fewshot", why }, keyPlaceOf(part)));
  }
  return wanted;
}
