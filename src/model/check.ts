/** Content of a check run. GitHub requires a title and a summary. */
export interface CheckOutput {
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  /** All of them; GitHub takes `annotationsPerRequest` at a time and appends. */
  readonly annotations: readonly Annotation[];
}

export const annotationsPerRequest = 50;

/** A note on a line, in the shape that GitHub's API takes. */
export interface Annotation {
  /** Relative to the repository's root. */
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: "notice" | "warning" | "failure";
  /** 64 KB at most. */
  readonly message: string;
  /** 255 characters at most. */
  readonly title: string;
}
