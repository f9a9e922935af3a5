import { isJsonObject, numberText, type Json } from "../json.ts";

/** Files that an agent left in its folder. */
export type Workspace = {
  /** Sorted by path. */
  readonly files: readonly WorkspaceFile[];
  /** Number of further files, which are not stored. */
  readonly omitted: number;
};

export type WorkspaceFile = {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly change: FileChange;
  readonly bytes: number;
  /** `sha256:<hex>` of the content; null if unreadable, deleted or a link. */
  readonly sha256: string | null;
  /** null if it is not UTF-8 text, or too large to be stored. */
  readonly text: string | null;
  /** The content of a small file that is not text. */
  readonly base64?: string;
  /** Target of a symbolic link, as written; it is never followed. */
  readonly link?: string;
};

const changes = ["added", "modified", "deleted", "kept"] as const;
/** The change since the agent began. */
export type FileChange = (typeof changes)[number];

/** Largest file whose content is kept. */
export const mostKeptBytes = 256 * 1024;
/** Limit of all stored contents of a sample together, as JSON. */
export const mostWorkspaceBytes = 4 * 1024 * 1024;
/** Limit of listed files. */
export const mostWorkspaceFiles = 10_000;

/** Reads a workspace from a program or a recording; undefined if the value is none. */
export function readWorkspace(value: unknown): Workspace | undefined {
  if (!isJsonObject(value)) return undefined;
  const { files, omitted = 0 } = value;
  if (!Array.isArray(files) || typeof omitted !== "number") return undefined;
  const read = files.map(readFile);
  const whole = read.filter((each) => each !== undefined);
  return whole.length === files.length ? { files: whole, omitted } : undefined;
}

function readFile(value: Json): WorkspaceFile | undefined {
  if (!isJsonObject(value)) return undefined;
  const { path, bytes, sha256 = null, text = null, base64, link } = value;
  const change = changes.find((each) => each === value["change"]);
  const size = Number(numberText(bytes) ?? Number.NaN);
  if (typeof path !== "string" || change === undefined || !Number.isFinite(size)) return undefined;
  if (!isTextOrNull(sha256) || !isTextOrNull(text)) return undefined;
  return {
    path,
    change,
    bytes: size,
    sha256,
    text,
    ...(typeof base64 === "string" && { base64 }),
    ...(typeof link === "string" && { link }),
  };
}

function isTextOrNull(value: Json): value is string | null {
  return value === null || typeof value === "string";
}

/**
 * Makes a fresh folder outside the checkout for one run of an agent: `folders` are copied in, each to `target` inside
 * it, and `files` are written, by their paths inside it.
 */
export type OpenWorkspace = (wanted: {
  readonly folders: readonly { readonly source: string; readonly target: string }[];
  readonly files: Readonly<Record<string, string>>;
}) => Promise<OpenedWorkspace | { readonly kind: "not_opened"; readonly message: string }>;

export interface OpenedWorkspace {
  readonly kind: "opened";
  /** The agent's working directory. Absolute, like `home` and `temporary`. */
  readonly directory: string;
  readonly home: string;
  readonly temporary: string;
  /** Marks the processes of this run, so that they can be found. */
  readonly mark: string;
  readonly writeHome: (path: string, text: string) => Promise<void>;
  readonly readHome: (path: string) => Promise<string | undefined>;
  readonly capture: () => Promise<Workspace>;
  readonly remove: () => Promise<void>;
}
