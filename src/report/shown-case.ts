import { styleText } from "node:util";
import type { ExtractionRepair, Sample } from "../model/outcomes/sample.ts";
import { shardText } from "../model/outcomes/shard.ts";
import { textOfMessages } from "../model/models/message.ts";
import { answerText } from "../model/models/transcript.ts";
import type { ShownCase, ShownSample } from "../model/outcomes/shown-case.ts";
import { clip, escapeLog, escapeLogLine } from "./escape.ts";
import { counted, duration, usd } from "./words/figures.ts";

type Paint = (style: "bold" | "dim", text: string) => string;

/**
 * A case for a terminal: prompt, answers before and after, the grader's message. All of these are untrusted texts; long
 * ones are cut unless `full`, and no control character reaches the terminal.
 */
export function renderCase(
  shown: ShownCase,
  { colour, full }: { readonly colour: boolean; readonly full: boolean },
): string {
  const paint: Paint = colour
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_, text) => text;
  const parts = shown.samples.map((each) => renderSample(each, shown, { paint, full }));
  return `${[head(shown, paint), ...parts].join("\n\n")}\n`;
}

function head({ run, caseId, before }: ShownCase, paint: Paint): string {
  const part = run.shard === undefined ? "" : `, shard ${shardText(run.shard)}`;
  const sha = run.git.sha === null ? "" : ` at ${run.git.sha.slice(0, 12)}`;
  const against =
    before.kind === "run"
      ? `before: ${escapeLogLine(before.shown)}`
      : `no "before": ${escapeLogLine(before.reason)}`;
  const title = `Case ${escapeLogLine(caseId)} of ${escapeLogLine(run.suite.name)}`;
  return [
    paint("bold", title),
    `run ${escapeLogLine(run.id)}${part}${escapeLogLine(sha)}, ${against}`,
  ].join("\n");
}

function renderSample({ sample, before }: ShownSample, shown: ShownCase, look: Look): string {
  const { paint } = look;
  const any = sample ?? before;
  if (any === undefined) return "";
  const repeat = any.repeat === 0 ? "" : `, repeat ${any.repeat + 1}`;
  const title = `${escapeLogLine(any.task_id)}, ${escapeLogLine(any.model)}${repeat}`;
  const field = fieldWith(look);
  return [
    paint("bold", title),
    ...verdictLines(any, shown),
    field("prompt", askedIn(any)),
    ...(before && sample && askedIn(before) !== askedIn(sample)
      ? [field("prompt before", askedIn(before))]
      : []),
    ...(any.target === null ? [] : [field("target", any.target)]),
    ...Object.entries(any.targets ?? {}).map(([name, text]) =>
      field(`target of ${escapeLogLine(name)}`, text),
    ),
    ...(before === undefined ? [] : answerFields("before", before, field)),
    ...(sample === undefined
      ? ["  The case is not in this run: only the earlier one has it."]
      : answerFields(before === undefined ? "answer" : "after", sample, field)),
    ...(sample === undefined ? [] : graderFields(sample, field)),
    field("row", JSON.stringify(any.dataset_row, null, 2)),
  ].join("\n");
}

/** The conversation before the last answer if there was one; otherwise the prompt. */
function askedIn({ prompt, messages }: Sample): string {
  return messages === undefined ? prompt : textOfMessages(messages);
}

/** Metrics in which the gate found that the case changed. */
function verdictLines(sample: Sample, { run, caseId }: ShownCase): readonly string[] {
  const lines = run.gate.rules.flatMap((rule) => {
    if (rule.task !== sample.task_id || rule.candidate !== sample.model) return [];
    if (rule.slice !== null) return [];
    return (["broke", "fixed"] as const).flatMap((side) => {
      const found = rule.changed[side].find((each) => each.case_id === caseId);
      if (found === undefined) return [];
      const against = rule.against === undefined ? "" : ` against ${escapeLogLine(rule.against)}`;
      return [
        `  ${side} in ${escapeLogLine(rule.metric)}${against}: ${found.before} → ${found.after}`,
      ];
    });
  });
  return [...new Set(lines)];
}

interface Look {
  readonly paint: Paint;
  readonly full: boolean;
}

const charactersShown = 2000;
const linesShown = 30;

/** The beginning of a long text, and a note about the length of the rest. */
function cut(text: string): { readonly kept: string; readonly left: string } {
  const kept = clip(text.split("\n").slice(0, linesShown).join("\n"), charactersShown);
  const more = text.length - kept.length;
  if (more <= 1) return { kept: text, left: "" };
  return { kept, left: `… ${counted(more, "more character")}: --full shows all` };
}

type Field = (name: string, text: string) => string;

/** A name with its text indented below it, so that a text of many lines can't pass for our own output. */
function fieldWith({ paint, full }: Look): Field {
  return (name, text) => {
    const { kept, left } = full ? { kept: text, left: "" } : cut(text);
    const lines = escapeLog(kept).replace(/\n$/, "").split("\n");
    const more = left === "" ? [] : [paint("dim", left)];
    const shown = text === "" ? [paint("dim", "(empty)")] : [...lines, ...more];
    return [`  ${paint("dim", name)}`, ...shown.map((line) => `    ${line}`)].join("\n");
  };
}

function answerFields(name: string, sample: Sample, field: Field): readonly string[] {
  const { error, scores } = sample;
  const given = Object.entries(scores).map(([id, score]) => `${id} ${score}`);
  const took = [
    // The time is left out for a recorded answer, which takes none.
    ...((sample.latency_ms ?? 0) < 50 ? [] : [duration((sample.latency_ms ?? 0) / 1000)]),
    ...(typeof sample.usage?.usd === "number" ? [usd(sample.usage.usd)] : []),
    ...(sample.cached ? ["from the cache"] : []),
  ];
  const details = [...given, ...took].join(", ");
  const title = details === "" ? name : `${name} (${details})`;
  return [
    field(escapeLogLine(title), answerText(sample) ?? "(no answer)"),
    ...extractionFields(name, sample, field),
    ...(sample.format_error === undefined
      ? []
      : [field(`${name}: not of the form that was asked for`, sample.format_error)]),
    ...(error === null
      ? []
      : [field(`${name}: ${error.stage} failed`, `${error.type}: ${error.message}`)]),
  ];
}

function extractionFields(name: string, sample: Sample, field: Field): readonly string[] {
  const { output_text, extracted_output, extracted_fields = {}, extraction_repairs = [] } = sample;
  if (output_text === null) return [];
  const found = Object.entries(extracted_fields).map(([key, text]) =>
    field(`${name}: extracted ${escapeLogLine(key)}`, text ?? "(nothing)"),
  );
  const repairs = extraction_repairs.map(repairWords).join(", ");
  return [
    ...(extracted_output === output_text
      ? []
      : [field(`${name}: extracted`, extracted_output ?? "(nothing)")]),
    ...found,
    ...(repairs === "" ? [] : [field(`${name}: read as JSON by`, repairs)]),
  ];
}

function repairWords(repair: ExtractionRepair): string {
  switch (repair) {
    case "text_around":
      return "leaving out the text around it";
    case "code_fence":
      return "taking it out of its code fence";
    case "trailing_comma":
      return "dropping trailing commas";
  }
}

function graderFields(sample: Sample, field: Field): readonly string[] {
  const { judge, printed, model_calls } = sample;
  return [
    ...(judge === null ? [] : [field("grader says", JSON.stringify(judge, null, 2))]),
    ...(printed === null ? [] : [field("grader printed", printed)]),
    ...(model_calls ?? []).map((call) =>
      field(
        `grader asked ${escapeLogLine(call.model)}`,
        call.output_text ?? call.error ?? "(no answer)",
      ),
    ),
    ...(sample.transcript ?? []).map((entry) => field("transcript", JSON.stringify(entry))),
  ];
}
