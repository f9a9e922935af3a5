import { formatProblem, problem, Refusal, type Problem } from "../model/refusal.ts";
import type { Tools } from "../tools.ts";

/** Names and numbers that the rows do not bear out, so that the gate can't pass: a check refuses them. */
const unmet = ["must_pass_unknown", "rule_slice_empty", "min_cases_unreachable"] as const;

/** Warnings about almost certain mistakes of the suite's author that would cost money. They don't depend on the machine. */
const slips: ReadonlySet<Problem["code"]> = new Set<Problem["code"]>([
  "template_unknown_field",
  "template_field_empty",
  "template_unclosed",
  "template_empty",
  "template_choices_missing",
  "grader_choices_missing",
  "grader_field_unknown",
  "handed_field_unknown",
  "template_list_of_messages",
  "target_not_a_label",
  "braces_literal",
  "braces_single",
  "cluster_field_unknown",
  "slice_field_unknown",
  "fewshot_without_target",
  "regex_explodes",
  "dry_call_invalid",
  "dry_call_key",
  "dry_call_attribute",
  "dry_call_range",
  "dry_call_metric",
  "dry_call_unmeasured",
  "models_missing",
  "helper_model_missing",
  "contract_without_models",
  "metric_id_unread",
  "settings_refused",
  ...unmet,
]);

/** Refuses a suite whose gate can't pass with the rows that it has. */
export function refuseUnmet(warnings: readonly Problem[]): void {
  const codes: ReadonlySet<Problem["code"]> = new Set(unmet);
  const found = warnings.filter(({ code }) => codes.has(code));
  if (found.length > 0) throw new Refusal(found);
}

/** Under `--strict` these warnings stop a run before it costs anything. */
export function refuseSlips(strict: boolean | undefined, warnings: readonly Problem[]): void {
  if (strict !== true) return;
  const found = warnings.filter(({ code }) => slips.has(code));
  if (found.length > 0) throw new Refusal([...found, problem("strict_refused", undefined)]);
}

/** Logs warnings before the run starts. */
export function tellWarnings(warnings: readonly Problem[], { report }: Tools): void {
  for (const warning of warnings) report({ kind: "warning", text: formatProblem(warning) });
}
