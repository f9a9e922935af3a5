import { problem } from "../model/refusal.ts";
import type { ManifestContext } from "./context.ts";
import { at, fieldsOf, isPresent, itemsOf, type Part, placeOf } from "../base/part.ts";

/** A key that the schema knows and this version does not; `*` stands for each item or field. */
interface Unsupported {
  readonly path: readonly string[];
  readonly feature: string;
  /** Only these values; without it, any. */
  readonly values?: readonly string[];
}

const ofSuite: readonly Unsupported[] = [];

const ofCandidate: readonly Unsupported[] = [{ path: ["agent"], feature: "agent candidates" }];

/** Refuses what the schema knows and this version does not: one problem a key, nothing is ignored. */
export function refuseUnsupported(
  part: Part,
  of: "suite" | "candidate",
  context: ManifestContext,
): void {
  for (const { path, feature, values } of {
    suite: ofSuite,
    candidate: ofCandidate,
  }[of]) {
    for (const found of partsAt(part, path)) {
      if (values === undefined || values.some((value) => value === found.value)) {
        refuseFeature(found, feature, context);
      }
    }
  }
}

/** Refuses one part as not supported yet. */
function refuseFeature(part: Part, feature: string, context: ManifestContext): undefined {
  return context.refuse(problem("not_supported", { feature }, placeOf(part)));
}

function partsAt(part: Part, path: readonly string[]): readonly Part[] {
  const [step, ...rest] = path;
  if (step === undefined) return isPresent(part) ? [part] : [];
  if (step !== "*") return partsAt(at(part, step), rest);
  return [...itemsOf(part), ...fieldsOf(part).map(([, field]) => field)].flatMap((each) =>
    partsAt(each, rest),
  );
}
