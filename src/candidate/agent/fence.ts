import { basename, dirname, join } from "node:path";
import { runtimeTraits } from "../../model/agent.ts";
import type { JsonObject } from "../../model/json.ts";
import type { OpenedWorkspace } from "../../model/ports.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { CandidateTools } from "../open.ts";
import type { ProgramAgent } from "./program.ts";

/** Files that an agent behind a fence may use beside the system's and its workspace. */
export interface Fence {
  readonly read: readonly string[];
  /** Folders whose names can be listed, which importing from them needs. */
  readonly listed: readonly string[];
  readonly programs: readonly string[];
  /** A grant that holds one of these is refused. */
  readonly hidden: readonly string[];
}

/** Time to try the fence: Python starts, and asks the kernel. */
const tryingSeconds = 60;

/** The fence of an agent, tried; or why it can't be put up. undefined: the suite wants none. */
export async function openFence(
  agent: ProgramAgent,
  inputs: JsonObject,
  { tools, place }: { readonly tools: CandidateTools; readonly place: Place },
): Promise<Fence | { readonly problems: readonly Problem[] } | undefined> {
  if (agent.spec.fence === undefined) return undefined;
  const fence = fenceOf(agent, inputs, tools);
  const end = await tools.runCommand({
    argv: fencedWords(fence, [], { tools, write: [] }),
    directory: tools.suite.directory,
    env: agent.env,
    input: "",
    timeoutSeconds: tryingSeconds,
    signal: new AbortController().signal,
  });
  if (end.kind === "exited" && end.code === 0) return fence;
  const said = "stderr" in end ? end.stderr.trim() : "";
  const why = said || ("message" in end ? end.message : `it ended as ${end.kind}`);
  return { problems: [problem("fence_missing", { why }, place)] };
}

/** The words that start a program behind the fence of a workspace. */
export function behindFence(
  fence: Fence | undefined,
  words: readonly string[],
  { tools, workspace }: { readonly tools: CandidateTools; readonly workspace: OpenedWorkspace },
): readonly string[] {
  if (fence === undefined) return words;
  const { directory, home, temporary } = workspace;
  return fencedWords(fence, words, { tools, write: [directory, home, temporary] });
}

function fencedWords(
  fence: Fence,
  words: readonly string[],
  { tools, write }: { readonly tools: CandidateTools; readonly write: readonly string[] },
): readonly string[] {
  return [...tools.fenceLauncher, JSON.stringify({ ...fence, write }), ...words];
}

function fenceOf(
  { spec, command }: ProgramAgent,
  inputs: JsonObject,
  { suite }: CandidateTools,
): Fence {
  const own = command.filter((word) => word.startsWith(`${suite.directory}/`));
  const named = Object.keys(inputs).map((path) => join(suite.directory, path));
  const read = [...new Set([...own, ...named])];
  const started = Object.values(spec.mcp_servers).flatMap((server) =>
    server.type === "stdio" ? server.command.slice(0, 1) : [],
  );
  const program =
    spec.program.kind === "runtime"
      ? [runtimeTraits[spec.program.runtime].program, "node"]
      : command.slice(0, 1);
  return {
    read,
    listed: [...new Set(read.map((path) => dirname(path)))],
    programs: [...program, ...started].map((name) =>
      name.includes("/") && !name.startsWith("/") ? join(suite.directory, name) : name,
    ),
    hidden: hiddenFiles(suite),
  };
}

/** The checkout as a whole, git's folder, and the files with the answers. */
function hiddenFiles({ root, directory, path, tasks }: CandidateTools["suite"]): readonly string[] {
  const datasets = tasks.flatMap(({ dataset }) =>
    "file" in dataset ? [dataset.file.absolute] : [],
  );
  return [root, join(root, ".git"), join(directory, basename(path)), ...datasets];
}
