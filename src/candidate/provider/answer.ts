import type { Json, JsonObject } from "../../model/json.ts";
import type { TokenCount } from "./usage.ts";

/** A model's answer, independent of the API. */
export type ModelAnswer =
  | {
      readonly kind: "said";
      readonly text: string;
      /** Why the text was cut off, `max_output_tokens` or `content_filter`; undefined if it is complete. */
      readonly cutOff: string | undefined;
      /** Tool calls, visible thoughts, and other items without text. */
      readonly transcript: readonly JsonObject[];
      /** Encrypted thoughts, which the provider needs together with the results of the calls. */
      readonly thoughts?: readonly JsonObject[];
      readonly responseId: string | null;
      readonly tokens: TokenCount | null;
    }
  | {
      readonly kind: "refused";
      /** `refusal`: the model declined; `content_filter`: the provider blocked it. */
      readonly type: "refusal" | "content_filter";
      readonly message: string;
      readonly transcript: readonly JsonObject[];
      readonly responseId: string | null;
      readonly tokens: TokenCount | null;
    }
  | Malformed;

/** An answer that the model gave. */
export type SaidAnswer = Extract<ModelAnswer, { readonly kind: "said" }>;

/** A body that is JSON but no answer of this API, or half an answer of a provider that broke off. */
export interface Malformed {
  readonly kind: "malformed";
  readonly reason: string;
}

export const filteredWords = "the provider's content filter held the answer back";

/** A text; undefined if the value is no text, or an empty one. */
export function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
