import type { JsonObject } from "./json.ts";

/** Values of flags that replace the manifest's; `run.json` records them. */
export interface Overrides {
  /** Candidates, in the place of all that the manifest declares. */
  readonly models?: readonly string[];
  readonly judge_model?: string;
  readonly embedding_model?: string;
  readonly concurrency?: number | "auto";
  /** Settings of model calls, for all candidates; a key of several parts, such as `reasoning.effort`, sets one within. */
  readonly generation?: JsonObject;
}
