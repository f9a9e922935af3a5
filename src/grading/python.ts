import { canonicalJson, type JsonObject } from "../model/json.ts";
import type { ForeignClass, SingleGrader } from "../model/suite.ts";
import type { GraderKind } from "./kind.ts";

export type PythonSpec = Extract<SingleGrader, { readonly type: "python" }>;

/** A grader that the suite brings: source in the manifest, or a file. */
export function pythonProgram(spec: PythonSpec): GraderKind {
  const { contract, execution, isolation, metric_id: metricId } = spec;
  const common = {
    metricId,
    execution,
    contract,
    isolation,
    models: undefined,
    timeoutSeconds: spec.timeout_seconds,
    allowRead: [...spec.allow_read, ...(spec.class?.packages ?? [])].map(
      ({ absolute }) => absolute,
    ),
  };
  // The execution that the contract has anyway is left out: graders of earlier runs stay the same.
  const usual = contract === "batch" ? "aggregate" : "per_sample";
  const kind = execution === usual ? `python/${contract}` : `python/${contract}/${execution}`;
  const options = spec.class === undefined ? "" : canonicalJson(spec.class.settings);
  const identity = { kind, metricId, options };
  const { source } = spec;
  switch (source.kind) {
    case "inline": {
      const shown = `<grader ${spec.metric_id}>`;
      return { program: { ...common, kind: "source", text: source.text, shown }, identity };
    }
    case "file": {
      const { absolute, path } = source.file;
      return {
        program: {
          ...common,
          kind: "file",
          absolutePath: absolute,
          shown: path,
          ...(spec.class && { class: classFrame(spec.class) }),
        },
        identity,
      };
    }
  }
}

function classFrame({ settings, packages }: ForeignClass): JsonObject {
  return { ...settings, packages: packages.map(({ absolute }) => absolute) };
}
