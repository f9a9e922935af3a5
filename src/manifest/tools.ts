import type { Translated } from "../base/foreign.ts";
import type { Part } from "../base/part.ts";
import type { Overrides } from "../model/definition/overrides.ts";
import type { Environment } from "../model/ports/processes.ts";
import type { ReadText } from "../model/ports/files.ts";

/** Tools for reading a manifest. */
export interface ManifestTools {
  /** Kind of a path, links followed. `real`: the real path; of a missing file, the path that it would have. */
  readonly inspectPath: (absolutePath: string) => Promise<{
    readonly kind: "file" | "directory" | "missing";
    readonly real: string;
  }>;
  /** Throws a Refusal if a file can't be read. */
  readonly readText: ReadText;
  /** SHA-256 of a file's bytes, `sha256:<hex>`; throws as well. */
  readonly hashFile: (absolutePath: string) => Promise<string>;
  /** Converts a suite in another tool's format to a manifest of ours; undefined if it is one of ours already. */
  readonly translate?: (root: Part) => Promise<Translated | undefined>;
  /** The environment of Regrade's process: it may have an Azure resource's address. */
  readonly environment: Environment;
  /** Values of flags, which take precedence over the manifest's. */
  readonly overrides?: Overrides | undefined;
  /**
   * True if the manifest is only checked or read for its rules: its candidates may be missing, because a run may name
   * them.
   */
  readonly candidatesMayLack?: boolean | undefined;
}
