import type { Run } from "../../model/outcomes/run.ts";
import { counted } from "./figures.ts";

/** A sentence that samples were run again into this run; none if there were no such samples. */
export function rerunLines(reruns: Run["reruns"] = []): readonly string[] {
  const samples = reruns.reduce((sum, each) => sum + each.samples, 0);
  if (samples === 0) return [];
  const times = reruns.length === 1 ? "" : ` (\`regrade rerun-failed\`, ${reruns.length} times)`;
  return [
    `${counted(samples, "sample")} that had failed or had no grade ${samples === 1 ? "was" : "were"} run again${times}; the new results count.`,
  ];
}
