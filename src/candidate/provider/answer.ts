import type { Json, JsonObject } from "../../model/json.ts";
import type { TokenCount } from "./usage.ts";

/** A model's answer, independent of the API. */
export type ModelAnswer =
  | {
      readonly kind: "said";
      readonly text: string;
      /** Why the text ends before its end: `max_output_tokens`, `content_filter`; undefined: it does not. */
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
      /** `refusal`: the model declined; `content_filter`: its provider did. */
      readonly type: "refusal" | "content_filter";
      readonly message: string;
      readonly transcript: readonly JsonObject[];
      readonly responseId: string | null;
      readonly tokens: TokenCount | null;
    }
  | Malformed;

/** One that the model gave. */
export type SaidAnswer = Extract<ModelAnswer, { readonly kind: "said" }>;

/** JSON, but not of this API, or half an answer of a provider that broke off. */
export interface Malformed {
  readonly kind: "malformed";
  readonly reason: string;
}

export const filteredWords = "the provider's content filter held the answer back";

/** A text, or undefined if it is none or empty. */
export function textIn(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
