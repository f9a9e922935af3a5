import type { Run } from "../../model/outcomes/run.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import type { Block } from "./budget.ts";
import { toMarkdown, inlineCode, renderedOnce } from "./layout.ts";
import { diagnosisSentence, ofSetUp } from "../words/diagnoses.ts";

/**
 * Problems of the run's own set-up. They are not folded, because readers should know that the figures may be
 * meaningless.
 */
export function diagnosesBlock(run: Run, content: PublishContent): Block {
  const diagnoses = ofSetUp(run);
  const rows = renderedOnce(diagnoses, (each) => {
    const place = `${inlineCode(each.task)}, ${inlineCode(each.candidate)}`;
    return `- ${place}: ${toMarkdown(diagnosisSentence(each, content))}`;
  });
  return {
    name: "notes on the set-up",
    rank: 2,
    rows: diagnoses.length,
    render: (shown) => (shown === 0 ? "" : `**Look at the set-up**\n\n${rows(shown).join("\n")}`),
  };
}
