import type { BrokenCase, BrokenGroup } from "../../model/outcomes/broken.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { casesBeyond, decidingLimits, metricPlace } from "./beyond-cases.ts";
import { groupBroken } from "./broken-groups.ts";
import { worseCases } from "./worse-cases.ts";

/**
 * The cases that explain a verdict, in groups: those that got worse, then those beyond a limit. In a metric of which only
 * a limit was missed, the cases beyond it take the place of the few that got worse.
 */
export function explainingGroups(run: Run, texts: readonly BrokenCase[]): readonly BrokenGroup[] {
  const limits = decidingLimits(run);
  const places = new Set(limits.map(metricPlace));
  const worse = worseCases(run).cases.filter(
    ({ changes: [change], ...one }) =>
      !places.has(metricPlace({ ...one, metric: change?.metric ?? "" })),
  );
  // A loss of one metric is no measure for another's: each limit's groups stay together.
  const beyond = [...Map.groupBy(limits, metricPlace).values()].flatMap((rules) =>
    groupBroken(run, casesBeyond(rules), texts),
  );
  return [...groupBroken(run, worse, texts), ...beyond];
}
