import type { JsonObject } from "./json.ts";

/** Values that flags give in the place of the manifest's; `run.json` keeps them. */
export interface Overrides {
  /** Candidates, in the place of all that the manifest declares. */
  readonly models?: readonly string[];
  readonly judge_model?: string;
  readonly embedding_model?: string;
  readonly concurrency?: number | "auto";
  /** Settings of model calls, for all candidates; a key of several parts, such as `reasoning.effort`, sets one within. */
  readonly generation?: JsonObject;
}
