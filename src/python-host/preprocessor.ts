import type {
  OpenPreprocessor,
  Preprocessed,
  PreprocessorProgramSpec,
} from "../model/ports/programs.ts";
import { readPreprocessed } from "./answers.ts";
import { type HostConfig, hostSettings, refusedAsDead, userCode } from "./config.ts";
import type { HostFault } from "./job.ts";
import { openHosts } from "./program.ts";

/** Loads a preprocessor in a host. */
export async function openPreprocessorProgram(
  config: HostConfig,
  spec: PreprocessorProgramSpec,
): ReturnType<OpenPreprocessor> {
  const { contract, timeoutSeconds } = spec;
  const own = await userCode(config, { source: spec, allowRead: spec.allowRead });
  const load = {
    program: "preprocessor",
    ...own.load,
    contract,
    timeout_seconds: timeoutSeconds,
    isolation: "chunk",
  };
  const settings = hostSettings(config, { ...own, flags: [], load });
  const whole = contract === "batch";
  const { loaded, running } = await openHosts<Preprocessed>({
    ...settings,
    hosts: whole ? 1 : settings.hosts,
    atOnce: whole ? 1 : "chunk",
    timeoutSeconds,
    models: undefined,
    readAnswer: readPreprocessed,
    blame: (fault) => failed(fault, timeoutSeconds),
    unavailable: (message) => ({ kind: "failed", type: "host_not_started", message }),
  });
  if (loaded.kind === "ready") {
    return {
      program: {
        files: loaded.files,
        row: (text) => running.run("row", { kind: "line", text: () => text }),
        batch: (lines) => running.run("rows", { kind: "whole", lines }),
        close: running.close,
      },
    };
  }
  await running.close();
  if (loaded.kind === "refused") return { refused: loaded.refused };
  return { refused: refusedAsDead(config, loaded.reason) };
}

function failed(fault: HostFault, timeoutSeconds: number): Preprocessed {
  switch (fault.kind) {
    case "died": {
      const message = `the preprocessor's process ${fault.reason}`;
      return { kind: "failed", type: "host_died", message };
    }
    case "timeout": {
      const message = `it ran longer than ${timeoutSeconds} s (timeout_seconds) and did not let itself be interrupted: its process was killed`;
      return { kind: "failed", type: "timeout", message };
    }
    case "forged": {
      const message = `the preprocessor wrote into Regrade's own channel (${fault.reason}): its process was killed`;
      return { kind: "failed", type: "forged_result", message };
    }
  }
}
