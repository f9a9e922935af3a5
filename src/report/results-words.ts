import type { Run } from "../model/outcomes/run.ts";
import { counted } from "./words/figures.ts";
import { shellWord } from "./shell-word.ts";

/** Arguments after `regrade run` that repeat a run: its manifest, or the judged results and their rules. */
export function whatToRun({ suite, results = [] }: Run): readonly string[] {
  const [first] = results;
  if (first?.asked === undefined) return [shellWord(suite.path)];
  const { paths, name, max_drop: drop, min, metrics } = first.asked;
  return [
    "--results",
    ...paths.map(shellWord),
    `--format=${first.format}`,
    `--name=${shellWord(name)}`,
    ...(drop === null ? [] : [`--max-drop=${drop}`]),
    ...(min === null ? [] : [`--min=${min}`]),
    ...metrics.map((metric) => `--metric=${shellWord(metric)}`),
  ];
}

/** The tool that recorded the results; empty for an ordinary run. */
export function resultsWords({ results = [] }: Run): string {
  return results
    .map(({ tool, files: [first = "", ...others] }) => {
      const more = others.length === 0 ? "" : ` and ${counted(others.length, "more file")}`;
      return `of ${tool}, from ${first}${more}`;
    })
    .join("; ");
}
