import { canonicalJson, type JsonObject } from "../../model/json.ts";
import type { Graded, Grader, OpenGrader } from "../../model/grading.ts";
import type { HeldRefused } from "../../model/ports/held-programs.ts";
import type { HashText } from "../../model/ports/files.ts";
import { type Place, type Problem, problem } from "../../model/refusal.ts";
import { type CheckResult, gradedOf } from "../checks/checked.ts";
import { withView } from "../view.ts";
import { type HeldResult, type HeldTools, openHeldCheck } from "./open.ts";

/** A grader that is a program. */
export async function openHeldGrader(
  {
    type,
    options,
    extracted_field: field,
  }: { readonly type: string; readonly options: JsonObject; readonly extracted_field?: string },
  {
    held,
    hashText,
    declaredPlace,
  }: {
    readonly held: HeldTools | undefined;
    readonly hashText: HashText;
    readonly declaredPlace?: Place;
  },
): ReturnType<OpenGrader> {
  if (held === undefined) throw new TypeError("no programs are opened here");
  const opened = await openHeldCheck({ ...options, type }, held, { inRow: false });
  if ("refused" in opened)
    return { problems: [heldRefusedProblem(type, opened.refused, declaredPlace)] };
  const files = opened.files.map(({ path, sha256 }) => [path, sha256]);
  const readsField = field !== undefined;
  const grader: Grader = {
    grade: async (sample, item) => endOf(type, await opened.check({ sample, item, readsField })),
    hurry: () => undefined,
    hash: hashText(canonicalJson({ kind: type, version: 1, options, files })),
    warnings: [],
    close: async () => undefined,
  };
  return { grader: withView(grader, { field }) };
}

/** A program that did not judge makes the sample invalid, as any grader does that fails. */
function endOf(type: string, end: HeldResult): Graded {
  if (end.kind === "ungraded") return end;
  return end.broken === undefined ? gradedOf(type, end.result) : brokenOf(end.result, end.broken);
}

/** The invalid result of a program that did not judge, with its feedback and details. */
export function brokenOf(
  { feedback, details = {} }: CheckResult,
  { type, message }: { readonly type: string; readonly message: string },
): Graded {
  const judge = { invalid: true, reason: message, feedback, ...details };
  return { kind: "invalid", type, message, judge, printed: null };
}

/** The problem of a grader whose program can't be opened. */
export function heldRefusedProblem(
  grader: string,
  { reason, message }: HeldRefused,
  place: Place | undefined,
): Problem {
  return reason === "sandbox"
    ? problem("grader_sandbox", { reason: message }, place)
    : problem("grader_program", { grader, reason: message }, place);
}
