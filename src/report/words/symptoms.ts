import type { TaskPlace } from "../../model/place.ts";
import type { Diagnosis } from "../../model/outcomes/diagnosis.ts";
import type { SampleShare, Symptom, UnexpectedScore } from "../../model/outcomes/symptom.ts";
import { isMetricId } from "../../model/definition/metric.ts";
import { counted, countedOf } from "./figures.ts";

/** A symptom as text: the observation, and what to do. Only `detail` may hold texts of samples. */
export function describeSymptom(symptom: Symptom, at: TaskPlace): Diagnosis {
  const detail = "detail" in symptom ? symptom.detail : null;
  return { ...at, symptom: symptom.kind, message: messageOf(symptom), detail };
}

function messageOf(symptom: Symptom): string {
  const { kind } = symptom;
  if (kind === "format_unmet") return formatUnmet(symptom.share);
  if (kind === "model_refused") return modelRefused(symptom);
  if (kind === "model_silent") return modelSilent(symptom);
  return kind === "judge_failed" ? judgeFailed(symptom) : sentence(symptom);
}

function formatUnmet(share: SampleShare): string {
  return `${part(share, "answer")} did not match the schema that the model was asked for (\`text.format\`), and were graded as they came: to let that fail, add the grader \`json_schema\` with this schema, or raise \`max_output_tokens\` if they were cut off`;
}

/** Other files word the symptoms of graders' models and of the answers' form. */
type OtherKind = "format_unmet" | "model_refused" | "model_silent" | "judge_failed";

function sentence(symptom: Exclude<Symptom, { readonly kind: OtherKind }>): string {
  switch (symptom.kind) {
    case "candidate_failed":
      return `the candidate gave no answer in ${part(symptom.share, "sample")}: put right what the first error says${causeWords(symptom.detail)}; \`error\` in samples.jsonl has them all`;
    case "score_out_of_bounds":
      return outOfBounds(symptom.stray);
    case "always_zero":
      return `all ${counted(symptom.scored, "score")} of \`${symptom.metric}\` are 0: compare \`extracted_output\` with \`target\` in samples.jsonl, and check that the grader looks at what the answers hold`;
    case "nothing_extracted":
      return `\`output_extraction\` (${symptom.extraction}) found nothing in ${part(symptom.share, "answer")}, which then count as wrong: see \`output_text\` in samples.jsonl, and check that there is an answer, and that the extraction fits it`;
    case "other_case":
      return `${part(symptom.share, "sample")} scored 0 though the answer is the target but for upper and lower case: if that should count, set \`case_sensitive: false\` on the grader`;
    case "same_number":
      return `${part(symptom.share, "sample")} scored 0 though the answer is the target's number, written otherwise (as 51 and 51.0): take the grader \`numeric\``;
    case "target_empty":
      return `the target is empty in ${part(symptom.share, "sample")}: check the fields that \`target_template\` names against the dataset, and what a preprocessor returns`;
    case "field_empty":
      return `the prompt's field \`${symptom.field}\` is empty in ${part(symptom.share, "sample")}: check its name against the dataset, and what a preprocessor returns`;
    case "undeclared":
      return undeclared(symptom);
    case "never_given":
      return `the grader never returns ${listed(symptom.missing)}, which \`metrics\` declares: return it, or take it out of \`metrics\``;
    case "never_scored":
      return neverScored(symptom);
    case "part_never_scored":
      return `the grader \`${symptom.grader}\` gave no valid result in ${part(symptom.share, "sample")}: \`judge\` in samples.jsonl says why, under its name`;
    case "timeouts":
      return `the grader ran out of time in ${part(symptom.share, "sample")}: raise \`timeout_seconds\` (600 at most), ask models less often, or move work that is the same for all samples to the top level of its file`;
  }
}

/**
 * Advice in brackets for two common errors: a worker's time-out, which is often an output that was not flushed, and a
 * variable that is not set; otherwise empty.
 */
function causeWords(firstError: string): string {
  if (firstError.startsWith("no answer within "))
    return " (a worker must flush each line that it writes, in Python with `print(…, flush=True)`)";
  // Python raises it where a variable is not set.
  return /KeyError: .*<frozen os>/s.test(firstError)
    ? " (a program is given only those environment variables that its `env` names)"
    : "";
}

function outOfBounds({ metric, range, first, alike, count }: UnexpectedScore): string {
  const values = `${first}${alike ? "" : " and others"}`;
  const seen =
    count === null
      ? `\`${metric}\` is ${values} for all samples together`
      : `\`${metric}\` was ${values} in ${counted(count, "sample")}`;
  return range === null
    ? `${seen}, neither 0 nor 1 as \`scale: binary\` has it: let the grader return 0 or 1, or declare \`scale: graded\``
    : `${seen}, outside its range [${range.join(", ")}]: let the grader return what lies within, or declare the \`range\` that its scores have`;
}

function neverScored({
  calls,
  raised,
  share,
}: Extract<Symptom, { readonly kind: "never_scored" }>): string {
  const none = `the grader scored none of ${counted(share.of, "sample")}`;
  if (calls === "grade_batch") {
    return raised
      ? `${none}: \`grade_batch\` raised an exception; correct it at the line that \`error\` in samples.jsonl names`
      : `${none}: \`grade_batch\` must return a finite number, or a dict with \`metrics\` or \`samples\``;
  }
  return raised
    ? `the grader raised in ${part(share, "sample")}: correct \`grade\` at the line that \`error\` in samples.jsonl names`
    : `${none}: \`grade\` must return a finite number, or a dict whose \`scores\` holds finite numbers`;
}

/** Undeclared scores. An id that can't be declared must be renamed first. */
function undeclared({
  likely,
  given,
  isUnit,
  missing,
}: Extract<Symptom, { readonly kind: "undeclared" }>): string {
  const seen = `the grader returns ${listed(given)} and never \`${missing}\``;
  if (!isMetricId(likely))
    return `${seen}: return the score as \`${missing}\`; an id has letters, digits, \`_\`, \`.\` and \`-\` alone`;
  const range = isUnit ? ", range: [0, 1]" : "";
  return `${seen}: declare what it returns under \`metrics\`, as \`- { id: ${likely}${range} }\``;
}

function modelRefused({
  scored,
  share,
}: Extract<Symptom, { readonly kind: "model_refused" }>): string {
  return scored
    ? `the grader gave a score in ${part(share, "sample")} though a model had refused its call: correct the call as the refusal says (\`model_calls\` in samples.jsonl), and don't turn an exception of \`ctx\` into a score`
    : `a call of the grader to a model was refused in ${part(share, "sample")}: do what the refusal says; \`error\` in samples.jsonl has it for each`;
}

function modelSilent({ slow, share }: Extract<Symptom, { readonly kind: "model_silent" }>): string {
  const where = part(share, "sample");
  return slow
    ? `a model that the grader asks had not answered in ${where} when the grader's time was over, and they have no score: raise the grader's \`timeout_seconds\` (600 at most), or ask a faster model; \`regrade rerun-failed\` then asks for these alone`
    : `no model answered the grader in ${where}, which have no score: that is its provider's trouble, not the candidate's or the grader's; when what the first error says is over, \`regrade rerun-failed\` asks for these alone`;
}

function judgeFailed({
  unasked,
  share,
}: Extract<Symptom, { readonly kind: "judge_failed" }>): string {
  const where = part(share, "sample");
  return unasked
    ? `the judge could not be asked in ${where}, which have no score: put right what the first error says, at \`run.judge_model\` or in the judge's settings`
    : `the judge gave no verdict in ${where}, which have no score: let \`run.judge_model\` be a model that writes structured output, and raise the judge's \`max_output_tokens\` if it was cut off`;
}

/** `all 40 samples`, `12 of 40 samples`. */
function part({ count, of }: SampleShare, noun: string): string {
  return count === of ? `all ${counted(of, noun)}` : countedOf(count, of, noun);
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).map((id) => `\`${id}\``);
  return `${shown.join(", ")}${ids.length > 5 ? " and others" : ""}`;
}
