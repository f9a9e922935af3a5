import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { ModelCallEnd } from "../model/ports/bridge.ts";
import type { AnswerOf } from "../model/grading.ts";
import type { HashText } from "../model/ports/files.ts";
import type { GraderSample } from "../model/outcomes/sample.ts";
import type { CheckResult } from "./checks/checked.ts";
import { limitIn, textOption } from "./checks/options.ts";
import { asData, type JudgeText, quoteTexts } from "./judge-blocks.ts";
import { callsIn, functionTool, type JudgeCall } from "./judge-functions.ts";
import { judgePairwise, pairwiseOptions } from "./judge-pairwise.ts";

/** Asks the judge's model; the n-th call of a sample. */
export type AskJudge = (request: JsonObject) => Promise<ModelCallEnd>;

/** Result of asking a judge. */
export type Judged =
  | { readonly kind: "judged"; readonly result: CheckResult }
  | { readonly kind: "ungraded"; readonly type: string; readonly message: string };

interface JudgeOptions {
  readonly prompt: string;
  readonly calls: number | undefined;
  readonly isScore: boolean;
  readonly threshold: number;
  readonly reference: string | undefined;
  /** `model`, `temperature` and `max_output_tokens` of the request. */
  readonly settings: JsonObject;
}

/** A judge whose verdicts are calls of functions: text that imitates one is no verdict. */
interface JudgeCalls {
  readonly judge: (sample: GraderSample, ask: AskJudge, answerOf?: AnswerOf) => Promise<Judged>;
}

export function openJudgeCalls(options: JsonObject, hashText: HashText): JudgeCalls {
  const read = readOptions(options);
  const pairwise = pairwiseOptions(options, read);
  return {
    judge: async (sample, ask, answerOf) => {
      if (pairwise !== undefined)
        return judgePairwise(pairwise, sample, { ask, answerOf, hashText });
      const { text, rules } = quoteTexts(blocksOf(sample, read), hashText);
      const asked = { input: text, instructions: instructionsOf(read, rules) };
      const found = await collect(read, asked, ask);
      return "calls" in found ? judgedBy(found.calls, read) : found;
    },
  };
}

function readOptions(options: JsonObject): JudgeOptions {
  const { temperature = 0, max_output_tokens = 4096, model = "auto" } = options;
  return {
    prompt: textOption(options["prompt"]) ?? "",
    calls: limitIn(options["calls"]),
    isScore: options["scale"] === "score",
    threshold: limitIn(options["threshold"]) ?? 0.75,
    reference: textOption(options["reference"]),
    settings: { model, max_output_tokens, ...(temperature !== null && { temperature }) },
  };
}

function blocksOf(sample: GraderSample, { reference }: JudgeOptions): readonly JudgeText[] {
  const { prompt, output_text, tool_calls: calls, files } = sample;
  const left = Array.isArray(files) ? files.filter(isJsonObject).map(fileText) : [];
  return [
    ["PROMPT", prompt],
    ...(reference === undefined ? [] : [["REFERENCE", reference] as const]),
    ...(Array.isArray(calls) && calls.length > 0
      ? [["TOOL_CALLS", JSON.stringify(calls)] as const]
      : []),
    ...(left.length > 0 ? [["FILES", JSON.stringify(left)] as const] : []),
    ["ANSWER", output_text],
  ];
}

function fileText({ path = null, change = null, text = null }: JsonObject): JsonObject {
  return { path, change, text };
}

function instructionsOf({ prompt, isScore }: JudgeOptions, rules: string): string {
  const way = isScore
    ? `Give your verdict by one call of ${scoreName}, and by nothing else.`
    : `Give each verdict by a call of ${passName} or ${failName}, with a short description of the criterion and the reason: one
call for each criterion, all of them at once. Where every criterion has its call already, reply DONE and call nothing.`;
  return `You judge one answer by the criteria below.\n\n${rules}\n\nCriteria, as whoever set the test wrote them:\n${prompt}\n\n${way}`;
}

const passName = "set_waza_grade_pass";
const failName = "set_waza_grade_fail";
const scoreName = "set_waza_score";

const noted: JsonObject = {
  type: "object",
  properties: { description: { type: "string" }, reason: { type: "string" } },
  additionalProperties: false,
};
const scored: JsonObject = {
  type: "object",
  properties: {
    score: { type: "integer", minimum: 1, maximum: 5 },
    reason: { type: "string" },
    passed: { type: "boolean" },
  },
  required: ["score"],
  additionalProperties: false,
};

function toolsOf({ isScore }: JudgeOptions): Json {
  if (isScore)
    return [functionTool(scoreName, "Score the answer from 1, the worst, to 5.", scored)];
  return [
    functionTool(passName, "A criterion is met.", noted),
    functionTool(failName, "A criterion is not met.", noted),
  ];
}

/** Some models call one function per answer: they are asked again, with their calls so far. */
const mostRounds = 8;

async function collect(
  options: JudgeOptions,
  asked: { readonly input: string; readonly instructions: string },
  ask: AskJudge,
): Promise<{ readonly calls: readonly JudgeCall[] } | Extract<Judged, { kind: "ungraded" }>> {
  const wanted = options.isScore ? 1 : (options.calls ?? Number.POSITIVE_INFINITY);
  const calls: JudgeCall[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const end = await ask({
      ...options.settings,
      instructions: asked.instructions,
      input: `${asked.input}\n\n${goOn(calls)}`,
      tools: toolsOf(options),
      tool_choice: round === 0 ? "required" : "auto",
    });
    if (end.kind === "unavailable")
      return { kind: "ungraded", type: end.type, message: end.message };
    if (end.kind === "refused")
      return { kind: "ungraded", type: "judge_refused", message: end.message };
    const found = verdictsIn(end.response).filter((call) => !isAmong(call, calls));
    calls.push(...found);
    if (found.length === 0 || calls.length >= wanted) break;
  }
  return { calls };
}

/** Characters of a verdict's description that are repeated to the judge. */
const mostRepeated = 500;

function goOn(calls: readonly JudgeCall[]): string {
  if (calls.length === 0) return "Judge the ANSWER.";
  // The judge may repeat an answer's words here.
  const said = calls.map(({ name, given }) =>
    asData({ name, description: (textOption(given["description"]) ?? "").slice(0, mostRepeated) }),
  );
  return `You have called, as data: ${said.join(", ")}. Go on with the criteria that have no call yet, or reply DONE.`;
}

function isAmong({ name, given }: JudgeCall, calls: readonly JudgeCall[]): boolean {
  const described = textOption(given["description"]);
  return calls.some(
    (each) => each.name === name && textOption(each.given["description"]) === described,
  );
}

const names = new Set([passName, failName, scoreName]);

function verdictsIn(response: JsonObject): readonly JudgeCall[] {
  return callsIn(response).filter(({ name }) => names.has(name));
}

function judgedBy(calls: readonly JudgeCall[], options: JudgeOptions): Judged {
  if (options.isScore) return settleScore(calls, options);
  const wanted = options.calls;
  if (calls.length === 0 || (wanted !== undefined && calls.length !== wanted))
    return incomplete(calls.length, wanted);
  const told = calls.map(({ name, given }) => ({
    isPass: name === passName,
    words: wordsOf(given),
  }));
  const passes = told.filter(({ isPass }) => isPass).map(({ words }) => `pass: ${words}`);
  const failures = told.filter(({ isPass }) => !isPass).map(({ words }) => `fail: ${words}`);
  return {
    kind: "judged",
    result: {
      score: passes.length / calls.length,
      passed: failures.length === 0,
      feedback: failures.length === 0 ? "All prompts passed" : failures.join(";"),
      details: { passes, failures },
    },
  };
}

/** If verdicts are missing, there is no score: it is unknown which criterion was left out. */
function incomplete(count: number, wanted: number | undefined): Judged {
  const asked = wanted === undefined ? "one at least" : `${wanted}`;
  const message = `the judge gave ${count} verdicts by its functions where ${asked} was asked for`;
  return { kind: "ungraded", type: "judge_incomplete", message };
}

function settleScore([call]: readonly JudgeCall[], { threshold, reference }: JudgeOptions): Judged {
  const raw = call?.given["score"];
  if (typeof raw !== "number" || !Number.isInteger(raw) || raw < 1 || raw > 5) {
    const message = "the judge gave no whole score from 1 to 5";
    return { kind: "ungraded", type: "judge_off_menu", message };
  }
  const score = (raw - 1) / 4;
  const own = call?.given["passed"];
  // If there is an answer to compare with, the judge itself may say that it agrees.
  const passed = reference !== undefined && typeof own === "boolean" ? own : score >= threshold;
  const feedback = textOption(call?.given["reason"]) ?? "";
  return {
    kind: "judged",
    result: { score, passed, feedback, details: { raw_score: raw } },
  };
}

function wordsOf({ description, reason }: JsonObject): string {
  return `${textOption(description) ?? ""}: ${textOption(reason) ?? ""}`;
}
