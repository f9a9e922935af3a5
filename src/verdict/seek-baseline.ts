import type { ShardChoice } from "../model/outcomes/shard.ts";
import { findBaseline } from "./baseline.ts";
import type { BaselineRequest, LocatedBaseline } from "./baseline.ts";
import type { Baseline } from "./conclude.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";

/** A baseline that is searched for while the samples run. */
export interface SoughtBaseline {
  readonly kind: "sought";
  /** Must be awaited before the verdict. */
  readonly soon: Promise<Baseline>;
}

interface SeekRequest extends BaselineRequest {
  readonly shard?: ShardChoice | undefined;
  /** Another search that must end first. */
  readonly after?: Promise<unknown> | undefined;
}

/** The baseline of a run; none for a shard, because only the whole run is compared. */
export async function baselineFor(
  request: SeekRequest,
  prepared: Prepared,
  tools: Tools,
): Promise<LocatedBaseline> {
  if (request.shard === undefined) return findBaseline(request, prepared, tools);
  return { kind: "none", reason: "a shard is compared when it is merged" };
}

/**
 * As `baselineFor`. If GitHub has the answer, which may take minutes, the samples don't wait for it. Three kinds of
 * runs do wait: recorded results, which are judged like their baseline; runs with a budget of minutes, which belong to
 * the samples; and runs whose base may have to be run first.
 */
export async function seekBaseline(
  request: SeekRequest,
  prepared: Prepared,
  tools: Tools,
): Promise<LocatedBaseline | SoughtBaseline> {
  const { gate, budget } = prepared.suite;
  const declared = gate === "none" ? {} : (gate.baseline ?? {});
  const isLookedFor =
    request.ci?.baselines !== undefined &&
    [request.baseline ?? []].flat().every((each) => each === "auto") &&
    declared.path === undefined &&
    (declared.from ?? "auto") === "auto";
  const mustWait =
    prepared.recorded !== undefined ||
    budget.minutes !== undefined ||
    declared.fallback !== undefined;
  const find = async (): Promise<LocatedBaseline> => {
    await request.after?.catch(ignore);
    return baselineFor(request, prepared, tools);
  };
  if (!isLookedFor || mustWait) return find();
  const soon = find().then(asBaseline);
  // It is awaited after the samples: avoid an unhandled rejection until then.
  soon.catch(ignore);
  return { kind: "sought", soon };
}

function ignore(): void {}

/** A located baseline that must not be a base to run. */
function asBaseline(found: LocatedBaseline): Baseline {
  if (found.kind === "rerun") throw new Error("a base to run was found among earlier runs");
  return found;
}
