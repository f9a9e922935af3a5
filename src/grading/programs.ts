import type { ForeignClass, GraderProgramSpec } from "../model/ports/programs.ts";
import { canonicalJson, type JsonObject } from "../model/json.ts";
import { isAggregate, type SingleGrader } from "../model/definition/graders.ts";
import { builtinGraders } from "../model/definition/builtins.ts";

/** How a kind of grader is run. */
export interface GraderKind {
  /** The models are added when it is opened. */
  readonly program: GraderProgramSpec & { readonly models: undefined };
  /** Parts of the specification that affect scores. Time-outs don't. */
  readonly identity: { readonly kind: string; readonly metricId: string; readonly options: string };
}

export type BuiltinSpec = Exclude<SingleGrader, { readonly type: "python" | "recorded" }>;

/** The default of the manifest's `grader.timeout_seconds`. */
const usualSeconds = 120;
/** The name of the only score where a built-in returns a bare number. */
const bareId = "score";

/** A grader that Regrade brings, one file in `python/regrade/graders`. */
export function builtinProgram(spec: BuiltinSpec): GraderKind {
  const { type, options, models } = spec;
  return {
    program: {
      kind: "builtin",
      name: type,
      options,
      metricId: bareId,
      timeoutSeconds: builtinGraders[type].timeoutSeconds ?? usualSeconds,
      execution: isAggregate(spec) ? "aggregate" : "per_sample",
      contract: models === undefined ? "sample" : "model_backed",
      isolation: "chunk",
      allowRead: [],
      models: undefined,
    },
    identity: { kind: type, metricId: bareId, options: canonicalJson(options) },
  };
}

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
  // The contract's default execution is left out, so that the hashes of earlier runs stay the same.
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
