import type { FenceReport } from "./ports/fence.ts";
import type { SandboxReport } from "./ports/programs.ts";

/** Capabilities of a machine, and the results of the sandbox self-test on it. */
export interface DoctorReport {
  readonly regrade: string;
  readonly node: string;
  readonly system: string;
  readonly python:
    | { readonly kind: "found"; readonly path: string; readonly version: string }
    | { readonly kind: "missing"; readonly reason: string };
  readonly sandbox: {
    readonly asked: "auto" | "required" | "off";
    /** Report of a grader host; undefined if no host could be started. */
    readonly report: SandboxReport | undefined;
    /** Why no host could be started. */
    readonly problem: string | undefined;
  };
  readonly escapes: readonly EscapeOutcome[];
  /** Programs that grade; undefined if there is no Python to try them. */
  readonly programs?: {
    /** Names of common programs that are on the PATH, and of those that are not. */
    readonly found: readonly string[];
    readonly missing: readonly string[];
    /** Why no program could be started. */
    readonly problem?: string;
    /** Escape attempts of a program in the sandbox. */
    readonly escapes: readonly EscapeOutcome[];
  };
  /** The sandbox of candidates (`fence`); undefined if there is no Python to try it with. */
  readonly fence?: Omit<FenceReport, "asked"> & {
    /** Whether `fence: required` can be met. */
    readonly holds: boolean;
    /** Escape attempts of a program in that sandbox. */
    readonly attempts: readonly EscapeOutcome[];
  };
  /** Environment variables that providers take their keys from, and whether they are set. Never a value. */
  readonly keys: readonly { readonly name: string; readonly present: boolean }[];
  /** Models that their providers will switch off soon, or have switched off recently, for providers whose key is set. */
  readonly ending: readonly {
    readonly model: string;
    readonly date: string;
    readonly instead: string | undefined;
  }[];
  /** Whether `--sandbox required` can be met: files and network are protected, and no escape succeeded. */
  readonly holds: boolean;
}

export interface EscapeOutcome {
  readonly escape: string;
  /** `absent`: the attempt was not possible here. */
  readonly outcome: "held" | "out" | "absent";
  readonly said: string;
}
