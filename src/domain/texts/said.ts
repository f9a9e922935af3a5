/** What a problem says: what was found, and what to do about it. */
export interface Said {
  readonly message: string;
  readonly hint?: string;
}
