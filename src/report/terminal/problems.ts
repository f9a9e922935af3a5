import { styleText } from "node:util";

import { countProblems, type Place, type Problem } from "../../model/refusal.ts";
import { escapeLog, escapeLogLine } from "../escape.ts";
import { counted } from "../words/figures.ts";

/**
 * Problems as text for stderr: grouped by file and in its order, with `file:line:column` first, so that editors and
 * terminals can open it, the hint indented below, and the number of problems at the end.
 */
export function renderProblems(
  problems: readonly Problem[],
  options: { readonly colour: boolean; readonly word?: "problem" | "warning" },
): string {
  if (problems.length === 0) return "";
  const paint = options.colour ? inColour : plain;
  const files = Map.groupBy(problems, (item) => item.place?.file);
  const groups = [...files.values()].map((items) =>
    items
      .toSorted(byPlace)
      .map((item) => problemText(item, paint))
      .join("\n"),
  );
  return `${groups.join("\n\n")}\n\n${paint.strong(total(countProblems(problems), { word: options.word ?? "problem", files }))}\n`;
}

interface Paint {
  readonly strong: (text: string) => string;
  readonly dim: (text: string) => string;
}

const plain: Paint = { strong: (text) => text, dim: (text) => text };
const inColour: Paint = {
  strong: (text) => styleText("bold", text, { validateStream: false }),
  dim: (text) => styleText("dim", text, { validateStream: false }),
};

function problemText({ message, hint, place }: Problem, paint: Paint): string {
  const path =
    place?.path === undefined || place.path === "" ? "" : `${escapeLogLine(place.path)}: `;
  const where = place === undefined ? "" : `${paint.strong(`${position(place)}:`)} `;
  const text = `${where}${path}${indented(message)}`;
  return hint === undefined ? text : `${text}\n  ${paint.dim(indented(hint))}`;
}

function position({ file, line, column }: Place): string {
  const parts = [escapeLogLine(file), line, column];
  return parts.filter((part) => part !== undefined).join(":");
}

function indented(text: string): string {
  return escapeLog(text.trimEnd()).replaceAll("\n", "\n  ");
}

function byPlace(a: Problem, b: Problem): number {
  // `and 3 more problems` comes last.
  if (a.more !== b.more) return (a.more ?? 0) - (b.more ?? 0);
  const line = (a.place?.line ?? 0) - (b.place?.line ?? 0);
  return line === 0 ? (a.place?.column ?? 0) - (b.place?.column ?? 0) : line;
}

function total(
  problems: number,
  { word, files }: { word: string; files: ReadonlyMap<string | undefined, unknown> },
): string {
  const named = [...files.keys()].filter((file) => file !== undefined).length;
  return `${counted(problems, word)}${named > 1 ? ` in ${named} files` : ""}`;
}
