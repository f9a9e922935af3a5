import type { OpenWorkspace, Workspace, WorkspaceFile } from "../../model/ports/workspace.ts";
import type { LinesEnd, RunLines } from "../../model/ports/processes.ts";
import type { Secrets } from "../../model/ports/secrets.ts";
import { hideInJson } from "./redacting-io.ts";

/** Removes known secrets from an agent's events, line by line. */
export function hidingLines(run: RunLines, secrets: Secrets): RunLines {
  return async (program) => {
    const onLine: typeof program.onLine = (line) => program.onLine(hideInJson(line, secrets));
    return hideInEnd(await run({ ...program, onLine }), secrets);
  };
}

function hideInEnd(end: LinesEnd, { redact }: Secrets): LinesEnd {
  switch (end.kind) {
    case "exited":
    case "killed":
    case "timed_out":
      return { ...end, stderr: redact(end.stderr) };
    case "not_started":
      return { ...end, message: redact(end.message) };
    case "output_too_large":
    case "enough":
    case "cancelled":
      return end;
  }
}

/** Removes known secrets from the files of workspaces. Hashes are those of the original files. */
export function hidingWorkspace(open: OpenWorkspace, secrets: Secrets): OpenWorkspace {
  return async (wanted) => {
    const opened = await open(wanted);
    if (opened.kind === "not_opened") return { ...opened, message: secrets.redact(opened.message) };
    return {
      ...opened,
      capture: async () => hideInWorkspace(await opened.capture(), secrets),
      readHome: async (path) => {
        const text = await opened.readHome(path);
        return text === undefined ? undefined : hideInJson(text, secrets);
      },
    };
  };
}

function hideInWorkspace(workspace: Workspace, secrets: Secrets): Workspace {
  return { ...workspace, files: workspace.files.map((file) => hideInFile(file, secrets)) };
}

/** A file of bytes with a secret in it is not kept at all: cut out, it would be another file. */
function hideInFile(file: WorkspaceFile, { redact }: Secrets): WorkspaceFile {
  const { base64, ...rest } = file;
  const named = {
    path: redact(file.path),
    text: file.text === null ? null : redact(file.text),
    ...(file.link !== undefined && { link: redact(file.link) }),
  };
  if (base64 === undefined) return { ...rest, ...named };
  const bytes = Buffer.from(base64, "base64").toString("latin1");
  return redact(bytes) === bytes ? { ...rest, ...named, base64 } : { ...rest, ...named };
}
