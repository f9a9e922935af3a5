import { cutTextStart } from "../../base/cut-text.ts";
import { parseJsonText } from "../../base/json-text.ts";
import type { HeldEnd } from "../../model/ports/held-programs.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { GraderItem, GraderSample } from "../../model/outcomes/sample.ts";
import type { CheckResult } from "../checks/checked.ts";
import { assertionNames } from "./names.ts";

type Ended = Extract<HeldEnd, { readonly kind: "ended" }>;

/** `broken`: the program did not judge; its score of 0 may not be turned into a pass. */
export interface ProgramResult {
  readonly result: CheckResult;
  readonly broken: { readonly type: string; readonly message: string } | undefined;
}

/**
 * Limits in characters for a program's messages: in the feedback, and for each of its outputs in the details. The end
 * is kept.
 */
const mostFeedback = 4000;
const mostKept = 16_000;
const mostNamed = 10;

/** The program's standard input: the answer alone, or everything about the sample. */
export function inputOfProgram(
  { input }: JsonObject,
  { sample, item, answer }: { sample: GraderSample; item: GraderItem; answer: string },
): string {
  if (input !== "json") return answer;
  const { extracted_output, extracted_fields = {} } = sample;
  const own = { extracted_output, extracted_fields, task: item, metadata: {} };
  return JSON.stringify({ ...assertionNames(sample), ...own });
}

/** How a program judged, by its exit code or by what it printed. */
export function resultOfProgram(options: JsonObject, end: Ended): ProgramResult {
  const { command = "", args = [] } = options;
  const how = endOf(end);
  const details: JsonObject = {
    command,
    args,
    stdout: lastOf(end.stdout, mostKept),
    stderr: lastOf(end.stderr, mostKept),
    ...(how === undefined ? {} : { exit_error: how }),
    ...(end.notLaidOut.length > 0 && { files_not_laid_out: [...end.notLaidOut] }),
  };
  const judged = options["result"] === "json" ? byPrinted(options, end) : byExit(end, how);
  const feedback = withNotLaidOut(judged.feedback, end);
  return {
    result: { ...judged, feedback, details: { ...details, ...judged.details } },
    broken: brokenBy(end, judged),
  };
}

type Judged = CheckResult & { readonly broken?: string };

function byExit(end: Ended, how: string | undefined): Judged {
  const said = end.stdout.trim();
  if (how === undefined)
    return {
      score: 1,
      passed: true,
      feedback: said === "" ? "Program exited successfully" : lastOf(said, mostFeedback),
    };
  const stderr = end.stderr.trim();
  const words = stderr === "" ? "" : `; stderr: ${lastOf(stderr, mostFeedback)}`;
  return { score: 0, passed: false, feedback: `Program exited with error: ${how}${words}` };
}

/** Reads `{score, passed, message, details}`; missing keys count as 0, false and empty. */
function byPrinted({ words }: JsonObject, end: Ended): Judged {
  const name = words === "script" ? "Script" : "Program";
  if (end.isLate) return failedJudgement(`${name} timed out`);
  if (end.exitCode !== 0)
    return failedJudgement(`${name} failed: ${lastOf(end.stderr, mostFeedback)}`);
  // Python writes 1.0 where JavaScript would write 1: its value counts, not its text.
  const parsed = parseJsonText(end.stdout.trim(), () => false);
  if (parsed.kind !== "json" || !isJsonObject(parsed.value)) {
    const why = "it printed no JSON object";
    return failedJudgement(`${name} error: ${why}`, why);
  }
  const { score = 0, passed = false, message = "", details } = parsed.value;
  if (typeof score !== "number" || !(score >= 0 && score <= 1)) {
    const why = `its score is ${JSON.stringify(score)}, and not a number from 0 to 1`;
    return failedJudgement(`${name} error: ${why}`, why);
  }
  return {
    score,
    passed: passed === true,
    feedback: lastOf(typeof message === "string" ? message : JSON.stringify(message), mostFeedback),
    ...(isJsonObject(details) && { details: { details } }),
  };
}

function failedJudgement(feedback: string, broken?: string): Judged {
  return { score: 0, passed: false, feedback, ...(broken !== undefined && { broken }) };
}

/** A program that timed out, was killed, or printed no valid result has not judged. */
function brokenBy({ isLate, signal }: Ended, { broken }: Judged): ProgramResult["broken"] {
  if (isLate) return { type: "timeout", message: "the program did not end within its time-out" };
  if (signal !== undefined)
    return { type: "program_died", message: `the program was killed by ${signal}` };
  return broken === undefined
    ? undefined
    : { type: "bad_result", message: `of the program's result: ${broken}` };
}

/** The failure in waza's words; undefined if the program succeeded. */
function endOf({ exitCode, signal, isLate }: Ended): string | undefined {
  if (isLate) return "signal: killed";
  if (signal !== undefined) return `signal: ${signalWords[signal] ?? signal}`;
  return exitCode === 0 ? undefined : `exit status ${exitCode}`;
}

const signalWords: Readonly<Record<string, string>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGQUIT: "quit",
  SIGILL: "illegal instruction",
  SIGTRAP: "trace/breakpoint trap",
  SIGABRT: "aborted",
  SIGBUS: "bus error",
  SIGFPE: "floating point exception",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault",
  SIGPIPE: "broken pipe",
  SIGALRM: "alarm clock",
  SIGTERM: "terminated",
  SIGSYS: "bad system call",
  SIGXCPU: "CPU time limit exceeded",
  SIGXFSZ: "file size limit exceeded",
};

/** Files that the sample does not keep are reported: the program's result about them may be wrong. */
function withNotLaidOut(feedback: string, { notLaidOut }: Ended): string {
  if (notLaidOut.length === 0) return feedback;
  const named = notLaidOut.slice(0, mostNamed).map((path) => JSON.stringify(path));
  const more = notLaidOut.length > mostNamed ? ", …" : "";
  const told = `without the content of ${notLaidOut.length} files that the sample does not keep: ${named.join(", ")}${more}`;
  return `${feedback} (${told})`;
}

function lastOf(text: string, most: number): string {
  return text.length <= most ? text : `…${cutTextStart(text, most)}`;
}
