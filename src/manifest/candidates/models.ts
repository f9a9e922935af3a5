import type { JsonObject } from "../../model/json.ts";
import { nearest } from "../../base/nearest.ts";
import { problem } from "../../model/refusal.ts";
import type { ModelRef } from "../../model/definition/suite.ts";
import type { Provider } from "../../model/models/providers.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { ManifestContext } from "../context.ts";
import { checkSent, mergeSettings, readSettings } from "./generation.ts";
import { at, type Part, placeOf, textOf } from "../../base/part.ts";
import type { Providers } from "./providers.ts";

/** Settings that all model candidates of a suite share. */
export interface ModelDefaults {
  readonly providers: Providers;
  /** The run's settings, aliases resolved. */
  readonly settings: JsonObject;
}

/** Models for graders, and all other known models. */
export interface ModelsOfRun {
  readonly providers: Providers;
  readonly judge_model: ModelRef | undefined;
  /** Whether the run names a judge, even one that is refused. */
  readonly names_judge: boolean;
  readonly embedding_model: ModelRef | undefined;
  readonly names_embedding: boolean;
}

/** A model candidate: `provider:model`, or an object with `model` and its own settings. */
export function resolveModel(
  { id, part }: { readonly id: string; readonly part: Part },
  defaults: ModelDefaults,
  context: ManifestContext,
): CandidateSpec | undefined {
  const named = typeof part.value === "string" ? part : at(part, "model");
  const own = readSettings(part, context);
  const model = textOf(named);
  if (model === undefined || model === "") return undefined;
  const [provider, name] = [findProvider(named, defaults.providers, context), nameOf(model)];
  const generation = mergeSettings(defaults.settings, own);
  if (provider === undefined || generation === undefined) return undefined;
  checkSent({ generation, provider, model }, part, context);
  return { id, kind: "model", model, provider, name, generation };
}

/** A model that graders ask. undefined if it is absent or refused. */
export function resolveModelRef(
  part: Part,
  providers: Providers,
  context: ManifestContext,
): ModelRef | undefined {
  const model = textOf(part);
  if (model === undefined || model === "") return undefined;
  const provider = findProvider(part, providers, context);
  return provider && { model, provider, name: nameOf(model) };
}

/** The first colon ends the provider's name: models may have more of them (`ollama:llama3.1:8b`). */
function findProvider(
  part: Part,
  providers: Providers,
  context: ManifestContext,
): Provider | undefined {
  const model = textOf(part) ?? "";
  const id = model.slice(0, Math.max(model.indexOf(":"), 0));
  if (id === "" || nameOf(model).trim() === "") {
    const bare = model.replaceAll(/^:|:$/g, "");
    return context.refuse(problem("model_without_provider", { model: bare }, placeOf(part)));
  }
  const found = providers.find(id, part);
  if (found === "refused") return undefined;
  if (found !== "unknown") return found;
  const { names } = providers;
  const unknown = { provider: id, known: names, nearest: nearest(id, names) };
  return context.refuse(problem("provider_unknown", unknown, placeOf(part)));
}

function nameOf(model: string): string {
  return model.slice(model.indexOf(":") + 1);
}
