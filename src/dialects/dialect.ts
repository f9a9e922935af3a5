import { posix, relative, sep } from "node:path";
import type { Locate } from "../base/place.ts";
import type { Json } from "../model/json.ts";
import type { Environment } from "../model/processes.ts";

/** Access to files and environment that a dialect needs. Paths are absolute. */
export interface DialectTools {
  /** The folder of the other tool's file, and the folder that no path leaves. */
  readonly directory: string;
  readonly root: string;
  /** The folder that paths of the document start from, absolute. */
  readonly documentDirectory: string;
  /** Keys that a manifest of ours with `uses` sets itself; undefined: the file itself is the suite. */
  readonly ownKeys: ReadonlySet<string> | undefined;
  readonly environment: Environment;
  /** undefined: it is not there, or not inside the root. */
  readonly readText: (path: string) => Promise<string | undefined>;
  /** SHA-256 of a file, in hexadecimal; undefined: it is not there, no file, or not inside the root. */
  readonly hashFile: (path: string) => Promise<string | undefined>;
  readonly isThere: (path: string) => Promise<boolean>;
  /** The files that a glob names from a folder on, sorted; absolute. */
  readonly filesOf: (glob: string, folder: string) => Promise<readonly string[]>;
  /** The Python files of a folder, including subfolders. */
  readonly pythonFiles: (folder: string) => Promise<readonly string[]>;
  /** A YAML file as data; undefined if it can't be read. */
  readonly parse: (text: string, file: string) => ParsedText | undefined;
}

/** A path as the document has it, with forward slashes. */
export function pathInDocument(path: string, { documentDirectory }: DialectTools): string {
  const found = relative(documentDirectory, path).replaceAll(sep, "/");
  return found === "" ? "." : posix.normalize(found);
}

interface ParsedText {
  readonly value: Json;
  readonly locate: Locate;
}
