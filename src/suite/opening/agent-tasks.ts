import { relative, sep } from "node:path";
import { problem, type Problem } from "../../model/refusal.ts";
import type { Task } from "../../model/definition/suite.ts";
import type { TaskToOpen } from "./open-task.ts";

/** Features of a task that an agent does not support, and files that it must not see. */
export function agentProblems({
  spec,
  candidates,
  index,
  resolved,
}: TaskToOpen): readonly Problem[] {
  return candidates.flatMap((candidate) => {
    if (candidate.kind !== "agent") return [];
    const { program, id, workspace } = candidate;
    const agent = program.kind === "runtime" ? program.runtime : id;
    const keys = conversationKeys(spec).map((key) =>
      problem("agent_conversation", { agent, key }, resolved.place(["tasks", index, key])),
    );
    const place = resolved.place(["candidates", id, "workspace"]);
    const holds = filesHeld(spec, workspace.folder?.absolute).map((path) =>
      problem("workspace_of_answers", { path }, place),
    );
    return [...keys, ...holds];
  });
}

function conversationKeys({ messages, tool_results: results }: Task): readonly string[] {
  return [
    ...(messages === undefined ? [] : ["messages_template"]),
    ...(results === undefined ? [] : ["tool_results"]),
  ];
}

/** Files of the data set in a folder; the data set's own file contains the expected answers. */
function filesHeld({ dataset }: Task, folder: string | undefined): readonly string[] {
  if (folder === undefined || !("file" in dataset)) return [];
  const way = relative(folder, dataset.file.absolute);
  return way === ".." || way.startsWith(`..${sep}`) ? [] : [dataset.file.path];
}
