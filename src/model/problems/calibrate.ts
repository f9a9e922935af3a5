import { groupedDigits, plural } from "../number-words.ts";
import type { Said } from "./said.ts";

/** Problems with calibration, and with rules that ask too much of too few cases. */
export const calibrateTexts = {
  rule_beyond_reach: (found: BeyondReach): Said => ({
    message: `${found.rule} asks to hold ${found.asked}, but ${caseWords(found.cases)} prove a loss only from about ${found.seen} on (4 times in 5${found.assumption === undefined ? "" : `; ${found.assumption}`}); what lies between mostly passes as not proven`,
    hint: `${found.asked} would take about ${groupedDigits(found.needed)} cases; ${found.repeated === undefined ? "" : `\`repeats: 5\` would come down to ${found.repeated} at best; `}\`${found.kind}: ${found.holds}\` is what is held now; \`must_pass\` holds single cases. \`regrade power\` has the table.`,
  }),
  rule_cannot_prove: ({ rule, cases, clusters, comparisons, needed }: CannotProve): Said => ({
    message: `${rule}: ${caseWords(cases)}${clusters === null ? "" : ` in ${clusters} ${plural(clusters, "cluster")}`} can't prove a loss, however large${comparisons > 1 ? `, where ${comparisons} comparisons share alpha` : ""}: ${clusters === null ? "one that is seen" : "the rule"} is inconclusive`,
    hint: `It takes at least ${needed} ${clusters === null ? "cases" : "clusters"}; rules that need no proof are \`must_pass\`, \`min\` and \`prove: nothing\`.`,
  }),
  rule_rarely_shown: (found: RarelyShown): Said => ({
    message: `with ${caseWords(found.cases)} a \`prove: no_drop\` rule with \`${found.kind}: ${found.limit}\` passes an unchanged run ${oftenWords(found.chance)}; the others are inconclusive${found.blocks ? ", which fails the action's step by default" : ""}`,
    hint: `About ${groupedDigits(found.needed)} cases are needed for 80 %${found.repeated === undefined ? "" : `, ${groupedDigits(found.repeated)} with \`repeats: 5\` at best`} (${found.assumption}). A wider ${found.kind} needs fewer, and \`prove: drop\`, the default, blocks only what is proven. 'regrade calibrate' measures it.`,
  }),
  calibrate_one_suite: ({ paths }: { paths: string }): Said => ({
    message: `calibrate takes one suite, or directories of finished runs; given were ${paths}`,
    hint: "Calibrate suites one by one, as in: regrade calibrate evals/suite.yaml",
  }),
  calibrate_idle_flag: ({ flag }: { flag: string }): Said => ({
    message: `${flag} has no meaning beside finished runs: nothing is run`,
    hint: "Take it out, or name a suite to run.",
  }),
  calibrate_too_few: ({ found }: { found: number }): Said => ({
    message: `${found === 1 ? "one run has" : "no runs have"} nothing to be compared with; calibration needs two at least, and five tell more`,
    hint: "Name more finished runs of the same suite, or the suite itself: regrade calibrate evals/suite.yaml --runs 5",
  }),
  calibrate_same_run: ({ id, directories }: { id: string; directories: string }): Said => ({
    message: `${directories} hold the same run, ${id}`,
    hint: "A copy differs in nothing, and would make the gate look surer than it is. Name each run once.",
  }),
  calibrate_unfinished: ({ directory, status }: { directory: string; status: string }): Said => ({
    message: `the run in ${directory} was stopped before its end (status ${status})`,
    hint: "Finish it with 'regrade run --resume --out', or leave it out.",
  }),
  calibrate_other_input: (found: { one: string; other: string; what: string }): Said => ({
    message: `${found.one} and ${found.other} are not runs of the same suite: ${found.what} differ`,
    hint: "What differs between them is no noise. Run the same suite again, with the same candidates: regrade calibrate SUITE",
  }),
  calibrate_no_gate: ({ suite }: { suite: string }): Said => ({
    message: `the suite ${suite} has \`gate: none\`: there is no rule to calibrate`,
    hint: "Declare gate.rules, or leave the gate out for the default rule.",
  }),
  calibrate_out_taken: ({ directory, done }: { directory: string; done: string }): Said => ({
    message: `${directory} is there already`,
    hint: `Choose another --out, or judge what is there: regrade calibrate ${done}`,
  }),
  calibrate_run_failed: (found: { directory: string; reason: string; done: string }): Said => ({
    message: `the run in ${found.directory} did not get to its end: ${found.reason}`,
    hint: `Mend that and start again${found.done === "" ? "" : `, or judge what is complete: regrade calibrate ${found.done}`}.`,
  }),
  judge_label_bad: ({ why }: { why: string }): Said => ({
    message: `the label ${why}`,
    hint: 'A label is a line such as {"case_id": "q1", "label": 1}, with `task`, `candidate` and `repeat` where the run has several, and `labeler` where several people label; a CSV file has the same columns.',
  }),
  judge_labels_none: ({ path }: { path: string }): Said => ({
    message: `${path} holds no label`,
    hint: 'Write one a line, as in {"case_id": "q1", "label": 1}: about 100, of cases drawn by chance, tell much.',
  }),
  judge_labels_unjudged: ({ task, metric }: { task: string; metric: string }): Said => ({
    message: `none of the labelled samples has a score of ${task}/${metric}: nothing can be compared`,
    hint: "Label samples that were scored; where several people are split evenly on a sample, it does not count.",
  }),
  judge_write_idle: ({ why }: { why: string }): Said => ({
    message: `--write keeps what people's labels say of a judge, and ${why}`,
    hint: "As in: regrade calibrate RUN --judge labels.jsonl --write judge-calibration.json",
  }),
  judge_write_name: ({ path }: { path: string }): Said => ({
    message: `--write ${path}: a calibration is kept in a .json file`,
    hint: "Give it a name that ends in .json, and name it in the suite: judge_calibration: judge-calibration.json",
  }),
  judge_calibration_bad: (): Said => ({
    message: "this is no calibration of a judge",
    hint: "Labels are JSON lines (.jsonl) or CSV; a calibration is the .json file that 'regrade calibrate RUN --judge labels.jsonl --write FILE' wrote.",
  }),
  judge_calibration_task: (found: {
    tasks: readonly string[];
    known: readonly string[];
  }): Said => ({
    message: `the calibration is of ${found.tasks.map((task) => `\`${task}\``).join(", ")}, which the suite does not have: its tasks are ${found.known.map((task) => `\`${task}\``).join(", ")}`,
    hint: "Calibrate a run of this suite: regrade calibrate RUN --judge labels.jsonl --write FILE",
  }),
  judge_calibration_void: ({ metric, what }: { metric: string; what: string }): Said => ({
    message: `the calibration of ${metric} is void: ${what}`,
    hint: "People's labels say nothing of another judge: label samples of a run by this one, and calibrate again.",
  }),
  judge_one_run: ({ paths }: { paths: string }): Said => ({
    message: `--judge compares the scores of one finished run with labels; given were ${paths}`,
    hint: "Run the suite, and name its directory: regrade calibrate .regrade/runs/<run id> --judge labels.jsonl",
  }),
  power_drop_wide: ({ drop, widest, isShare }: DropWide): Said => ({
    message: `a drop of ${drop} is wider than the range of any metric here, ${widest} at most: there is none to see`,
    hint: `Give a size above 0 and up to ${widest}${isShare ? "; 5 points are 0.05" : ""}.`,
  }),
  power_nothing: ({ path }: { path: string }): Said => ({
    message: `nothing to reckon with in ${path}: none of its gated metrics is a mean that has scores or a range`,
    hint: "Declare a metric's range, or run the suite and ask for its run directory: regrade power .regrade/runs/<run id>",
  }),
} satisfies Record<string, (found: never) => Said>;

interface DropWide {
  readonly drop: number;
  readonly widest: number;
  readonly isShare: boolean;
}

interface BeyondReach {
  readonly rule: string;
  readonly kind: string;
  readonly asked: string;
  readonly seen: string;
  readonly cases: number;
  readonly needed: number;
  /** The figure with 5 repeats; undefined if the suite has 5 or more. */
  readonly repeated: string | undefined;
  readonly holds: number;
  /** Assumption behind the figures if the suite has not run yet. */
  readonly assumption: string | undefined;
}

interface CannotProve {
  readonly rule: string;
  readonly cases: number;
  /** Number of clusters; null if each case is its own cluster. */
  readonly clusters: number | null;
  /** Number of comparisons that share alpha. */
  readonly comparisons: number;
  /** Number of clusters or cases needed. */
  readonly needed: number;
}

interface RarelyShown {
  readonly kind: string;
  readonly limit: number;
  readonly cases: number;
  /** Chance that an unchanged run passes; undefined if it depends on how many cases change. */
  readonly chance: number | undefined;
  readonly needed: number;
  /** Number of cases needed with 5 repeats; undefined if the suite has 5 or more. */
  readonly repeated: number | undefined;
  readonly blocks: boolean;
  /** Assumption behind the figures. */
  readonly assumption: string;
}

function oftenWords(chance: number | undefined): string {
  if (chance === undefined) return "less often than 4 times in 5";
  const share = Math.round(100 * chance);
  return share < 1 ? "only in fewer than 1 of 100 tries" : `only in about ${share} of 100 tries`;
}

function caseWords(cases: number): string {
  return `${groupedDigits(cases)} ${plural(cases, "case")}`;
}
