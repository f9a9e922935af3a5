import type { PythonTools } from "../../model/ports/programs.ts";

/** Python calls that can be made before Python is ready; they wait until it is. */
export interface PythonSoon extends Pick<
  PythonTools,
  | "openProgram"
  | "openPreprocessor"
  | "openHeldProgram"
  | "searchRegex"
  | "checkRegex"
  | "probeRegex"
> {
  /** Throws a Refusal if there is no Python. */
  readonly there: () => Promise<PythonTools>;
}

/** Data sets can be read while Python starts: only calls that need it wait. */
export function pythonSoon(starting: Promise<PythonTools>): PythonSoon {
  return {
    there: () => starting,
    openProgram: async (spec) => (await starting).openProgram(spec),
    openPreprocessor: async (spec) => (await starting).openPreprocessor(spec),
    openHeldProgram: async (spec) => (await starting).openHeldProgram(spec),
    searchRegex: async (...asked) => (await starting).searchRegex(...asked),
    checkRegex: async (spec) => (await starting).checkRegex(spec),
    probeRegex: async (spec) => (await starting).probeRegex(spec),
  };
}
