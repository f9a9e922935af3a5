import type { Run } from "../../model/outcomes/run.ts";
import { clip } from "../escape.ts";

/**
 * The sandboxes around the candidates (`fence`), and their gaps: plain text, which the caller must escape. Empty if no
 * candidate has one.
 */
export function fenceWords({ candidates }: Run): string {
  return candidates
    .flatMap(({ id, fence }) => {
      if (fence === undefined) return [];
      const { level, missing } = fence;
      const gaps = missing.slice(0, 10).map((each) => clip(each, 400));
      return [[`${clip(id, 200)}: ${level}`, ...gaps].join("; ")];
    })
    .slice(0, 20)
    .join(" · ");
}
