/** The bytes of a file, in order, read as they are asked for. Throws a Refusal if it can't be read. */
export type ReadBytes = (absolutePath: string) => AsyncIterable<Uint8Array>;
export type ReadText = (absolutePath: string) => Promise<string>;
/** SHA-256 of a text, `sha256:<hex>`. */
export type HashText = (text: string) => string;

/** A file that is read by position. Throws a Refusal if it can't be opened or read. */
export type OpenFile = (absolutePath: string) => Promise<OpenedFile>;

export interface OpenedFile {
  /** Returns fewer bytes than requested only at the end of the file. */
  readonly read: (offset: number, length: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** A file that a path or a glob names. `path`: as the user would write it. `size`: in bytes. */
export interface FoundFile {
  readonly path: string;
  readonly absolute: string;
  readonly size: number;
}

/** A private temporary file; `remove` deletes it. Throws a Refusal if the disk is full. */
export interface Scratch {
  readonly absolute: string;
  readonly append: (line: string) => Promise<void>;
  /** Must be called before the file is read. */
  readonly finish: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Remembers the state of all files in a folder. `altered`: those that were changed, added or removed since then. */
export type StampTree = (root: string) => Promise<{
  readonly altered: () => Promise<readonly { readonly path: string; readonly isNew: boolean }[]>;
}>;
