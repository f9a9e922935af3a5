import { crash, lossMessage } from "../../model/outcomes/compared.ts";
import type { Diagnosis } from "../../model/outcomes/diagnosis.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
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
    const { task, candidate } = each;
    const place = [name(`${task}, ${candidate}`), text(": ")];
    return place.concat(diagnosisSentence(each, run.suite.publish));
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
export function crashClauses({ candidates, suite, diagnoses = [] }: Run): readonly RichText[] {
  const found = diagnoses.filter(({ symptom }) => symptom === crash);
  const isSeveral = candidates.length > 1 || Object.keys(suite.tasks).length > 1;
  return found.slice(0, crashesShown).map(({ task, candidate, message, detail }) => {
    const at = candidates.length > 1 ? `${task} · ${candidate}` : task;
    const isShown = detail !== null && suite.publish !== "ids";
    const clause = text(`${message}${isShown ? `: ${clip(detail, longestDetail)}` : ""}`);
    return isSeveral ? [name(at), text(": "), clause] : [clause];
  });
}

/** A diagnosis as one sentence: the observation, the advice, and in brackets the first sample's text, if it may be shown. */
export function diagnosisSentence(diagnosis: Diagnosis, content: PublishContent): RichText {
  const sentence = quoted(diagnosis.message);
  const detail = detailOf(diagnosis, content);
  const last = sentence.at(-1);
  if (detail === "" || last === undefined) return sentence;
  // The full stop comes after the brackets.
  const open = { ...last, text: last.text.replace(/\.$/, "") };
  return [...sentence.slice(0, -1), open, text(`${detail}.`)];
}

/** The sample's text of a diagnosis, if texts of cases may be shown; otherwise empty. */
function detailOf({ detail }: Diagnosis, content: PublishContent): string {
  return detail === null || content === "ids" ? "" : ` (the first: ${clip(detail, longestDetail)})`;
}
