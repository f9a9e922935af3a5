import type { GraderSpec } from "../domain/suite.ts";
import type { GraderKind } from "./kind.ts";

export type PythonSpec = Extract<GraderSpec, { readonly type: "python" }>;

/** A grader that the suite brings: source in the manifest, or a file. */
export function pythonProgram(spec: PythonSpec): GraderKind {
  const common = { metricId: spec.metric_id, timeoutSeconds: spec.timeout_seconds };
  const identity = { kind: `python/${spec.contract}`, metricId: spec.metric_id, options: "" };
  const { source } = spec;
  switch (source.kind) {
    case "inline": {
      const shown = `<grader ${spec.metric_id}>`;
      return { program: { ...common, kind: "source", text: source.text, shown }, identity };
    }
    case "file": {
      const { absolute, path } = source.file;
      return {
        program: { ...common, kind: "file", absolutePath: absolute, shown: path },
        identity,
      };
    }
  }
}
