import { dirname, normalize } from "node:path/posix";

import type { Annotation } from "../model/check.ts";
import type { Circumstances } from "../model/circumstances.ts";
import type { Place, Problem } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { RuleResult } from "../model/outcomes/rule-result.ts";
import type { RuleSpec } from "../model/definition/gate.ts";
import type { CommentView } from "./comment.ts";
import type { ErrorGroup } from "./markdown/detail-blocks.ts";
import { ofSetUp } from "./words/diagnoses.ts";
import { clip, escapeLog, escapeLogLine } from "./escape.ts";
import { counted } from "./words/figures.ts";
import { outcomeWords } from "./words/outcomes.ts";
import { isRelative, ruleFacts, ruleName } from "./words/rules.ts";

/** A limit that people still read; GitHub allows 64 KB for a message and 255 characters for a title. */
const longestMessage = 4000;
const longestTitle = 200;

/** Notes on the lines of the manifest and of the graders that a result concerns, the gravest first. */
export function annotationsOf(view: CommentView): readonly Annotation[] {
  const { hasFile } = view.circumstances;
  const shown = notesOf(view).filter(({ path }) => hasFile?.(path) !== false);
  return shown.toSorted((a, b) => weights[a.annotation_level] - weights[b.annotation_level]);
}

function notesOf(view: CommentView): readonly Annotation[] {
  if (view.kind === "no_run") {
    return view.reason.kind === "refused" ? view.reason.problems.flatMap(problemNote) : [];
  }
  const { run, circumstances, content, errors = [] } = view;
  const { locate } = circumstances;
  if (locate === undefined) return [];
  return [
    ...run.gate.rules.flatMap((rule) => ruleNote(run, rule, locate)),
    ...errors.flatMap((group) => graderNote(group, { content, manifest: locate([]).file })),
    ...ofSetUp(run).map(({ task, message }) =>
      note(locate(taskPath(run, task)), {
        annotation_level: "warning",
        title: task,
        message,
      }),
    ),
  ];
}

const weights = { failure: 0, warning: 1, notice: 2 } as const;

function problemNote({ message, hint, place }: Problem): readonly Annotation[] {
  if (place === undefined) return [];
  const path = place.path === undefined || place.path === "" ? "" : `${place.path}: `;
  const advice = hint === undefined ? "" : `\n${hint}`;
  const text = `${path}${message}${advice}`;
  return [
    note(place, { annotation_level: "failure", title: "Regrade could not run", message: text }),
  ];
}

/** Annotates a rule that was missed or inconclusive, at the rule's own line. */
function ruleNote(
  run: Run,
  rule: RuleResult,
  locate: NonNullable<Circumstances["locate"]>,
): readonly Annotation[] {
  const { outcome, level } = rule;
  if (level === "info" || (outcome !== "missed" && outcome !== "inconclusive")) return [];
  const isAccepted = Boolean(run.approvals?.loss) && isRelative(rule) && rule.against === undefined;
  const blocks = outcome === "missed" && level === "block" && !isAccepted;
  return [
    note(locate(rulePath(run, rule)), {
      annotation_level: blocks ? "failure" : "warning",
      title: `${ruleName(run, rule)} ${outcomeWords[outcome]}`,
      message: `${rule.reason}\n${ruleFacts(run, rule)}`,
    }),
  ];
}

/** The rule's path in the manifest; for a default rule, the path of the gate or of what is nearest to it. */
function rulePath({ suite }: Run, rule: RuleResult): readonly (string | number)[] {
  const rules = suite.gate === "none" ? [] : (suite.gate.rules ?? []);
  const fitting = rules.flatMap((spec, i) => (isOf(spec, rule) ? [{ spec, i }] : []));
  const exact = fitting.find(({ spec }) => spec.metric === `${rule.task}/${rule.metric}`);
  const found = exact ?? fitting[0];
  if (found !== undefined) return ["gate", "rules", found.i];
  return rule.kind === "max_drop" ? ["gate", "max_drop"] : ["gate"];
}

function isOf(spec: RuleSpec, rule: RuleResult): boolean {
  if (rule.kind === "must_pass") return spec.must_pass !== undefined;
  if (spec.against !== rule.against) return false;
  return spec.must_pass === undefined && spec[rule.kind] === rule.limit;
}

function taskPath({ suite }: Run, task: string): readonly (string | number)[] {
  const position = Object.keys(suite.tasks).indexOf(task);
  return position === -1 ? ["tasks"] : ["tasks", position];
}

/** Origin of a grader's exception, at the end of its message (python/regrade/faults.py). */
const origin = /\(((?!\/)[\w./-]{1,300}\.py):(\d{1,7}), in [^()\n]*\)/;

function graderNote(
  group: ErrorGroup,
  known: { readonly content: string; readonly manifest: string },
): readonly Annotation[] {
  if (group.fault !== "grader") return [];
  const found = origin.exec(group.message);
  const file = normalize(`${dirname(known.manifest)}/${found?.[1] ?? ""}`);
  // A stranger may have written the message: the named file must lie in the repository.
  if (found === null || file.startsWith("..")) return [];
  const samples = counted(group.count, "sample");
  const words = known.content === "ids" ? "" : `\n${clip(group.message, 600)}`;
  return [
    note(
      { file, line: Number(found[2]) },
      {
        annotation_level: "warning",
        title: `${group.task}: the grader failed on ${samples}`,
        message: `${group.type}, first in ${group.caseIds[0] ?? "an unnamed case"}${words}`,
      },
    ),
  ];
}

/** Texts are shown literally, neither as markdown nor as HTML; invisible characters are spelt out. */
function note(
  place: Place,
  words: Pick<Annotation, "annotation_level" | "title" | "message">,
): Annotation {
  const line = Math.max(1, place.line ?? 1);
  return {
    path: place.file,
    start_line: line,
    end_line: line,
    annotation_level: words.annotation_level,
    title: clip(escapeLogLine(clip(words.title, longestTitle)), 250).slice(0, 255),
    message: clip(escapeLog(clip(words.message, longestMessage)), 2 * longestMessage),
  };
}
