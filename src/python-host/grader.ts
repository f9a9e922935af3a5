import type { BatchGraded, Graded } from "../model/grading.ts";
import type { GraderProgramSpec, OpenProgram } from "../model/ports/programs.ts";
import type { GraderItem, GraderSample } from "../model/outcomes/sample.ts";
import { readBatchGraded, readGraded } from "./answers.ts";
import { type HostConfig, hostSettings, refusedAsDead, userCode } from "./config.ts";
import type { HostFault } from "./job.ts";
import { openHosts, type PooledProgram } from "./program.ts";

/**
 * Limit of executions that wait at once, for models or for their samples. A host accepts as many
 * (`python/regrade/template.py`).
 */
const executionsAtOnce = 25;

/** Loads a grader in a host. */
export async function openPythonGrader(
  config: HostConfig,
  spec: GraderProgramSpec,
): ReturnType<OpenProgram> {
  const pooled = await pooledGrader(config, spec);
  const whole = spec.execution === "aggregate";
  const samples = whole ? undefined : await openHosts(sampleProgram(pooled, spec));
  const batches = whole ? await openHosts(batchProgram(pooled, spec)) : undefined;
  const loaded = samples?.loaded ?? batches?.loaded;
  const close = async (): Promise<void> => {
    await Promise.all([samples?.running.close(), batches?.running.close()]);
  };
  if (loaded?.kind !== "ready") {
    await close();
    if (loaded?.kind === "refused") return { refused: loaded.refused };
    return { refused: refusedAsDead(config, loaded?.reason ?? "was not started") };
  }
  return {
    program: {
      files: loaded.files,
      runsText: loaded.runsText,
      grade: (sample, item) => {
        if (samples === undefined) throw new TypeError("this grader sees all samples together");
        const text = (): string => jobText(sample, item);
        return samples.running.run(sample.sample_id, { kind: "line", text });
      },
      hurry: () => samples?.running.hurry(),
      gradeBatch: async ({ task, candidate }, lines) => {
        if (batches === undefined) throw new TypeError("this grader sees one sample at a time");
        return batches.running.run(`${task}/${candidate}`, { kind: "whole", lines });
      },
      close,
    },
  };
}

/**
 * A sample as JSON for Python: repeated values are written once, and `python/regrade/grading.py` rebuilds the two
 * objects. The item shares the sample's prompt and task, and its target is also the reference answer; 0 stands for an
 * extraction of the whole text. Other fields are rare.
 */
function jobText(sample: GraderSample, item: GraderItem): string {
  const { output_text, extracted_output, model, run_id, sample_id, ...rest } = sample;
  const { prompt: _prompt, task_id: _taskId, ...more } = rest;
  const extracted = extracted_output === output_text ? 0 : extracted_output;
  const common = [output_text, extracted, model, run_id, sample_id, item];
  return JSON.stringify(Object.keys(more).length === 0 ? common : [...common, more]);
}

type Pooled = Omit<PooledProgram<never>, "readAnswer" | "blame" | "unavailable">;

async function pooledGrader(config: HostConfig, spec: GraderProgramSpec): Promise<Pooled> {
  const { timeoutSeconds, models, execution } = spec;
  const own = await userCode(config, { source: spec, allowRead: spec.allowRead });
  const load = {
    program: "grader",
    ...own.load,
    metric_id: spec.metricId,
    timeout_seconds: timeoutSeconds,
    execution,
    contract: spec.contract,
    isolation: spec.isolation ?? null,
    max_model_calls: models?.maxCalls ?? null,
  };
  const settings = hostSettings(config, { ...own, flags: flagsOf(spec), load });
  const together = models !== undefined || execution === "aggregate";
  return {
    ...settings,
    timeoutSeconds,
    models,
    // One host is enough: it forks for each execution, and they wait most of the time.
    hosts: together ? 1 : settings.hosts,
    atOnce: together ? executionsAtOnce : "chunk",
  };
}

/** Built-in graders import nothing that is installed: without `site` a host takes half the time to start. */
function flagsOf({ kind }: GraderProgramSpec): readonly string[] {
  return kind === "builtin" ? ["-S"] : [];
}

function sampleProgram(
  pooled: Pooled,
  { timeoutSeconds }: GraderProgramSpec,
): PooledProgram<Graded> {
  return {
    ...pooled,
    readAnswer: readGraded,
    blame: (fault) => invalid("grade", fault, timeoutSeconds),
    unavailable: notStarted,
  };
}

function batchProgram(
  pooled: Pooled,
  { timeoutSeconds }: GraderProgramSpec,
): PooledProgram<BatchGraded> {
  return {
    ...pooled,
    readAnswer: readBatchGraded,
    blame: (fault) => invalid("grade_batch", fault, timeoutSeconds),
    unavailable: notStarted,
  };
}

function notStarted(message: string): Extract<Graded, { readonly kind: "ungraded" }> {
  return { kind: "ungraded", type: "host_not_started", message };
}

/** Result of a sample whose process ended: invalid, like an exception. */
function invalid(
  name: string,
  fault: HostFault,
  timeoutSeconds: number,
): Extract<Graded, { readonly kind: "invalid" }> {
  const { type, message } = blamed(name, fault, timeoutSeconds);
  const judge = { invalid: true, payload: null, reason: message };
  return { kind: "invalid", type, message, judge, printed: null };
}

function blamed(
  name: string,
  fault: HostFault,
  timeoutSeconds: number,
): { readonly type: string; readonly message: string } {
  switch (fault.kind) {
    case "died":
      return { type: "host_died", message: `the grader's process ${fault.reason}` };
    case "timeout": {
      const message = `${name} ran longer than ${timeoutSeconds} s (timeout_seconds) and did not let itself be interrupted: its process was killed`;
      return { type: "timeout", message };
    }
    case "forged": {
      const message = `the grader wrote into Regrade's own channel (${fault.reason}): its process was killed`;
      return { type: "forged_result", message };
    }
  }
}
