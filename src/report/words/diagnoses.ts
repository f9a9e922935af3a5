import { crash, lossMessage } from "../../model/compared.ts";
import type { Diagnosis } from "../../model/diagnosis.ts";
import type { Run } from "../../model/run.ts";
import type { PublishContent } from "../../model/suite.ts";
import { clip } from "../escape.ts";
import { name, quoted, text, type RichText } from "./sentences.ts";

/** Limit in UTF-16 units of a sample's text. */
const longestDetail = 300;
/** More lines would push the figures out of sight. */
const crashesShown = 3;

/** Problems of the run's own set-up, one line each, for a terminal or a log. */
export function diagnosisLines(run: Run): readonly string[] {
  return ofSetUp(run).map((each) => {
    const { task, candidate, message } = each;
    return `${task}, ${candidate}: ${message}${detailOf(each, run.suite.publish)}`;
  });
}

/** Problems of the run's own set-up, one sentence each, for the report. */
export function setUpLines(run: Run): readonly RichText[] {
  return ofSetUp(run).map((each) => {
    const { task, candidate, message } = each;
    const detail = text(detailOf(each, run.suite.publish));
    return [name(`${task}, ${candidate}`), text(": ")].concat(quoted(message), detail);
  });
}

/** Diagnoses that don't concern the change. */
export function ofSetUp({ diagnoses = [] }: Run): readonly Diagnosis[] {
  return diagnoses.filter(({ symptom }) => symptom !== lossMessage && symptom !== crash);
}

/** The grader's messages for broken cases, one sentence each, if the texts themselves may not be shown. */
export function lossMessageLines({ candidates, diagnoses = [], suite }: Run): readonly RichText[] {
  if (suite.publish !== "ids") return [];
  const found = diagnoses.filter(({ symptom }) => symptom === lossMessage);
  return found.map(({ task, candidate, message }) => {
    const at = candidates.length > 1 ? `${task} · ${candidate}` : task;
    return [name(at), text(": ")].concat(quoted(message));
  });
}

/**
 * Cases that crashed here and not in the baseline, a clause each: `60 of 120 cases crashed: KeyError: 'order' at
 * app.py:41`. `at`: if there are several tasks or candidates.
 */
export function crashWords({ candidates, suite, diagnoses = [] }: Run): RichText {
  const found = diagnoses.filter(({ symptom }) => symptom === crash);
  const isSeveral = candidates.length > 1 || Object.keys(suite.tasks).length > 1;
  return found.slice(0, crashesShown).flatMap(({ task, candidate, message, detail }) => {
    const at = candidates.length > 1 ? `${task} · ${candidate}` : task;
    const isShown = detail !== null && suite.publish !== "ids";
    const first = isShown ? `: ${clip(detail, longestDetail)}` : "";
    const clause = text(`${message}${first}; `);
    return isSeveral ? [name(at), text(": "), clause] : [clause];
  });
}

/** The sample's text of a diagnosis, if texts of cases may be shown; otherwise empty. */
export function detailOf({ detail }: Diagnosis, content: PublishContent): string {
  return detail === null || content === "ids" ? "" : ` (the first: ${clip(detail, longestDetail)})`;
}
