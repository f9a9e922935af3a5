/** Content of a check run. GitHub requires a title and a summary. */
export interface CheckOutput {
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  /** All annotations. GitHub accepts `annotationsPerRequest` at a time and appends them. */
  readonly annotations: readonly Annotation[];
}

export const annotationsPerRequest = 50;

/** A note on a line, in the form of GitHub's API. */
export interface Annotation {
  /** Relative to the repository's root. */
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: "notice" | "warning" | "failure";
  /** At most 64 KB. */
  readonly message: string;
  /** At most 255 characters. */
  readonly title: string;
}
