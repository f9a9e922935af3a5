import { canonicalJson } from "../model/json.ts";
import type { Grader, OpenGrader } from "../model/grading.ts";
import type { HashText } from "../model/ports/files.ts";
import type { GraderProgram, OpenProgram, ProgramFile } from "../model/ports/programs.ts";
import { type Place, type Problem, problem } from "../model/refusal.ts";
import type { SingleGrader } from "../model/definition/graders.ts";
import type { OpenHeldProgram } from "../model/ports/held-programs.ts";
import { createBridge, type Bridge } from "./bridge.ts";
import type { RunModels } from "./bridge-models.ts";
import { bridged } from "./bridged.ts";
import { openCheck } from "./checks/open.ts";
import { type HeldTools } from "./held/open.ts";
import { heldRefusedProblem, openHeldGrader } from "./held/grader.ts";
import { isHeldCheck } from "./held/spec.ts";
import {
  builtinProgram,
  type BuiltinSpec,
  type GraderKind,
  pythonProgram,
  type PythonSpec,
} from "./programs.ts";
import { refusedProblem } from "./refused.ts";
import { faultsOfAlso, judgeGrader, mixedRowChecks, withPythonChecks } from "./row-checks.ts";
import { openRowPrograms } from "./row-programs.ts";
import { openSeveral } from "./several.ts";
import { withView } from "./view.ts";

interface GradingTools {
  readonly openProgram: OpenProgram;
  readonly hashText: HashText;
  /** Opens programs of other languages; undefined: there are none. */
  readonly openHeldProgram?: OpenHeldProgram;
  /** Models that graders may ask; undefined: none. */
  readonly models?: RunModels;
  /** Position of the grader's declaration. */
  readonly declaredPlace?: Place;
  /** Position of an inline grader's source in its manifest. Default: its name and its own line. */
  readonly inlinePlace?: (spec: PythonSpec, within: Place) => Place;
  /** The same two for an entry of `graders`. */
  readonly placesOf?: (index: number) => Pick<GradingTools, "declaredPlace" | "inlinePlace">;
}

/** Opens graders of every kind. */
export function createOpenGrader(tools: GradingTools): OpenGrader {
  return async (spec) => {
    if (spec.type !== "several") return openSingle(spec, tools);
    const openOne = (grader: SingleGrader, i: number): ReturnType<OpenGrader> =>
      openSingle(grader, { ...tools, ...tools.placesOf?.(i) });
    return openSeveral(spec, openOne, tools.hashText);
  };
}

async function openSingle(spec: SingleGrader, tools: GradingTools): ReturnType<OpenGrader> {
  if (isBuiltin(spec) && isHeldCheck({ ...spec.options, type: spec.type }))
    return openHeldGrader(spec, { ...tools, held: heldTools(spec, tools) });
  const here = spec.type === "python" ? undefined : openCheck(spec, tools.hashText);
  if (here !== undefined) {
    if (!("fault" in here)) return { grader: withView(here, { field: fieldOf(spec) }) };
    const found = { grader: spec.type, reason: here.fault };
    return { problems: [problem("grader_options", found, tools.declaredPlace)] };
  }
  if (isBuiltin(spec) && spec.type === "row_checks") return openRowChecks(spec, tools);
  if (isBuiltin(spec) && spec.type === "judge_calls") return openJudge(spec, tools);
  return openProgramOf(spec, tools);
}

function isBuiltin(spec: SingleGrader): spec is BuiltinSpec {
  return spec.type !== "python" && spec.type !== "recorded";
}

/** Opens the checks of rows: some kinds run in Python, the others in this process. */
async function openRowChecks(spec: BuiltinSpec, tools: GradingTools): ReturnType<OpenGrader> {
  const faults = faultsOfAlso(spec.options);
  if (faults.length > 0) {
    const found = { grader: spec.type, reason: faults.join("; ") };
    return { problems: [problem("grader_options", found, tools.declaredPlace)] };
  }
  const options = withPythonChecks(spec.options);
  const opened = await openProgramOf({ ...spec, options, models: undefined }, tools);
  if ("problems" in opened) return opened;
  const { hashText } = tools;
  const held = await openRowPrograms(spec.options, heldTools(spec, tools));
  if ("refused" in held) {
    await opened.grader.close();
    return { problems: [heldRefusedProblem(spec.type, held.refused, tools.declaredPlace)] };
  }
  const bridge = bridgeFor(spec, tools);
  const parts = { options: spec.options, hashText, call: bridge?.call, held };
  return { grader: withBridge(mixedRowChecks(opened.grader, parts), bridge) };
}

function heldTools(
  { held_base: base }: BuiltinSpec,
  { openHeldProgram }: GradingTools,
): HeldTools | undefined {
  return base && openHeldProgram && { openHeldProgram, base };
}

/** Opens a judge that gives its verdicts by calls, as a grader of its own. */
function openJudge(spec: BuiltinSpec, tools: GradingTools): Awaited<ReturnType<OpenGrader>> {
  const { options, type } = spec;
  const { hashText } = tools;
  const bridge = bridgeFor(spec, tools);
  const grader: Grader = {
    ...judgeGrader({ options, hashText, call: bridge?.call }),
    hash: hashText(canonicalJson({ kind: type, version: 1, options })),
  };
  return { grader: withView(withBridge(grader, bridge), { field: fieldOf(spec) }) };
}

function withBridge(grader: Grader, bridge: Bridge | undefined): Grader {
  if (bridge === undefined) return grader;
  const nothing = { grade: grader.grade, gradeBatch: noBatch };
  return { ...grader, grade: bridged(nothing, bridge).grade };
}

function noBatch(): never {
  throw new Error("it grades one sample at a time");
}

async function openProgramOf(spec: SingleGrader, tools: GradingTools): ReturnType<OpenGrader> {
  const { program, identity } = kindOf(spec);
  const bridge = bridgeFor(spec, tools);
  const models = bridge && { maxCalls: spec.models?.max_calls ?? 0, call: bridge.call };
  const opened = await tools.openProgram({ ...program, models });
  if ("refused" in opened) {
    const at = (within: Place): Place => placeOf(spec, within, tools);
    const declared = tools.declaredPlace;
    return { problems: [refusedProblem(opened.refused, { program, at, declared })] };
  }
  const { files, runsText, hurry, close } = opened.program;
  const hash = graderHash(identity, files, tools.hashText);
  const isBatch = program.execution === "aggregate";
  const told = { spec, place: tools.declaredPlace };
  const warnings = runsText === undefined ? [] : textWarnings(program, runsText, told);
  const grader = { ...run(opened.program, { bridge, isBatch }), hurry, close, hash, warnings };
  return { grader: withView(grader, { field: fieldOf(spec) }) };
}

function fieldOf(spec: SingleGrader): string | undefined {
  return spec.type === "recorded" ? undefined : spec.extracted_field;
}

/**
 * Executing an answer can affect later samples in the same process. With `isolation: sample` the author has considered
 * that.
 */
function textWarnings(
  { execution, isolation }: GraderKind["program"],
  where: string,
  { spec, place }: { readonly spec: SingleGrader; readonly place: Place | undefined },
): readonly Problem[] {
  if (execution === "aggregate") return [problem("batch_runs_text", { where }, place)];
  if (isolation === undefined) return [problem("grader_runs_text", { where }, place)];
  // A grader that asks models has a process per sample in any case.
  if (isolation === "sample" || spec.models !== undefined) return [];
  return [problem("grader_runs_text_together", { where }, place)];
}

/** undefined if the grader may not ask models. */
function bridgeFor({ models }: SingleGrader, tools: GradingTools): Bridge | undefined {
  return models && tools.models && createBridge(models, tools.models);
}

function run(
  program: GraderProgram,
  { bridge, isBatch }: { readonly bridge: Bridge | undefined; readonly isBatch: boolean },
): Pick<Grader, "grade" | "gradeBatch"> {
  const { grade, gradeBatch } = bridge === undefined ? program : bridged(program, bridge);
  return isBatch ? { grade, gradeBatch } : { grade };
}

function kindOf(spec: SingleGrader): GraderKind {
  if (spec.type === "python") return pythonProgram(spec);
  if (spec.type !== "recorded") return builtinProgram(spec);
  throw new RangeError("scores that were given elsewhere are not given again");
}

function placeOf(spec: SingleGrader, within: Place, tools: GradingTools): Place {
  const inline = spec.type === "python" && spec.source.kind === "inline";
  return inline && tools.inlinePlace ? tools.inlinePlace(spec, within) : within;
}

/** The main file counts by its content, whatever it is called; the others by name too, as imports name them. */
function graderHash(
  identity: GraderKind["identity"],
  [main, ...imported]: readonly ProgramFile[],
  hashText: HashText,
): string {
  const imports = imported.map(({ path, sha256 }) => [path, sha256]);
  return hashText(canonicalJson({ ...identity, code: main?.sha256 ?? null, imports }));
}
