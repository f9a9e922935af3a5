import type { Json, JsonObject } from "../model/json.ts";
import type { HiddenText } from "../model/ports/secrets.ts";
import type { Problem } from "../model/refusal.ts";
import type { Locate } from "./place.ts";

/** Result of translating another tool's file: a manifest, or all problems. */
export type Translated =
  | {
      readonly kind: "translated";
      readonly value: Json;
      readonly locate: Locate;
      /** Data that a report in the tool's own format needs. */
      readonly about: JsonObject;
      /** Values of variables that became part of the manifest, and the texts shown instead. */
      readonly hidden: readonly HiddenText[];
      readonly warnings: readonly Problem[];
    }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };
