import type { Json } from "./json.ts";
import type { FileRef } from "./suite.ts";

/** Traffic of an agent that is kept in a file, or taken from it. */
export interface CassetteSpec {
  readonly file: FileRef;
  readonly mode: "record" | "replay";
}

/** Opens a file of kept answers, by what was asked. Throws a Refusal if it can't be read. */
export type OpenCassette = (spec: CassetteSpec) => Promise<Cassette>;

export interface Cassette {
  /** The last answer that was kept for it; undefined: none. */
  readonly find: (key: string) => Json | undefined;
  /** Throws a Refusal if it can't be written. */
  readonly keep: (key: string, about: string, value: Json) => Promise<void>;
}
