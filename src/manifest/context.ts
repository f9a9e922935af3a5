import type { Problem } from "../model/refusal.ts";
import type { Part } from "../base/part.ts";
import type { ManifestTools } from "./tools.ts";

/** Shared context of a manifest's checks: where paths start, and where problems are collected. */
export interface ManifestContext {
  /** The manifest's folder, its path as messages name it, and the folder that no path leaves. Folders are absolute. */
  readonly directory: string;
  readonly path: string;
  readonly root: string;
  /** `root` with its links followed. */
  readonly realRoot: string;
  readonly inspectPath: ManifestTools["inspectPath"];
  readonly readText: ManifestTools["readText"];
  readonly hashFile: ManifestTools["hashFile"];
  readonly environment: ManifestTools["environment"];
  readonly candidatesMayLack?: ManifestTools["candidatesMayLack"];
  readonly overrides?: ManifestTools["overrides"];
  /** The manifest's `files`. */
  readonly files: Part;
  readonly usedFileIds: Set<string>;
  /** True if a key of this mapping is misspelt, so that missing keys need no report. */
  readonly misspelt: (part: Part) => boolean;
  readonly refuse: (problem: Problem) => undefined;
  readonly warn: (problem: Problem) => void;
}
