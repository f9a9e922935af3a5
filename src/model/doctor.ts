import type { FenceReport } from "./fence.ts";
import type { SandboxReport } from "./programs.ts";

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
    /** Names of usual ones that are on the PATH, and that are not. */
    readonly found: readonly string[];
    readonly missing: readonly string[];
    /** Why none could be started. */
    readonly problem?: string;
    /** Attempts of a program in the sandbox. */
    readonly escapes: readonly EscapeOutcome[];
  };
  /** The fence of candidates; undefined if there is no Python to try it. */
  readonly fence?: Omit<FenceReport, "asked"> & {
    /** Whether `fence: required` can be met. */
    readonly holds: boolean;
    /** Attempts of a program behind it. */
    readonly attempts: readonly EscapeOutcome[];
  };
  /** Environment variables that providers take their keys from, and whether they are set. Never a value. */
  readonly keys: readonly { readonly name: string; readonly present: boolean }[];
  /** Models that providers with a set key will switch off soon, or have switched off recently. */
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
  /** `absent`: there was nothing to try it with. */
  readonly outcome: "held" | "out" | "absent";
  readonly said: string;
}
