import { candidateKinds } from "../../model/definition/candidate-kinds.ts";
import type { PlannedPart, RunPlan } from "../../model/figures/plan.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { andUnpriced, count, counted, usd } from "../words/figures.ts";
import { columns, type TextCell } from "./text-table.ts";

/** Output of a dry run: a row per task and candidate, the sums, the budget, and the assumptions. */
export function renderPlan(plan: RunPlan, width: number): string {
  const rows = [headRow, ...plan.parts.map(partRow)];
  const lines = [
    `${escapeLogLine(clip(plan.suite, 80))}: ${sums(plan)}.`,
    ...graderLines(plan),
    ...confirmationLines(plan),
    ...budgetLines(plan),
    ...caveats(plan).map((each) => `  ${each}`),
  ];
  return `${columns(rows, width)}\n\n${lines.join("\n")}\n\nNothing was run and nothing was written.\n`;
}

/** Sentence before a run's first request; undefined if no model is asked. */
export function planSentence(plan: RunPlan): string | undefined {
  const onTop = graderLines(plan);
  const asksModels = plan.parts.some((part) => part.input_tokens !== null);
  if (!asksModels && onTop.length === 0) return undefined;
  const exactly = plan.every_prompt_read ? "" : " (reckoned from the first cases)";
  const rest = [...onTop, ...confirmationLines(plan), ...budgetLines(plan)];
  return [`${sums(plan)}${exactly}.`, ...rest].join(" ");
}

const heads = ["task", "candidate", "samples", "requests", "input", "output", "at most"] as const;
const rightAligned: readonly string[] = heads.slice(2);

const headRow: readonly TextCell[] = heads.map((text) => ({ text, align: alignOf(text) }));

function partRow(part: PlannedPart): readonly TextCell[] {
  const cells: Readonly<Record<(typeof heads)[number], string>> = {
    task: part.task,
    candidate: part.model === null ? `${part.candidate} (${part.kind})` : part.candidate,
    samples: count(part.samples),
    requests: count(part.requests),
    input: tokenCount(part.input_tokens),
    output: tokenCount(part.output_tokens),
    "at most": costWords(part),
  };
  return heads.map((head) => ({
    text: escapeLogLine(clip(cells[head], 80)),
    align: alignOf(head),
  }));
}

function tokenCount(tokens: number | null): string {
  return tokens === null ? "" : count(tokens);
}

function alignOf(head: string): TextCell["align"] {
  return rightAligned.includes(head) ? "right" : "left";
}

function costWords({ kind, usd: cost }: PlannedPart): string {
  if (cost !== null) return usd(cost);
  return candidateKinds[kind].recorded ? usd(0) : "not known";
}

/** `480 samples, 480 requests, at most 120,000 + 245,760 tokens, at most $1.23`. */
function sums({ parts }: RunPlan): string {
  const sum = (of: (part: PlannedPart) => number | null): number =>
    parts.reduce((total, part) => total + (of(part) ?? 0), 0);
  const counts = [
    counted(
      sum((part) => part.samples),
      "sample",
    ),
    counted(
      sum((part) => part.requests),
      "request",
    ),
  ];
  const models = parts.filter((part) => part.input_tokens !== null);
  if (models.length === 0) return counts.join(", ");
  const [input, output] = [sum((part) => part.input_tokens), sum((part) => part.output_tokens)];
  const unpriced = models.some((part) => part.usd === null);
  const cost = `${usd(sum((part) => part.usd))}${unpriced ? andUnpriced : ""}`;
  return [...counts, `at most ${count(input)} tokens in and ${count(output)} out, ${cost}`].join(
    ", ",
  );
}

/** Only the number of a grader's requests has a limit, because the requests depend on its code. */
function graderLines({ parts }: RunPlan): readonly string[] {
  const calls = parts.reduce((total, part) => total + part.grader_calls, 0);
  if (calls === 0) return [];
  return [
    `On top come the models that graders ask: at most ${counted(calls, "call")} (max_model_calls for each sample), whose cost is not in it.`,
  ];
}

/** The most that the confirmation may cost: usually nothing is run again, and otherwise only a part of the cases. */
function confirmationLines({ confirmation }: RunPlan): readonly string[] {
  if (!confirmation) return [];
  const { samples, requests, input_tokens: input, output_tokens: output } = confirmation;
  const tokens =
    input === null || output === null ? "" : `, ${count(input)} tokens in and ${count(output)} out`;
  const cost = confirmation.usd === null ? "" : `, ${usd(confirmation.usd)}`;
  return [
    `A drop that is proven is run again before it blocks: only the cases that changed, on both sides; at most ${counted(samples, "sample")}, ${counted(requests, "request")}${tokens}${cost} on top.`,
  ];
}

function budgetLines(plan: RunPlan): readonly string[] {
  const { usd: dollars, tokens, minutes } = plan.budget;
  const limits = [
    ...(dollars === undefined ? [] : [usd(dollars)]),
    ...(tokens === undefined ? [] : [counted(tokens, "token")]),
    ...(minutes === undefined ? [] : [counted(minutes, "minute")]),
  ];
  if (limits.length === 0) return [];
  const over = isOver(plan)
    ? "; the estimate is above it, and the run stops where it is spent"
    : "";
  return [`Budget: ${limits.join(", ")}${over}.`];
}

function isOver({ parts, budget }: RunPlan): boolean {
  const dollars = parts.reduce((total, part) => total + (part.usd ?? 0), 0);
  const tokens = parts.reduce(
    (total, part) => total + (part.input_tokens ?? 0) + (part.output_tokens ?? 0),
    0,
  );
  return dollars > (budget.usd ?? Infinity) || tokens > (budget.tokens ?? Infinity);
}

function caveats({ parts, assumed_output_tokens: assumed }: RunPlan): readonly string[] {
  const models = parts.some((part) => part.input_tokens !== null);
  const unknown = parts.filter(
    (part) => part.input_tokens === null && !candidateKinds[part.kind].recorded,
  );
  const names = [...new Set(unknown.map((part) => part.candidate))];
  return [
    ...(models
      ? [
          `Prompts at 1.5 letters or 1 other byte a token; answers at max_output_tokens, ${count(assumed)} where it is not set.`,
          "Retries come on top; answers that the cache has cost nothing.",
        ]
      : []),
    ...(names.length > 0
      ? [`What ${escapeLogLine(clip(names.join(", "), 200))} may cost is not in it.`]
      : []),
  ];
}
