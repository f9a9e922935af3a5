import { errorLine } from "../../base/error-line.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import type { Block } from "./budget.ts";
import type { ErrorGroup } from "./detail-blocks.ts";
import { clip, htmlCode } from "../escape.ts";
import { details, inlineCode, inlineText, table } from "./layout.ts";
import { count, counted } from "../words/figures.ts";

/** Samples without a valid score, by type of error. */
export function errorsBlock(errors: readonly ErrorGroup[], content: PublishContent): Block {
  const heads = ["Type", "Task", "Stage", "Fault", "Samples", "Cases", "First message"];
  const rows = errors.map((group) => [
    inlineCode(group.type),
    inlineCode(group.task),
    group.stage,
    group.fault,
    count(group.count),
    group.caseIds
      .slice(0, 3)
      .map((id) => inlineCode(id))
      .join(" "),
    content === "ids" ? "" : inlineText(clip(errorLine(group.message).text, 200)),
  ]);
  const total = errors.reduce((sum, group) => sum + group.count, 0);
  return {
    name: "errors",
    rank: 3,
    rows: rows.length,
    render: (shown) =>
      shown === 0
        ? ""
        : details(
            `Errors (${counted(total, "sample")}): ${typesOf(errors)}`,
            table(heads, "llllrll", rows.slice(0, shown)),
          ),
  };
}

const typesShown = 3;

/** The types of errors as HTML, so that they are readable before the click: `28 rate_limit, 3 timeout`. */
function typesOf(errors: readonly ErrorGroup[]): string {
  const byType = [...Map.groupBy(errors, ({ type }) => type)].map(([type, groups]) => ({
    type,
    samples: groups.reduce((sum, group) => sum + group.count, 0),
  }));
  const most = byType.toSorted((a, b) => b.samples - a.samples);
  const shown = most
    .slice(0, typesShown)
    .map(({ type, samples }) => `${count(samples)} ${htmlCode(clip(type, 80))}`);
  const more = most.length > typesShown ? ` and ${count(most.length - typesShown)} more types` : "";
  return `${shown.join(", ")}${more}`;
}
