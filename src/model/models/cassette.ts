import type { Json } from "../json.ts";
import type { FileRef } from "../definition/suite.ts";

/** A file that records the traffic of an agent, or replays it. */
export interface CassetteSpec {
  readonly file: FileRef;
  readonly mode: "record" | "replay";
}

/** Opens a file of recorded answers, which are found by request. Throws a Refusal if it can't be read. */
export type OpenCassette = (spec: CassetteSpec) => Promise<Cassette>;

export interface Cassette {
  /** The last answer that was recorded for the key; undefined: none. */
  readonly find: (key: string) => Json | undefined;
  /** Throws a Refusal if it can't be written. */
  readonly keep: (key: string, about: string, value: Json) => Promise<void>;
}
