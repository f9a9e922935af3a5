import type { BrokenGroup, WorseCases } from "../../model/outcomes/broken.ts";
import { breaksIn, historyKey, meaningOf } from "../../model/outcomes/history.ts";
import type {
  PageGroup,
  PagePolicy,
  PageRule,
  PageRun,
  PageTone,
  PageTrend,
  PageVerdict,
} from "../../model/page.ts";
import { isOfJudged } from "../../model/outcomes/policy.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import { shardText } from "../../model/outcomes/shard.ts";
import { decisionLine, policyLines } from "../policy.ts";
import { resultsWords } from "../results-words.ts";
import { comparedRules } from "../words/compared-rules.ts";
import { confirmLines } from "../words/confirmation.ts";
import { costWords, count, counted, duration, unitOf } from "../words/figures.ts";
import { judgeLine, judgesOf, peopleLines, voidLines } from "../words/judges.ts";
import { none, ruleName, ruleWords } from "../words/rules.ts";
import { setUpLines } from "../words/diagnoses.ts";
import { fenceWords } from "../words/fence.ts";
import { sandboxWords } from "../words/sandbox.ts";
import { verdictMarks, type Consequence, type Status } from "../words/titles.ts";
import { verdictWords } from "../words/verdict.ts";

const tones: Readonly<Record<Status, PageTone>> = {
  pass: "pass",
  grey: "pass",
  accepted: "unsure",
  relaxed: "unsure",
  fail: "fail",
  inconclusive: "unsure",
  error: "unsure",
  neutral: "neutral",
  ungated: "neutral",
  cancelled: "neutral",
};

/** The verdict in the words of the comment. `follows`: its consequence, if more than the run tells it. */
export function pageVerdict(run: Run, worse: WorseCases, follows?: Consequence): PageVerdict {
  const { tone, title, sentence, lines: said } = verdictWords(run, follows);
  const lines = [...said, ...setUpLines(run)];
  const counts = { broke: worse.total, of: worse.of };
  if (run.outputs_from === undefined)
    return { tone: tones[tone], title, sentence, lines, ...counts };
  // A pass with unverified outputs is not green.
  const unverified = tones[tone] === "pass" ? "unsure" : tones[tone];
  return { tone: unverified, title: `${title}, unverified`, sentence, lines, ...counts };
}

/** Finds the index of a task and candidate among a page's places. */
type PlaceOf = (of: { readonly task: string; readonly candidate: string }) => number;

/** The rules, the deciding ones first. */
export function pageRules(run: Run): readonly PageRule[] {
  return run.gate.rules
    .toSorted((a, b) => rank(a) - rank(b))
    .map((rule): PageRule => {
      const words = ruleWords(run, rule);
      return {
        name: ruleName(run, rule),
        kind: rule.kind,
        level: rule.level,
        outcome: rule.outcome,
        before: words.baseline === none ? "" : words.baseline,
        now: words.value === none ? "" : words.value,
        difference: words.delta === none ? "" : words.delta,
        interval: words.interval,
        consequence: words.consequence,
        found: words.found,
      };
    });
}

const outcomes = ["missed", "inconclusive", "unmeasured", "met"];
const levels = ["block", "warn", "info"];

function rank({ level, outcome }: RuleResult): number {
  return levels.indexOf(level) * outcomes.length + outcomes.indexOf(outcome);
}

/** Groups without the ids of their cases, because each case in the list has the number of its group. */
export function pageGroups(groups: readonly BrokenGroup[], placeOf: PlaceOf): readonly PageGroup[] {
  return groups.map((group) => ({
    kind: group.kind,
    place: placeOf(group),
    metric: group.metric,
    reason: group.reason ?? null,
    where: group.where.map(({ field, value, cases }) => [field, value, cases] as const),
    cases: group.cases.length,
    mustPass: group.mustPass,
  }));
}

/** The metrics of the base branch's last runs and of this one, if at least two of them have the metric. */
export function pageTrends(run: Run, placeOf: PlaceOf): readonly PageTrend[] {
  const history = run.baseline?.history ?? [];
  const seen = new Set<string>();
  return run.gate.rules.flatMap((rule): readonly PageTrend[] => {
    const key = historyKey(rule);
    if (rule.value === null || rule.kind === "must_pass" || seen.has(key)) return [];
    seen.add(key);
    const before = history.map(
      ({ values }) => values.find((value) => historyKey(value) === key)?.value ?? null,
    );
    if (before.filter((value) => value !== null).length < 2) return [];
    return [
      {
        name: ruleName(run, rule),
        place: placeOf(rule),
        metric: rule.metric,
        slice: rule.slice,
        unit: unitOf(run, rule),
        values: [...before, rule.value],
        commits: [...history.map(({ sha }) => sha), run.git.sha],
        times: [...history.map(({ at }) => at ?? null), run.completed_at],
        breaks: breaksIn([...history, { meaning: meaningOf(run) }], rule.task),
      },
    ];
  });
}

/** Tells which rules decided, or which shard this is. */
export function whichRun(run: Run, isOwnPolicy: boolean): string {
  if (isOwnPolicy) return "by the change's own rules";
  if (run.shard !== undefined) return `shard ${shardText(run.shard)}`;
  const { policy } = run;
  return policy?.head && policy.base ? `by the rules of ${policy.source}` : "";
}

/** Both policies, if the run was judged by two. */
export function pagePolicy(run: Run): PagePolicy | undefined {
  const { base, head, source = "" } = run.policy ?? {};
  if (!base || !head) return undefined;
  const lines = policyLines(run);
  return {
    lines,
    decision: decisionLine(run.policy),
    base: `${source}: ${verdictMarks[base.verdict]} ${base.verdict}`,
    own: `this change: ${verdictMarks[head.verdict]} ${head.verdict}`,
    rules: comparedRules(run).map(
      (rule) =>
        [`${rule.name}, ${rule.limited}`, sideWords(rule.base), sideWords(rule.own)] as const,
    ),
  };
}

type RuleSide = ReturnType<typeof comparedRules>[number]["base"];

function sideWords(side: RuleSide): string {
  return side === undefined ? "➖ no such rule" : `${side.mark} ${side.limit}`;
}

/** Sources of the run, the counts of its cases, and its cost. */
export function pageFacts(run: Run): PageRun["facts"] {
  return [
    { title: "Where the figures come from", rows: filled(provenanceRows(run)) },
    { title: "The judge beside people", rows: judgeRows(run) },
    { title: "What became of every case", rows: filled(ledgerRows(run)) },
    { title: "Cost, time and environment", rows: filled(environmentRows(run)) },
  ].filter(({ rows }) => rows.length > 0);
}

type Rows = readonly (readonly [string, string])[];

function filled(rows: Rows): Rows {
  return rows.filter(([, value]) => value !== "");
}

function provenanceRows(run: Run): Rows {
  const { baseline, git, suite, candidates } = run;
  return [
    ["Run", run.id],
    ["Suite", suite.path],
    ["Results", resultsWords(run)],
    ["Commit", git.sha ?? ""],
    [
      "Candidates",
      candidates
        .map(({ id, kind, model }) => `${id} (${kind}${model === null ? "" : `, ${model}`})`)
        .join(", "),
    ],
    ["Judge model", run.judge_model ?? ""],
    ["Baseline", baseline === null ? "none" : `${baseline.source}, run ${baseline.run_id}`],
    ["Commit of the baseline", baseline?.sha ?? ""],
    [
      "Age of the baseline",
      typeof baseline?.age_days === "number" ? counted(baseline.age_days, "day") : "",
    ],
    ["Why this baseline", baseline?.reason ?? ""],
    ["Run again", (run.confirmation ? confirmLines(run.confirmation) : []).join("; ")],
    ...(baseline?.notes ?? []).map((note) => ["Note", note] as const),
    ["Rules changed", rulesChanged(run)],
  ];
}

function rulesChanged({ policy }: Run): string {
  const changed = policy?.changed.filter((each) => !isOfJudged(each)) ?? [];
  return changed.map(({ part }) => part).join(", ");
}

function judgeRows(run: Run): Rows {
  return [
    ...voidLines(run).map((line) => ["Void", line] as const),
    ...judgesOf(run).map((words) => [words.name, judgeLine(words)] as const),
    ...peopleLines(run).map((line) => ["Difference", line] as const),
  ];
}

function ledgerRows({ cases, request_counts: samples, suite }: Run): Rows {
  return [
    ["Declared", `${count(cases.declared)} · cases of the plan, for each candidate`],
    ["Scored", count(cases.scored)],
    ...countRow("Invalid", cases.invalid, "the grader gave no valid score"),
    ...countRow("Failed", cases.failed, "the candidate failed: counts as the worst"),
    ...countRow("Ungraded", cases.ungraded, "no score, and nobody's fault"),
    ...countRow("Compared", cases.paired, "with the same case of the baseline"),
    ...countRow("New", cases.new, "not in the baseline"),
    ...countRow("Missing", cases.missing, "in the baseline, not here"),
    ...countRow("Renamed", cases.renamed, "same content under another id"),
    ...(suite.not_selected.cases ?? []).map(
      ({ task, selected, of }) =>
        [`Selected of ${task}`, `${count(selected)} of ${count(of)}`] as const,
    ),
    ["Samples", `${count(samples.total)}, of which ${count(samples.failed)} failed`],
  ];
}

function countRow(name: string, value: number, meaning: string): Rows {
  return value === 0 ? [] : [[name, `${count(value)} · ${meaning}`]];
}

function environmentRows(run: Run): Rows {
  const { usage, timing, environment } = run;
  return [
    ["Cost", costWords(usage)],
    ["Tokens", `${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out`],
    ["Answers from the cache", usage.cached === 0 ? "" : count(usage.cached)],
    ["Time", duration(timing.seconds)],
    ["Sandbox of graders", sandboxWords(run.sandbox)],
    ["Fence of candidates", fenceWords(run)],
    ["Regrade", environment.regrade],
    ["System", `Node ${environment.node}, Python ${environment.python ?? "–"}, ${environment.os}`],
    ["Finished", run.completed_at],
  ];
}
