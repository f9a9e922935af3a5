import type { Json, JsonObject } from "../model/json.ts";
import type { HiddenText } from "../model/secrets.ts";
import type { Problem } from "../model/refusal.ts";
import type { Locate } from "./place.ts";

/** A file of another tool as a manifest of ours, or all problems. */
export type Translated =
  | {
      readonly kind: "translated";
      readonly value: Json;
      readonly locate: Locate;
      /** Data that a report in the tool's own format needs. */
      readonly about: JsonObject;
      /** Values of variables that are a part of the manifest, and what is shown instead. */
      readonly hidden: readonly HiddenText[];
      readonly warnings: readonly Problem[];
    }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };
