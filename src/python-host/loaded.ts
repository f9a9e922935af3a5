import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import {
  programRefusedReasons,
  type ProgramFile,
  type ProgramRefused,
  type SandboxReport,
} from "../model/ports/programs.ts";
import type { HostFault } from "./job.ts";

/** Result of a load. */
export type Loaded =
  | {
      readonly kind: "ready";
      readonly files: readonly ProgramFile[];
      readonly runsText: string | undefined;
      /** undefined if the host runs no user code. */
      readonly sandbox: SandboxReport | undefined;
    }
  | { readonly kind: "refused"; readonly refused: ProgramRefused }
  | { readonly kind: "died"; readonly reason: string };

/** Reads the host's answer to its load frame; undefined if the frame is something else. */
export function readLoaded(frame: JsonObject | undefined, key: string): Loaded | undefined {
  if (frame?.["key"] !== key) return undefined;
  if (frame["type"] === "ready") {
    const files = readFiles(frame["files"]);
    const runsText = textOf(frame["runs_text"]);
    return files && { kind: "ready", files, runsText, sandbox: readSandbox(frame["sandbox"]) };
  }
  const reason = programRefusedReasons.find((known) => known === frame["reason"]);
  const message = textOf(frame["message"]);
  if (frame["type"] !== "refused" || reason === undefined || message === undefined)
    return undefined;
  const line = numberOf(frame["line"]);
  const column = numberOf(frame["column"]);
  const text = textOf(frame["text"]);
  const traceback = textOf(frame["traceback"]);
  return { kind: "refused", refused: { reason, message, line, column, text, traceback } };
}

/** The outcome if the process ended, or had to be ended, before loading was complete. */
export function notLoaded(fault: HostFault, loadTimeoutSeconds: number): Loaded {
  switch (fault.kind) {
    case "died":
      return { kind: "died", reason: fault.reason };
    case "forged":
      return { kind: "died", reason: `wrote ${fault.reason} into Regrade's own channel` };
    case "timeout": {
      const message = `it was not imported within ${loadTimeoutSeconds} s`;
      const nowhere = { line: undefined, column: undefined, text: undefined, traceback: undefined };
      return { kind: "refused", refused: { reason: "load_timeout", message, ...nowhere } };
    }
  }
}

function readSandbox(value: Json | undefined): SandboxReport | undefined {
  if (!isJsonObject(value)) return undefined;
  const { level, details } = value;
  return typeof level === "string" && isJsonObject(details) ? { level, details } : undefined;
}

function readFiles(value: Json | undefined): readonly ProgramFile[] | undefined {
  if (!isList(value)) return undefined;
  const files = value.map((entry) => {
    if (!isJsonObject(entry)) return undefined;
    const path = textOf(entry["path"]);
    const sha256 = textOf(entry["sha256"]);
    return path === undefined || sha256 === undefined ? undefined : { path, sha256 };
  });
  return files.every((file) => file !== undefined) ? files : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && value >= 1 ? value : undefined;
}
