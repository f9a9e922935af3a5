import { clusterValue, sliceValues } from "../../dataset/slices.ts";
import { firstPart } from "../../base/fields.ts";
import { canonicalJson } from "../../model/json.ts";
import type { HashText } from "../../model/ports/files.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import type { RecordedTask } from "../../model/definition/recorded.ts";
import type { ResultFormat } from "../../model/results.ts";
import type { Task } from "../../model/definition/suite.ts";
import type { PreparedTask } from "../opening/open-task.ts";
import { renderingOf } from "../prompts/rendering.ts";
import { nearestField } from "../../prompt/warnings.ts";
import type { TakenGroup } from "./groups.ts";
import type { TakenResults } from "./take.ts";
import type { Resolved } from "../read-manifest.ts";

/** A task with recorded results. */
export function preparedTask(
  found: {
    readonly spec: Task & RecordedTask;
    readonly group: TakenGroup;
    readonly taken: TakenResults;
    readonly index: number;
  },
  around: {
    readonly suite: string;
    readonly place: Resolved["place"];
    readonly hashText: HashText;
  },
): PreparedTask {
  const { spec, group, taken, index } = found;
  const fingerprint = fingerprintOf({ format: taken.format, group }, around.hashText);
  return {
    suite: around.suite,
    spec,
    fingerprint,
    dataset: { hash: group.content, size: group.cases, fields: group.fields, cases: nobodyAsks },
    selection: undefined,
    grader: {
      hash: fingerprint.grader,
      warnings: [],
      grade: nobodyGrades,
      hurry: nobodyWaits,
      close: nothingToClose,
    },
    extract: async (text) => ({ kind: "extracted", text }),
    checkFormat: async () => undefined,
    ...renderingOf(spec, []),
    slicesOf: (row) => sliceValues(row, spec.slices),
    clusterOf: (row) => clusterValue(row, spec.cluster_by),
    warnings: warningsOf(spec, group.fields, (...keys) => around.place(["tasks", index, ...keys])),
    close: nothingToClose,
  };
}

/**
 * Fingerprint of recorded results: a later run is comparable if it comes from the same tool. The cases are a separate
 * part, so that a run with more cases is still compared case by case. Metrics are excluded: they are compared one by
 * one, by name and direction, and the choice of the main metric does not change their meaning.
 */
function fingerprintOf(
  { format, group }: { readonly format: ResultFormat; readonly group: TakenGroup },
  hashText: HashText,
): PreparedTask["fingerprint"] {
  const nothing = hashText("recorded");
  return {
    dataset: hashText(group.content),
    preprocess: null,
    prompt: nothing,
    extraction: nothing,
    grader: hashText(canonicalJson({ format })),
    judge: null,
  };
}

/** The cases already have results, so nothing reads them to ask candidates. */
async function* nobodyAsks(): AsyncGenerator<never> {}

async function nobodyGrades(): Promise<never> {
  throw new RangeError("scores that were given elsewhere are not given again");
}

function nobodyWaits(): void {}

async function nothingToClose(): Promise<void> {}

/**
 * Warns about a field that no row has: it would silently make every case its own cluster, or put all cases into one
 * slice.
 */
function warningsOf(
  { cluster_by, slices }: Task,
  fields: ReadonlySet<string>,
  placeAt: (...keys: readonly (string | number)[]) => NonNullable<Problem["place"]>,
): readonly Problem[] {
  const known = [...fields];
  const has = (name: string): boolean => fields.has(name) || fields.has(firstPart(name));
  return [
    ...(cluster_by === undefined || has(cluster_by)
      ? []
      : [problem("cluster_field_unknown", { field: cluster_by, known }, placeAt("cluster_by"))]),
    ...slices.flatMap((field, i) =>
      has(field)
        ? []
        : [
            problem(
              "slice_field_unknown",
              { field, known, nearest: nearestField(field, fields) },
              placeAt("slices", i),
            ),
          ],
    ),
  ];
}
