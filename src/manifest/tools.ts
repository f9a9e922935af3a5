import type { Translated } from "../base/foreign.ts";
import type { Part } from "../base/part.ts";
import type { Overrides } from "../model/overrides.ts";
import type { ReadText, Environment } from "../model/ports.ts";

/** Tools for reading a manifest. */
export interface ManifestTools {
  /** Kind of a path, links followed. `real` of a missing one: where it would be. */
  readonly inspectPath: (absolutePath: string) => Promise<{
    readonly kind: "file" | "directory" | "missing";
    readonly real: string;
  }>;
  /** Throws a Refusal if a file can't be read. */
  readonly readText: ReadText;
  /** SHA-256 of a file's bytes, `sha256:<hex>`; throws as well. */
  readonly hashFile: (absolutePath: string) => Promise<string>;
  /** A suite in another tool's format as a manifest of ours; undefined if it is one of ours already. */
  readonly translate?: (root: Part) => Promise<Translated | undefined>;
  /** The environment of Regrade's process: it may have an Azure resource's address. */
  readonly environment: Environment;
  /** Values of flags, which go before the manifest's. */
  readonly overrides?: Overrides | undefined;
  /** The manifest is only checked, or read for its rules: a run of it may name its candidates. */
  readonly candidatesMayLack?: boolean | undefined;
}
