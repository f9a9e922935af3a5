import type { Run } from "../../model/outcomes/run.ts";
import { clip } from "../escape.ts";

/** Sandbox of the graders, and protections that this machine lacks: plain text, which the caller must escape. */
export function sandboxWords({ level, details }: Run["sandbox"]): string {
  const missing = sentences(details["missing"]);
  const held = meanings[level];
  const head = held === undefined ? clip(level, 200) : `${level} (${held})`;
  return [head, ...missing].join("; ");
}

const meanings: Readonly<Record<string, string>> = {
  "landlock+seccomp": "other files, the network and other processes are closed to graders",
  off: "as asked: graders can do what this user can",
  unused: "no grader was started",
};

/** A run directory can come from a stranger. */
function sentences(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const list: readonly unknown[] = value;
  return list.flatMap((each) => (typeof each === "string" ? [clip(each, 400)] : [])).slice(0, 10);
}
