import { join, posix } from "node:path";
import type { BaseTree, PolicyChange } from "../../model/outcomes/policy.ts";
import { toldNote } from "../../model/outcomes/policy.ts";
import type { FileTools } from "../../tools.ts";
import { sameBytes } from "./recorded.ts";

/**
 * A note if the change edits the workflow that judges it, or an action or workflow of the repository that this uses. The
 * inputs of the step are the base's, as far as its file has them. The note does not block: an edited workflow could also
 * leave this step out.
 */
export async function workflowChanges(
  { root: base, workflow }: BaseTree,
  head: string,
  files: FileTools,
): Promise<readonly PolicyChange[]> {
  if (workflow === undefined) return [];
  const changed: string[] = [];
  const seen = new Set([workflow]);
  for (const path of seen) {
    const [before, now] = await Promise.all([base, head].map((root) => read(root, path, files)));
    // A file that only one of the two uses shows in that one's own difference; a workflow of another repository is in
    // neither tree.
    if (!(await isSame([base, head], path, files))) changed.push(path);
    const used = [before, now].flatMap((text) => localUses(text ?? ""));
    for (const each of used) if (seen.size < mostFiles) seen.add(each);
  }
  return changed.map((path) => {
    const note = `\`${path}\`: whether this step runs, what runs before it, and whether its end counts, is the change's own word`;
    return toldNote(note, { part: "workflow" });
  });
}

/** Files of a workflow that are followed. */
const mostFiles = 40;
/** GitHub takes workflows of up to 500 KB. */
const mostBytes = 1_000_000;

async function isSame(
  roots: readonly [string, string],
  path: string,
  files: FileTools,
): Promise<boolean> {
  const [one, other] = [join(roots[0], path), join(roots[1], path)];
  const kinds = await Promise.all(
    [one, other].map(async (file) => (await files.inspectPath(file)).kind),
  );
  if (kinds.every((kind) => kind === "missing")) return true;
  if (!kinds.every((kind) => kind === "file")) return false;
  return sameBytes(files.readBytes(one), files.readBytes(other));
}

/** The text of a file; undefined if there is none, or it is longer than any workflow. */
async function read(root: string, path: string, files: FileTools): Promise<string | undefined> {
  const file = join(root, path);
  if ((await files.inspectPath(file)).kind !== "file") return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of files.readBytes(file)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The files of the repository's own actions and workflows that a text uses: `uses: ./.github/actions/setup`. Pure. */
function localUses(text: string): readonly string[] {
  const found = text.matchAll(/\buses["']?\s*:\s*["']?\.\/([\w./-]{0,200})/g);
  return [...found].flatMap(([, path = ""]) => {
    const inside = posix.normalize(path || ".");
    if (inside.startsWith("..")) return [];
    if (/\.ya?ml$/.test(inside)) return [inside];
    return ["action.yml", "action.yaml"].map((name) => posix.join(inside, name));
  });
}
