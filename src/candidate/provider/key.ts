import { type Place, problem, type Problem } from "../../model/refusal.ts";
import type { ModelRef } from "../../model/definition/suite.ts";
import type { Provider } from "../../model/models/providers.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Result of looking up a provider's key; `none` if it needs none. */
type FoundKey =
  | { readonly kind: "none" }
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "missing" | "malformed"; readonly variable: string };

/** Looks up the key, without the white space at the ends of a pasted secret. */
export function findKey({ api_key_env: variable }: Provider, environment: Environment): FoundKey {
  if (variable === undefined) return { kind: "none" };
  const key = environment[variable]?.trim() ?? "";
  if (key === "") return { kind: "missing", variable };
  // The characters allowed in a header: RFC 9110 §5.5.
  return /^[\x21-\x7E]+$/.test(key) ? { kind: "key", key } : { kind: "malformed", variable };
}

/** Problems with a model's key, at the model's position in the manifest. */
export function keyProblems(
  { model, provider }: ModelRef,
  found: FoundKey,
  place: Place,
): readonly Problem[] {
  switch (found.kind) {
    case "none":
    case "key":
      return [];
    case "missing":
    case "malformed": {
      const code = found.kind === "missing" ? "model_key_missing" : "model_key_malformed";
      const about = { variable: found.variable, provider: provider.id, model };
      return [problem(code, about, place)];
    }
  }
}
