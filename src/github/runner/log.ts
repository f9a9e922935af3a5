import { randomUUID } from "node:crypto";
import { relative, resolve, sep } from "node:path";
import * as core from "@actions/core";
import type { Place, Problem } from "../../model/refusal.ts";

/**
 * The step's log. Any text may contain output of models, graders and data sets; none of it becomes a workflow command,
 * wherever it appears.
 */
export interface Log {
  /** Plain lines. */
  readonly info: (text: string) => void;
  /** Writes a long foreign output, escaped, and with the runner's command parser switched off around it. */
  readonly quote: (text: string) => void;
  readonly error: (note: Note) => void;
  readonly warning: (note: Note) => void;
  readonly notice: (note: Note) => void;
  /** Writes a collapsible group. Groups don't nest on GitHub. */
  readonly group: <T>(title: string, work: () => Promise<T>) => Promise<T>;
}

/** An annotation: its message, and where GitHub should display it. */
interface Note {
  readonly title: string;
  readonly message: string;
  readonly place?: Place | undefined;
}

interface LogOptions {
  /** Makes text harmless for a CI log; keeps its line breaks (report/escape.ts). */
  readonly escape: (text: string) => string;
  /** The repository's root, absolute; annotations name files relative to it. */
  readonly workspace: string;
}

/** The log on stdout, as GitHub's runner reads it. */
export function createLog({ escape, workspace }: LogOptions): Log {
  const annotate = (write: typeof core.error, { title, message, place }: Note): void => {
    // core escapes `%`, line breaks, `:` and `,` as the runner requires; the rest is escaped for readers.
    write(escape(message), { title: escape(title), ...annotationPlace(place, workspace) });
  };
  return {
    info: (text) => core.info(escape(text)),
    quote: (text) => core.info(quoted(escape(text))),
    error: (note) => annotate(core.error, note),
    warning: (note) => annotate(core.warning, note),
    notice: (note) => annotate(core.notice, note),
    group: async (title, work) => core.group(escape(title).replaceAll("\n", " "), work),
  };
}

/**
 * Wraps a text in commands that switch the runner's parser off and on. The token must not be guessable, because a line
 * that repeats it switches the parser on again. From then on the runner masks the token in the log.
 */
function quoted(text: string): string {
  const token = randomUUID();
  return `::stop-commands::${token}\n${text}\n::${token}::`;
}

/** A problem as an annotation: what was found, where in the document, what to do. */
export function noteOf({ message, hint, place }: Problem, title = "Regrade"): Note {
  const where = place?.path === undefined || place.path === "" ? "" : `${place.path}: `;
  const advice = hint === undefined ? "" : `\n${hint}`;
  return { title, message: `${where}${message}${advice}`, place };
}

/**
 * Position of an annotation: `file` is relative to the repository's root. A place outside the root can't be displayed
 * and is left out.
 */
export function annotationPlace(
  place: Place | undefined,
  workspace: string,
): { readonly file?: string; readonly startLine?: number; readonly startColumn?: number } {
  if (place === undefined) return {};
  const path = relative(workspace, resolve(place.file));
  if (path === "" || path === ".." || path.startsWith(`..${sep}`) || resolve(path) === path)
    return {};
  return {
    file: path.replaceAll(sep, "/"),
    ...(place.line === undefined ? {} : { startLine: place.line }),
    ...(place.column === undefined ? {} : { startColumn: place.column }),
  };
}
