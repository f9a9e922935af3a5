/** Text of a problem: what was found, and what to do about it. */
export interface Said {
  readonly message: string;
  readonly hint?: string;
  /** The environment variable that is missing, where nothing else is: without secrets that is no mistake. */
  readonly missing?: string;
}

/** `jsonl, json or csv`. */
export function alternatives(names: readonly string[]): string {
  const [last = "", ...others] = names.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
}
