import { ownValue } from "../../model/own-value.ts";
import { canonicalJson, type JsonObject } from "../../model/json.ts";
import type { Grader } from "../../model/grading.ts";
import type { HashText } from "../../model/ports/files.ts";
import { type CheckOpened, gradedOf } from "./checked.ts";
import { openBehavior } from "./behavior.ts";
import { openDiff } from "./diff.ts";
import { openFiles } from "./files.ts";
import { openSequence } from "./sequence.ts";
import { openSkills } from "./skills.ts";
import { openText } from "./text.ts";
import { openTriggerWords } from "./trigger-words.ts";
import { openToolConstraint } from "./tool-constraint.ts";

/** The built-in graders that run in this process instead of in Python. */
const checks: Readonly<Record<string, (options: JsonObject) => CheckOpened>> = {
  text: openText,
  files: openFiles,
  diff: openDiff,
  sequence: openSequence,
  tool_constraint: openToolConstraint,
  behavior: openBehavior,
  skills: openSkills,
  trigger_words: openTriggerWords,
};

/** A grader that runs in this process; undefined: its type is a program. */
export function openCheck(
  { type, options }: { readonly type: string; readonly options: JsonObject },
  hashText: HashText,
): Grader | { readonly fault: string } | undefined {
  if (!Object.hasOwn(checks, type)) return undefined;
  const opened = openCheckHere(options, type);
  if ("fault" in opened) return opened;
  return {
    grade: async (sample, item) => gradedOf(type, opened.check(sample, item)),
    hurry: () => undefined,
    hash: hashText(canonicalJson({ kind: type, version: 1, options })),
    warnings: [],
    close: async () => undefined,
  };
}

/** Whether checks of this type run in this process. */
export function isCheckHere({ type }: JsonObject): boolean {
  return typeof type === "string" && (Object.hasOwn(checks, type) || type === "judge_calls");
}

/** Checks the options of a row's check; for a judge the schema checks them all. */
export function checkFault(options: JsonObject, type: string): string | undefined {
  if (type === "judge_calls") return undefined;
  const opened = openCheckHere(options, type);
  return "fault" in opened ? opened.fault : undefined;
}

/** Opens a check that runs in this process, with options that the schema has checked. */
export function openCheckHere(options: JsonObject, type: string): CheckOpened {
  const open = ownValue(checks, type);
  return open?.(options) ?? { fault: `there is no check of the type ${type}` };
}
