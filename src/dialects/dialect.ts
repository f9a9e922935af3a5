import type { Locate } from "../base/place.ts";
import type { Json } from "../model/json.ts";

/** Access to files and environment that a dialect needs. Paths are absolute. */
export interface DialectTools {
  /** The manifest's folder, and the folder that no path leaves. */
  readonly directory: string;
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** undefined: it is not there, or not inside the root. */
  readonly readText: (path: string) => Promise<string | undefined>;
  readonly isThere: (path: string) => Promise<boolean>;
  /** The Python files of a folder and of those below it. */
  readonly pythonFiles: (folder: string) => Promise<readonly string[]>;
  /** A YAML file as data; undefined where it can't be read. */
  readonly parse: (text: string, file: string) => ParsedText | undefined;
}

interface ParsedText {
  readonly value: Json;
  readonly locate: Locate;
}
