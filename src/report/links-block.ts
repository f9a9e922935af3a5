import type { Circumstances } from "../model/circumstances.ts";
import type { Run } from "../model/run.ts";
import type { Block } from "./budget.ts";
import { link } from "./escape.ts";
import { brokenAddress } from "./report-links.ts";
import { counted } from "./words/figures.ts";
import { asExplained } from "./words/relaxed.ts";
import { worseCases } from "./words/worse-cases.ts";

/** Links to the run's page; empty if there is no page. */
export function linksBlock(run: Run, circumstances: Circumstances | undefined): Block {
  const { reportUrl, runUrl } = circumstances ?? {};
  const { total } = worseCases(asExplained(run));
  const broke = total === 1 ? "the case" : `the ${counted(total, "case")}`;
  const links = [
    ...(reportUrl === undefined ? [] : [`**${link("Open the report", reportUrl)}**`]),
    ...(total === 0 ? [] : [link(broke, brokenAddress(circumstances))]),
    ...(runUrl === undefined ? [] : [link("job log", runUrl)]),
  ];
  const isShown = reportUrl !== undefined;
  return {
    name: "links",
    rank: 1,
    rows: isShown ? 1 : 0,
    render: (rows) => (rows === 0 ? "" : links.join(" · ")),
  };
}
