import type { Run } from "../../model/outcomes/run.ts";
import type { Block } from "./budget.ts";
import { details, inlineCode, renderedOnce, inlineText, table } from "./layout.ts";
import { judgesOf, peopleLines, voidLines } from "../words/judges.ts";

const differencesShown = 20;

/** Judged metrics beside what people would give, folded. */
export function judgesBlock(run: Run): Block {
  const judges = judgesOf(run);
  const isOne = run.candidates.length < 2;
  const heads = ["Metric", "Candidate", "By the judge", "As people would", "Labels", "Agreement"];
  const rows = renderedOnce(judges, (words) => [
    inlineCode(words.name),
    isOne ? "" : inlineCode(words.candidate),
    inlineText(words.judge),
    words.method === "" ? "–" : `${inlineText(words.people)}<br><sub>${words.method}</sub>`,
    inlineText(words.labels),
    inlineText([words.alike, words.chance].filter((part) => part !== "").join("; ")),
  ]);
  const lines = peopleLines(run).map((line) => `- ${inlineText(line)}`);
  const differences = lines.length === 0 ? [] : [lines.slice(0, differencesShown).join("\n")];
  return {
    name: "judges beside people",
    rank: 4,
    rows: judges.length,
    render: (shown) =>
      shown === 0
        ? ""
        : details(
            "The judge beside people",
            [table(heads, "llrrrl", rows(shown)), ...differences].join("\n\n"),
          ),
  };
}

/** Calibrations that no longer apply, unfolded: what they said is not shown any more. */
export function voidJudgesBlock(run: Run): Block {
  const lines = renderedOnce(voidLines(run), (line) => `- ${inlineText(line)}`);
  const rows = voidLines(run).length;
  return {
    name: "void calibrations",
    rank: 3,
    rows,
    render: (shown) =>
      shown === 0 ? "" : `**The judge is not calibrated any more**\n\n${lines(shown).join("\n")}`,
  };
}
