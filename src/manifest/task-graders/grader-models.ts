import { problem } from "../../model/refusal.ts";
import type { ModelRef } from "../../model/definition/suite.ts";
import type { GraderContract, GraderModels } from "../../model/definition/graders.ts";
import type { BuiltinDeclaration } from "../../model/builtins/declaration.ts";
import type { ManifestContext } from "../context.ts";
import { type ModelsOfRun, resolveModelRef } from "../candidates/models.ts";
import {
  at,
  booleanOf,
  itemsOf,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
} from "../../base/part.ts";

/** Limit of calls per execution if the manifest has none. */
const defaultModelCalls = 64;

/** Access to models for checks of rows, some of which ask judges. */
export function rowCheckModels(
  part: Part,
  { providers }: ModelsOfRun,
  context: ManifestContext,
): GraderModels | undefined {
  const max_calls = numberOf(at(part, "judge_calls")) ?? 0;
  if (max_calls === 0) return undefined;
  const allow_models = itemsOf(at(part, "judge_models")).flatMap((item) =>
    textOf(item) === "auto" ? [] : (resolveModelRef(item, providers, context) ?? []),
  );
  return { max_calls, allow_models, allow_tools: true, allow_urls: false };
}

const keysOfModels = ["max_model_calls", "allow_models", "allow_tools", "allow_urls"];

/** Limits on a grader's requests to models; undefined without access to them. */
export function resolveModels(
  part: Part,
  {
    contract,
    code,
    modelsOfRun,
  }: {
    readonly contract: GraderContract;
    readonly code: string;
    readonly modelsOfRun: ModelsOfRun;
  },
  context: ManifestContext,
): GraderModels | undefined {
  const access = at(part, "model_access");
  const allow_models = itemsOf(at(part, "allow_models")).flatMap(
    (item) => resolveModelRef(item, modelsOfRun.providers, context) ?? [],
  );
  if ((textOf(access) ?? (contract === "model_backed" ? "mka1" : "none")) === "none") {
    if (contract === "model_backed") {
      context.warn(problem("contract_without_models", undefined, placeOf(access)));
    }
    const why =
      "the grader has no access to models (contract: model_backed, or model_access: mka1)";
    for (const key of presentKeys(part, keysOfModels)) {
      context.warn(problem("setting_idle", { key, why }, keyPlaceOf(at(part, key))));
    }
    return undefined;
  }
  return {
    max_calls: numberOf(at(part, "max_model_calls")) ?? defaultModelCalls,
    allow_models,
    named_in_code: modelsInCode(code, { part, modelsOfRun }, context),
    allow_tools: booleanOf(at(part, "allow_tools")) ?? false,
    allow_urls: booleanOf(at(part, "allow_urls")) ?? false,
  };
}

/** Access to models for a built-in grader that asks a judge: the suite decides no part of the request. */
export function judgeModels(
  part: Part,
  { modelCalls, asksEmbedding, isHere }: BuiltinDeclaration,
  {
    modelsOfRun,
    context,
  }: { readonly modelsOfRun: ModelsOfRun; readonly context: ManifestContext },
): GraderModels {
  const keys = asksEmbedding ? ["model", "embedding_model"] : ["model"];
  const allow_models = keys.flatMap((key) => {
    const own = at(part, key);
    if (textOf(own) === "auto") return [];
    return resolveModelRef(own, modelsOfRun.providers, context) ?? [];
  });
  return {
    // A judge is not asked again if its verdict is none of the allowed ones.
    max_calls: modelCalls ?? 1,
    allow_models,
    // The functions are the grader's own, and are not executed.
    allow_tools: isHere === true,
    allow_urls: false,
  };
}

/**
 * The models that a grader's code names as a text: `model="openai:gpt-5.4-mini"`, `"model": "…"`, `JUDGE = "…"`. Names
 * in quotes are the suite's own choice, as `allow_models` is; a name that comes with an answer is not.
 */
function modelsInCode(
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

/** An assignment, an argument or a key of a dict, but not a comparison. */
const quotedModel =
  /(?:(?<![=!<>])=(?!=)|["']model["']\s*:)\s*(["'])([\w-]{1,64}:[^\s"'\\]{1,200})\1/g;
