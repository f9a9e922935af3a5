import { join, relative } from "node:path";
import {
  readTriedFence,
  type FenceReport,
  type FenceWish,
  type TriedFence,
} from "../../model/fence.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { CandidateSpec } from "../../model/suite.ts";
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
  /** Folders that are copied for it. */
  readonly copied: readonly { readonly path: string; readonly key: string }[];
  readonly env: Readonly<Record<string, string>>;
}

/** undefined: the candidate asks for no fence. `fence` is undefined if there is none here, and `auto` lets it run. */
export type OpenedFence =
  | { readonly fence: Fence | undefined; readonly report: FenceReport }
  | { readonly problems: readonly Problem[] }
  | undefined;

/** Time to try the fence: Python starts, and asks the kernel. */
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
      // Refused even with `auto`: a change could cause this on purpose, with more `inputs` than a program can be given.
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

/** The manifest's key that names a path. */
function keyOf(path: string, program: FencedProgram, { suite }: CandidateTools): string {
  const { inputs, copied, kind } = program;
  const named = Object.keys(inputs).map((each) => join(suite.directory, each));
  if (named.includes(path)) return "inputs";
  return copied.find((each) => each.path === path)?.key ?? kind;
}

/** Paths within the checkout are relative to the manifest, as it has them. */
function shortened(path: string, { suite }: CandidateTools): string {
  return path.startsWith(`${suite.root}/`) ? relative(suite.directory, path) : path;
}

/** A command or a worker as a program behind a fence. */
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

/** The wish as a part of what determines the answers: absent where there is none. */
export function wishOf({ fence }: { readonly fence?: FenceWish }): {
  readonly fence?: FenceWish;
} {
  return fence === undefined ? {} : { fence };
}

/** A kept answer depends on what its program could read. */
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
