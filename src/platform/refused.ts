import type { Problem } from "../domain/refusal.ts";

/** How text from outside is written into markdown (report/escape.ts). */
export interface MarkdownEscapes {
  readonly text: (text: string) => string;
  readonly code: (text: string) => string;
}

/** The summary of a suite that could not be run: every problem with its place and its way out. */
export function describeRefusal(
  subject: string,
  problems: readonly Problem[],
  escape: MarkdownEscapes,
): string {
  const lines = problems.map(({ message, hint, place }) => {
    const where = [place?.file, place?.line, place?.column].filter((part) => part !== undefined);
    const head = where.length > 0 ? `${escape.code(where.join(":"))} ` : "";
    const path =
      place?.path === undefined || place.path === "" ? "" : `${escape.code(place.path)}: `;
    const advice = hint === undefined ? "" : `<br>${escape.text(hint)}`;
    return `- ${head}${path}${escape.text(message)}${advice}`;
  });
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return [
    `## ⛔ ${escape.text(subject)} was not run`,
    "",
    `${count} to mend first. Nothing was judged, so this is neither a pass nor a fail.`,
    "",
    ...lines,
  ].join("\n");
}
