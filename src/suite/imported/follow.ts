import type { ResultRules } from "../../model/results.ts";
import type { Run, RunTask } from "../../model/outcomes/run.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import type { OpenedSuite } from "../policy/open.ts";
import type { Prepared } from "../prepare.ts";
import { type Earlier, gateOf, type JudgedTask, leadBy } from "./gate.ts";

/** A run of results without a manifest, judged by the same metrics and rules as its baseline. */
export function followBaseline(opened: OpenedSuite, found: FoundRun): OpenedSuite {
  if (found.kind !== "run") return opened;
  return { ...opened, prepared: preparedLike(opened.prepared, found.stored.run.suite) };
}

type FoundRun =
  | { readonly kind: "none" | "rerun" | "sought" }
  | { readonly kind: "run"; readonly stored: StoredRun };

function preparedLike(prepared: Prepared, earlier: Earlier): Prepared {
  const asked = prepared.recorded?.asked;
  if (asked === undefined) return prepared;
  const rules = rulesAsked(asked);
  const tasks = prepared.tasks.map((task) => {
    const metrics = leadBy(task.spec, rules.metrics, earlier);
    return { ...task, spec: { ...task.spec, metrics } };
  });
  const specs = tasks.map(({ spec }) => spec);
  const gate = gateOf(rules, specs, earlier);
  return { ...prepared, tasks, suite: { ...prepared.suite, tasks: specs, gate } };
}

/** As `followBaseline`, for a stored run: if it has followed a baseline before, it does so again. */
export function followStored(stored: StoredRun, base: StoredRun): StoredRun {
  const { run } = stored;
  const asked = run.results?.find((each) => each.asked !== undefined)?.asked;
  if (asked === undefined) return stored;
  const rules = rulesAsked(asked);
  const earlier = base.run.suite;
  const judged: JudgedTask[] = [];
  const tasks: Record<string, RunTask> = {};
  for (const [id, task] of Object.entries(run.suite.tasks)) {
    const metrics = leadBy({ id, metrics: task.metrics }, rules.metrics, earlier);
    judged.push({ id, metrics });
    tasks[id] = { ...task, metrics };
  }
  const gate = gateOf(rules, judged, earlier);
  return { ...stored, run: { ...run, suite: { ...run.suite, tasks, gate } } };
}

type Asked = NonNullable<NonNullable<Run["results"]>[number]["asked"]>;

function rulesAsked({ max_drop, min, metrics }: Asked): ResultRules {
  return { maxDrop: max_drop ?? undefined, min: min ?? undefined, metrics };
}
