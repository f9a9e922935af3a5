/** Outcome of a rule with its reason, for machines; the rule's `reason` is for people. */
export type RuleCode =
  | "within_limit" // min, max, prove: nothing: met
  | "beyond_limit" // min, max, prove: nothing: missed
  | "drop_proven" // prove: drop: missed
  | "drop_not_confirmed" // proven, and not there when its cases were run again: met, a grey line
  | "confirm_undecided" // proven, and running its cases again could not decide: inconclusive
  | "drop_not_proven" // a drop of at least the limit was seen, and is not proven: met, a grey line
  | "drop_left_open" // a drop of a third of the range or more was seen, and so few cases did not prove it: inconclusive
  | "drop_within_limit" // proven or not, smaller than the limit: met
  | "drop_hidden" // info: a slice's proven drop, which the total does not show
  | "no_drop_detected" // met
  | "no_drop_shown" // prove: no_drop: met
  | "no_drop_not_shown" // prove: no_drop: inconclusive
  | "cases_short" // must_pass: missed
  | "cases_short_before" // must_pass: met: those that fall short did so in the baseline, and a change does not answer for them
  | "cases_absent" // must_pass: missed: a name that no case of this run has
  | "cases_ungraded" // must_pass: inconclusive
  | "slice_missing" // missed: the slice that a rule names has no case in this run
  | "no_baseline" // unmeasured
  | "run_stopped" // unmeasured: the run did not come to its end
  | "not_comparable" // inconclusive: grader, judge or extraction changed
  | "baseline_moved" // inconclusive: this run's grader moves the baseline's stored outputs outside of their own interval
  | "too_few_to_prove" // no drop, however large, could be proven with so few cases or clusters: unmeasured if none was seen in cases without clusters, else inconclusive
  | "not_provable" // inconclusive: a drop was seen in a metric that has no scores by case
  | "no_pairs" // inconclusive: a baseline, but not one case in common
  | "metric_missing" // missed: no case of this run has the metric
  | "metric_new"; // unmeasured: the baseline does not have the metric
