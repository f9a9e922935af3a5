import { isReproducible } from "../model/definition/candidate-kinds.ts";
import type { BaselineFinder, CiContext, FoundBaseline, SoughtSuite } from "../model/baseline.ts";
import type { RuleCode } from "../model/outcomes/rule-code.ts";
import type { Run, RunKey } from "../model/outcomes/run.ts";
import type { ShardChoice } from "../model/outcomes/shard.ts";
import type { RunStore } from "../model/ports/store.ts";
import { baselineSource } from "../verdict/baseline.ts";
import { conclude } from "../verdict/conclude.ts";
import type { Baseline, Conclusion } from "../verdict/conclude.ts";
import { judgedOf } from "../verdict/describe.ts";
import { factsOf } from "./finish.ts";
import type { FinishedRun } from "./finish.ts";
import type { OpenedSuite } from "../suite/policy/open.ts";
import { readTexts, renderRun } from "../verdict/summarize.ts";
import type { Tools } from "../tools.ts";

type Equal = Extract<FoundBaseline, { kind: "found" }>;

/** Limit of the age: models change behind their names, though artifacts are kept longer. */
const mostDays = 30;
const millisecondsPerDay = 86_400_000;

/** Finds an earlier run of the base branch with the same inputs, if equal inputs imply an equal run. */
export async function findEqual(
  request: {
    readonly ci?: CiContext | undefined;
    readonly shard?: ShardChoice | undefined;
    readonly sought: SoughtSuite;
  },
  opened: OpenedSuite,
  now: number,
): Promise<Equal | undefined> {
  const { prepared, policy } = opened;
  const context: BaselineFinder | undefined = request.ci?.baselines;
  const isWhole = request.shard === undefined && policy === undefined;
  if (context === undefined || !isWhole || !prepared.candidateSpecs.every(isReproducible))
    return undefined;
  const found = await context.findEqual(request.sought, prepared.inputHash);
  if (found.kind === "none") return undefined;
  const { completed_at } = found.stored.run;
  return now - Date.parse(completed_at) <= mostDays * millisecondsPerDay ? found : undefined;
}

interface StandIn {
  readonly request: {
    readonly git: Run["git"];
    readonly ofChange?: boolean | undefined;
    readonly key?: RunKey | undefined;
  };
  readonly opened: OpenedSuite;
  readonly baseline: Baseline;
  readonly equal: Equal;
}

/** Takes an earlier run's scores as this commit's own, and judges them by today's gate. Nothing is run. */
export async function standIn(
  { request, opened, baseline, equal }: StandIn,
  store: RunStore,
  tools: Tools,
): Promise<FinishedRun> {
  const { prepared } = opened;
  const { run, ledger } = equal.stored;
  const days = Math.floor((tools.now() - Date.parse(run.completed_at)) / millisecondsPerDay);
  const note = `Nothing was run: ${equal.source} had the same inputs, ${days === 0 ? "today" : `${days} days ago`}, and stands in for this commit.`;
  tools.report({ kind: "note", text: note });
  const suite = { ...run.suite, gate: prepared.suite.gate, path: prepared.suite.path };
  // Findings against that run's baseline, and its approvals, apply to that run only.
  const {
    confirmation: _c,
    approvals: _a,
    policy: _p,
    reruns: _r,
    of_change: _o,
    key: _k,
    ...kept
  } = run;
  const attempts = run.attempts && { ...run.attempts, unread: null, decided: [] };
  const draft = {
    ...kept,
    suite,
    ...(attempts && { attempts }),
    ...(request.ofChange === true && { of_change: true as const }),
    ...(request.key && { key: request.key }),
  };
  const found = conclude(judgedOf(draft, ledger), baseline, tools.now());
  const gate = { ...found.gate, reasons: [...found.gate.reasons, ...leftUndone(found), note] };
  const standing: Run = {
    ...draft,
    ...found,
    gate,
    stands_in: { for_sha: request.git.sha ?? "", source: equal.source },
  };
  const { visitSamples } = tools;
  const { directory } = store;
  const source = baselineSource(baseline);
  const texts = await readTexts(standing, { directory, baseline: source, ledger, visitSamples });
  const summary = renderRun(standing, texts, { directory, baseline: source });
  await store.seal();
  await store.finish({ run: standing, ledger, summary });
  const { warnings } = opened;
  const { place } = prepared;
  const facts = factsOf(baseline);
  return { run: standing, directory, summary, warnings, texts, place, baseline: facts };
}

/** Steps before a verdict that a run would have taken, but a reused run does not take. */
function leftUndone({ gate }: Conclusion): readonly string[] {
  const has = (code: RuleCode): boolean =>
    gate.rules.some(
      (rule) => rule.code === code && rule.level === "block" && rule.against === undefined,
    );
  const undone = [
    ...(has("not_comparable")
      ? ["the baseline's outputs were not graded again by the grader that this run had"]
      : []),
    ...(has("not_provable")
      ? ["base and head were not swapped to test what a batch grader gave for all cases"]
      : []),
    ...(has("drop_proven") ? ["the proven drop was not run again before it blocked"] : []),
  ];
  if (undone.length === 0) return [];
  const why = "as an earlier run stands in for this one";
  return [`Not done, ${why}: ${undone.join("; ")}. \`regrade run\` on this commit does it.`];
}
