import { posix, relative, sep } from "node:path";
import type { Locate } from "../base/place.ts";
import type { Json } from "../model/json.ts";
import type { Environment } from "../model/ports/processes.ts";

/** Access to files and variables for a dialect. Paths are absolute. */
export interface DialectTools {
  /** `directory`: the folder of the other tool's file. `root`: the folder that no path may leave. */
  readonly directory: string;
  readonly root: string;
  /** The absolute folder to which paths in the resulting document are relative. */
  readonly documentDirectory: string;
  /** Keys that one of our manifests sets itself in addition to `uses`; undefined if the file itself is the suite. */
  readonly ownKeys: ReadonlySet<string> | undefined;
  readonly environment: Environment;
  /** undefined if the file is missing, or not inside the root. */
  readonly readText: (path: string) => Promise<string | undefined>;
  /** SHA-256 of a file, in hexadecimal; undefined if it is missing, no file, or not inside the root. */
  readonly hashFile: (path: string) => Promise<string | undefined>;
  readonly isThere: (path: string) => Promise<boolean>;
  /** The files that a glob matches, relative to a folder; sorted, absolute paths. */
  readonly filesOf: (glob: string, folder: string) => Promise<readonly string[]>;
  /** The Python files of a folder and its subfolders. */
  readonly pythonFiles: (folder: string) => Promise<readonly string[]>;
  /** Parses a YAML file; undefined if it can't be read. */
  readonly parse: (text: string, file: string) => ParsedText | undefined;
}

/** A path relative to the document's folder, with forward slashes. */
export function pathInDocument(path: string, { documentDirectory }: DialectTools): string {
  const found = relative(documentDirectory, path).replaceAll(sep, "/");
  return found === "" ? "." : posix.normalize(found);
}

interface ParsedText {
  readonly value: Json;
  readonly locate: Locate;
}
