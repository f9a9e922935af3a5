import { join, relative } from "node:path";
import {
  readTriedFence,
  type FenceReport,
  type FenceWish,
  type TriedFence,
} from "../../model/ports/fence.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { CandidateTools } from "../open.ts";
import { grantsOf, type Fence } from "./grants.ts";
import { fencedWords } from "./start.ts";

/** A program that is to run behind a fence. */
export interface FencedProgram {
  readonly id: string;
  readonly wish: FenceWish | undefined;
  /** The manifest's key of the program. */
  readonly kind: "command" | "worker" | "agent";
  /** Words that may name files of the program: paths are relative to the manifest. */
  readonly words: readonly string[];
  /** Programs that it starts, by name or path. */
  readonly programs: readonly string[];
  /** Paths of the files that `inputs` names, relative to the manifest. */
  readonly inputs: JsonObject;
  /** Folders that are copied for the program. */
  readonly copied: readonly { readonly path: string; readonly key: string }[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * undefined if the candidate asks for no fence. The inner `fence` is undefined if none is available here and `auto`
 * lets the program run without it.
 */
export type OpenedFence =
  | { readonly fence: Fence | undefined; readonly report: FenceReport }
  | { readonly problems: readonly Problem[] }
  | undefined;

/** Time limit for testing the fence, in which Python starts and asks the kernel. */
const tryingSeconds = 60;
/** Tries the fence of a program, before its first sample. */
export async function openFence(
  program: FencedProgram,
  tools: CandidateTools,
): Promise<OpenedFence> {
  const { id, wish, kind, inputs } = program;
  if (wish === undefined) return undefined;
  const place = (key: string): Place => tools.place(["candidates", id, key]);
  if (kind !== "agent" && Object.keys(inputs).length === 0)
    return { problems: [problem("fence_without_inputs", { kind }, place("fence"))] };
  const fence = await grantsOf(program, tools);
  const found = await tryFence(fence, program, tools);
  switch (found.kind) {
    case "held":
      return { fence, report: { asked: wish, ...found.report } };
    case "refused": {
      const key = keyOf(found.path, program, tools);
      const path = shortened(found.path, tools);
      return { problems: [problem("fence_grant", { ...found, path, kind }, place(key))] };
    }
    case "failed":
      // This is refused even with `auto`: a change could cause it on purpose, with more `inputs` than a program can
      // receive.
      return { problems: [problem("fence_missing", found, place("fence"))] };
    case "absent":
      if (wish === "required")
        return { problems: [problem("fence_missing", found, place("fence"))] };
      return {
        fence: undefined,
        report: { asked: wish, level: "none", missing: [found.why] },
      };
  }
}

/** The key of the manifest that names a path. */
function keyOf(path: string, program: FencedProgram, { suite }: CandidateTools): string {
  const { inputs, copied, kind } = program;
  const named = Object.keys(inputs).map((each) => join(suite.directory, each));
  if (named.includes(path)) return "inputs";
  return copied.find((each) => each.path === path)?.key ?? kind;
}

/** A path for messages: inside the checkout it is relative to the manifest, as written there. */
function shortened(path: string, { suite }: CandidateTools): string {
  return path.startsWith(`${suite.root}/`) ? relative(suite.directory, path) : path;
}

/** Describes a command or a worker as a program behind a fence. */
export function fencedProgram(
  { id, kind, fence }: Extract<CandidateSpec, { readonly kind: "command" | "worker" }>,
  {
    words,
    inputs,
    env,
  }: {
    readonly words: readonly string[];
    readonly inputs: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
  },
): FencedProgram {
  const [program = "", ...others] = words;
  const own = program.includes("/") ? words : others;
  return { id, kind, wish: fence, words: own, programs: [program], inputs, copied: [], env };
}

/** The requested fence, as a part of what determines the answers; absent if none is requested. */
export function wishOf({ fence }: { readonly fence?: FenceWish }): {
  readonly fence?: FenceWish;
} {
  return fence === undefined ? {} : { fence };
}

/** Adds the fence to what a kept answer depends on, because it decides what the program could read. */
export function heldBy(
  asked: Readonly<Record<string, Json>>,
  fence: FenceReport | undefined,
): Readonly<Record<string, Json>> {
  return fence === undefined ? asked : { ...asked, fence: fence.level };
}

async function tryFence(
  fence: Fence,
  { env }: FencedProgram,
  tools: CandidateTools,
): Promise<TriedFence | { readonly kind: "failed"; readonly why: string }> {
  const end = await tools.runCommand({
    argv: fencedWords(fence, [], { tools, write: [] }),
    directory: tools.suite.directory,
    env,
    input: "",
    timeoutSeconds: tryingSeconds,
    signal: new AbortController().signal,
  });
  if (end.kind === "exited" && end.code === 0) return readTriedFence(end.stdout);
  const said = "stderr" in end ? end.stderr.trim() : "";
  return {
    kind: "failed",
    why: said || ("message" in end ? end.message : `it ended as ${end.kind}`),
  };
}
