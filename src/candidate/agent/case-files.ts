import { kindOf } from "../../base/fields.ts";
import type { AgentSpec } from "../../model/models/agent.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Generated } from "../../model/models/candidate.ts";

/**
 * Files that a case adds to the workspace, by path; or the reason why the case can't be asked, which is a mistake in
 * its row and not the agent's failure.
 */
export function caseFiles(
  { workspace }: Pick<AgentSpec, "workspace">,
  fields: JsonObject,
): { readonly files: Readonly<Record<string, string>> } | Exclude<Generated, { kind: "answered" }> {
  if (workspace.files === undefined) return { files: {} };
  const value = fields[workspace.files] ?? null;
  const found = value === null ? [] : entriesOf(value);
  if (typeof found === "string") return unusable(workspace.files, found);
  for (const [path] of found) {
    const complaint = pathComplaint(path);
    if (complaint !== undefined) return unusable(workspace.files, complaint);
  }
  return { files: Object.fromEntries(found) };
}

/** Reads an object of texts by path, or a list of `{path, content}`; a text tells what is wrong. */
function entriesOf(value: Json): readonly (readonly [string, string])[] | string {
  const wanted = "must be an object of texts by path, or a list of {path, content}";
  const items: readonly (readonly [Json | undefined, Json | undefined])[] | undefined =
    Array.isArray(value)
      ? value.map((item) =>
          isJsonObject(item) ? [item["path"], item["content"]] : [undefined, undefined],
        )
      : isJsonObject(value)
        ? Object.entries(value)
        : undefined;
  if (items === undefined) return `is ${kindOf(value)}; it ${wanted}`;
  const entries = items.flatMap(([path, text]) =>
    typeof path === "string" && typeof text === "string" ? [[path, text] as const] : [],
  );
  return entries.length === items.length ? entries : `has an entry of another kind; it ${wanted}`;
}

function pathComplaint(path: string): string | undefined {
  const steps = path.split(/[/\\]/);
  const isInside = path !== "" && !/^([/\\]|[A-Za-z]:)/.test(path) && !steps.includes("..");
  if (isInside && !path.includes("\0") && !steps.includes(".git")) return undefined;
  return `names the file ${JSON.stringify(path)}, which is not inside the workspace`;
}

function unusable(field: string, complaint: string) {
  const message = `the row's field '${field}' (workspace.files) ${complaint}`;
  return { kind: "unavailable", type: "files_unusable", message } as const;
}
