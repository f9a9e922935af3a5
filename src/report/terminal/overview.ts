import type { Run } from "../../model/outcomes/run.ts";
import { type Verdict, worstVerdict } from "../../model/outcomes/verdict.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { costWords, count, counted, duration } from "../words/figures.ts";
import { columns, type TextCell } from "./text-table.ts";
import { statusMarks } from "../words/titles.ts";
import { verdictWords } from "../words/verdict.ts";

/** The last lines for several suites: one line for each, worst first, and one for all of them. */
export function renderOverview(
  runs: readonly Run[],
  { notRun, width }: { readonly notRun: readonly string[]; readonly width: number },
): string {
  const order = runs.toSorted((a, b) => rankOf(a) - rankOf(b));
  const rows = order.map((run): readonly TextCell[] => {
    const { tone, title } = verdictWords(run);
    return [
      cell(run.suite.name),
      cell(`${statusMarks[tone]} ${title}`),
      cell(counted(run.cases.declared, "case")),
      cell(costWords(run.usage)),
      cell(duration(run.timing.seconds)),
    ];
  });
  const left = notRun.map((suite) => [cell(suite), cell("not run")]);
  return `${columns([...rows, ...left.map(filled)], width)}\n${totals(runs, notRun)}\n`;
}

const verdicts: readonly Verdict[] = ["error", "fail", "inconclusive", "pass", "neutral"];
const words: Readonly<Record<Verdict, string>> = {
  error: "without a verdict",
  fail: "failed",
  inconclusive: "inconclusive",
  pass: "passed",
  neutral: "not gated",
};

function rankOf({ gate }: Run): number {
  return verdicts.indexOf(gate.verdict);
}

function totals(runs: readonly Run[], notRun: readonly string[]): string {
  const counts = verdicts.flatMap((verdict) => {
    const n = runs.filter(({ gate }) => gate.verdict === verdict).length;
    return n === 0 ? [] : [`${count(n)} ${words[verdict]}`];
  });
  const left = notRun.length === 0 ? [] : [`${count(notRun.length)} not run`];
  const all = counted(runs.length + notRun.length, "suite");
  const worst = worstVerdict(runs.map(({ gate }) => gate.verdict));
  return `${all}: ${[...counts, ...left].join(", ")}; the worst decides: ${worst}`;
}

function cell(text: string): TextCell {
  return { text: escapeLogLine(clip(text, 200)), align: "left" };
}

function filled(row: readonly TextCell[]): readonly TextCell[] {
  return [...row, ...Array.from({ length: 3 }, () => cell(""))].slice(0, 5);
}
