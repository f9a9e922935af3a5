import { posix } from "node:path";
import type { PolicyChange } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";

/**
 * Notes for files of the base that judged another tool's results and that the change edits or deletes: scripts of
 * assertions, files of tests. They inform, because a stricter test differs too. Pure.
 */
export function editedJudges(
  parts: readonly JudgedResults[],
  { there }: { readonly there: readonly { readonly path: string }[] },
): readonly PolicyChange[] {
  return parts.flatMap(({ taken: { judges }, tasks }) => {
    const edited = there.filter(({ path }) => judges.some((named) => isNamed(path, named)));
    return tasks.flatMap(({ id }) => edited.slice(0, mostNotes).map(({ path }) => aNote(id, path)));
  });
}

interface JudgedResults {
  readonly taken: { readonly judges: readonly string[] };
  readonly tasks: readonly { readonly id: string }[];
}

const mostNotes = 20;

/**
 * True if a tool's name of a file may mean this path. Tools name files from their own folder (`file://./check.py:grade`), from
 * the machine's root, or as a module or class (`tests.test_labels.TestLabels`).
 */
function isNamed(path: string, named: string): boolean {
  const written = posix.normalize(
    named
      .replace(/^file:\/\//, "")
      .replaceAll("\\", "/")
      .replace(/^(?:\.{0,2}\/)+/, ""),
  );
  const withoutFunction = written.replace(/:[\w.]+$/, "");
  if ([written, withoutFunction].some((each) => areAlike(path, each, "/"))) return true;
  if (written.includes("/")) return false;
  const dotted = path.replace(/\.\w+$/, "").replaceAll("/", ".");
  const outer = written.split(/[.$]/).slice(0, -1).join(".");
  return [written, outer].some((each) => each.includes(".") && areAlike(dotted, each, "."));
}

/** True if one is the other, or its end from a separator on. */
function areAlike(path: string, named: string, separator: string): boolean {
  if (named === "" || named === ".") return false;
  return (
    path === named || path.endsWith(`${separator}${named}`) || named.endsWith(`${separator}${path}`)
  );
}

function aNote(task: string, path: string): PolicyChange {
  const note = `\`${path}\`, which the results name as what judged them, is edited by this change: see that it asks no less than before`;
  return toldNote(note, { task, part: "grader" });
}
