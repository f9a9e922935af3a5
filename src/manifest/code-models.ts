import type { Part } from "../base/part.ts";
import type { ModelRef } from "../model/suite.ts";
import type { ManifestContext } from "./context.ts";
import { type ModelsOfRun, resolveModelRef } from "./models.ts";

/**
 * The models that a grader's code names as a text: `model="openai:gpt-5.4-mini"`, `"model": "…"`, `JUDGE = "…"`. What the
 * code has in quotes is the suite's own choice, as `allow_models` is; a name that an answer brings with it is not.
 */
export function modelsInCode(
  code: string,
  { part, modelsOfRun }: { readonly part: Part; readonly modelsOfRun: ModelsOfRun },
  context: ManifestContext,
): readonly ModelRef[] {
  const { providers } = modelsOfRun;
  const named = [...code.matchAll(quotedModel)].map(([, , model = ""]) => model);
  return [...new Set(named)].flatMap((model) => {
    const isKnown = providers.names.includes(model.slice(0, model.indexOf(":")));
    return isKnown ? (resolveModelRef({ ...part, value: model }, providers, context) ?? []) : [];
  });
}

/** An assignment, an argument or a key of a dict; no comparison. */
const quotedModel =
  /(?:(?<![=!<>])=(?!=)|["']model["']\s*:)\s*(["'])([\w-]{1,64}:[^\s"'\\]{1,200})\1/g;
