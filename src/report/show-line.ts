import type { Circumstances } from "../model/circumstances.ts";
import type { Run } from "../model/run.ts";
import { changedGroups } from "./cases.ts";
import { codeSpan } from "./escape.ts";
import { quoteWord } from "./shell-word.ts";

/** The command that shows a broken case as it was here, for the first of them; nothing if none broke. */
export function showLine(run: Run, { runId, severalSuites }: Circumstances): readonly string[] {
  const [first] = changedGroups(run, "broke").flatMap(({ cases }) => cases);
  if (first === undefined) return [];
  const { case_id: id } = first;
  const word = `${id.startsWith("-") ? "-- " : ""}${quoteWord(id)}`;
  const suite = severalSuites === true ? `--suite ${quoteWord(run.suite.name)} ` : "";
  return [`Look into a case: ${codeSpan(`regrade show ${suite}${runId} ${word}`)}`];
}
