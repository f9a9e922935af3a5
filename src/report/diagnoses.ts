import type { Run } from "../model/run.ts";
import type { PublishContent } from "../model/suite.ts";
import type { Block } from "./budget.ts";
import { toMarkdown, inlineCode, renderedOnce, inlineText } from "./layout.ts";
import { detailOf, ofSetUp } from "./words/diagnoses.ts";
import { quoted } from "./words/sentences.ts";

/**
 * Problems of the run's own set-up. They are not folded, because readers should know that the figures may be
 * meaningless.
 */
export function diagnosesBlock(run: Run, content: PublishContent): Block {
  const diagnoses = ofSetUp(run);
  const rows = renderedOnce(diagnoses, (each) => {
    const { task, candidate, message } = each;
    const detail = inlineText(detailOf(each, content));
    return `- ${inlineCode(task)}, ${inlineCode(candidate)}: ${toMarkdown(quoted(message))}${detail}`;
  });
  return {
    name: "notes on the set-up",
    rank: 2,
    rows: diagnoses.length,
    render: (shown) => (shown === 0 ? "" : `**Look at the set-up**\n\n${rows(shown).join("\n")}`),
  };
}
