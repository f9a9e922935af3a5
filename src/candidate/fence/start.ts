import type { Generated } from "../../model/models/candidate.ts";
import type { OpenedWorkspace } from "../../model/ports/workspace.ts";
import type { CandidateTools } from "../open.ts";
import type { Fence } from "./grants.ts";

/** Length of one argument. Linux allows 128 KiB, and a character has up to three bytes. */
const pieceCharacters = 40_000;

/** The command line that starts a program behind the fence of a workspace; without a fence, the words unchanged. */
export function behindFence(
  fence: Fence | undefined,
  words: readonly string[],
  { tools, workspace }: { readonly tools: CandidateTools; readonly workspace: OpenedWorkspace },
): readonly string[] {
  if (fence === undefined) return words;
  const { directory, home, temporary } = workspace;
  return fencedWords(fence, words, { tools, write: [directory, home, temporary] });
}

/** Variables of a program that has its own home. */
export function homeVariables({
  home,
  temporary,
}: OpenedWorkspace): Readonly<Record<string, string>> {
  return {
    HOME: home,
    USERPROFILE: home,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
  };
}

/** Prepares a program's start: behind its fence, with a private home that `remove` deletes; or without a fence. */
export async function prepareStart(
  fence: Fence | undefined,
  {
    argv,
    env,
  }: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> },
  tools: CandidateTools,
): Promise<
  | {
      readonly kind: "ready";
      readonly argv: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly remove: () => Promise<void>;
    }
  | { readonly kind: "not_opened"; readonly message: string }
> {
  if (fence === undefined) return { kind: "ready", argv, env, remove: async () => undefined };
  const workspace = await tools.openWorkspace({ folders: [], files: {} });
  if (workspace.kind === "not_opened") return workspace;
  return {
    kind: "ready",
    argv: behindFence(fence, argv, { tools, workspace }),
    env: { ...env, ...homeVariables(workspace) },
    remove: workspace.remove,
  };
}

/** The launcher with its settings, followed by the words that it runs. */
export function fencedWords(
  fence: Fence,
  words: readonly string[],
  { tools, write }: { readonly tools: CandidateTools; readonly write: readonly string[] },
): readonly string[] {
  const settings = JSON.stringify({ ...fence, write });
  const pieces: string[] = [];
  for (let from = 0; from < settings.length; from += pieceCharacters)
    pieces.push(settings.slice(from, from + pieceCharacters));
  return [...tools.fenceLauncher, String(pieces.length), ...pieces, ...words];
}

/** The result if a private home could not be created: the sample is ungraded. */
export function notOpened(message: string): Generated {
  return { kind: "unavailable", type: "home", message };
}
