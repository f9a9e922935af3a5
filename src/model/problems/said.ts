/** Text of a problem: what was found, and what to do about it. */
export interface Said {
  readonly message: string;
  readonly hint?: string;
  /** The missing environment variable, if nothing else is wrong: where secrets are withheld that is no mistake. */
  readonly missing?: string;
  /** Number of further problems of the file that this text stands for. */
  readonly more?: number;
}

/** Joins names for a message: `jsonl, json or csv`. */
export function alternatives(names: readonly string[]): string {
  const [last = "", ...others] = names.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
}
