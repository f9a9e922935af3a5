import { candidateKinds } from "../model/candidate-kinds.ts";
import { problem } from "../model/refusal.ts";
import type { CandidateSpec, FileRef } from "../model/suite.ts";
import type { Desk } from "./desk.ts";
import { resolveFile, resolveInside } from "./files.ts";
import { isUsableGlob } from "./glob.ts";
import { readSettings, warnIdleGeneration } from "./generation.ts";
import { resolveHttp } from "./http.ts";
import { type ModelShelf, resolveModel } from "./models.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  textOf,
  textsOf,
} from "./part.ts";
import type { Providers } from "./providers.ts";
import { oneKeyOf } from "./sources.ts";
import { refuseUnsupported } from "./unsupported.ts";

const kinds = ["command", "worker", "http", "agent", "replay", "model"];

/** The candidates in their order; one that is wrong is left out. */
export async function resolveCandidates(
  root: Part,
  providers: Providers,
  desk: Desk,
): Promise<readonly CandidateSpec[]> {
  const generation = at(at(root, "run"), "generation");
  const setup = textsOf(at(at(root, "run"), "setup"));
  const shelf = { providers, settings: readSettings(generation, desk), setup };
  const resolved: CandidateSpec[] = [];
  const slots = declaredSlots(root, desk);
  for (const slot of slots) {
    const candidate = await resolveCandidate(slot, shelf, desk);
    if (candidate !== undefined) resolved.push(candidate);
  }
  if (!slots.some(({ part }) => isModel(part))) warnIdleGeneration(generation, desk);
  warnIdleSetup(root, resolved, desk);
  return resolved;
}

interface Slot {
  readonly id: string;
  readonly part: Part;
}

/** The named slots; in a list each model is its own name. */
function declaredSlots(root: Part, desk: Desk): readonly Slot[] {
  const [slots, models] = [at(root, "candidates"), at(root, "models")];
  if (isPresent(slots) && isPresent(models)) {
    const keys = ["candidates", "models"];
    desk.refuse(problem("keys_exclusive", { found: keys, keys }, keyPlaceOf(models)));
  }
  if (!isPresent(slots) && !isPresent(models) && !desk.misspelt(root)) {
    const place = { ...root.locate([]), path: "candidates" };
    desk.refuse(problem("candidates_missing", undefined, place));
  }
  const listed = [slots, models].flatMap((list) => listedModels(itemsOf(list), desk));
  return [...listed, ...fieldsOf(slots).map(([id, part]) => ({ id, part }))];
}

function listedModels(items: readonly Part[], desk: Desk): readonly Slot[] {
  const slots = new Map<string, Slot>();
  for (const part of items) {
    const id = textOf(part);
    if (id === undefined) continue;
    if (slots.has(id)) desk.refuse(problem("candidate_duplicate", { id }, placeOf(part)));
    else slots.set(id, { id, part });
  }
  return [...slots.values()];
}

function isModel(part: Part): boolean {
  return typeof part.value === "string" || isPresent(at(part, "model"));
}

async function resolveCandidate(
  slot: Slot,
  shelf: Shelf,
  desk: Desk,
): Promise<CandidateSpec | undefined> {
  const { id, part } = slot;
  if (typeof part.value === "string") return resolveModel(slot, shelf, desk);
  if (part.value === undefined || part.value === null) return undefined;
  refuseUnsupported(part, "candidate", desk);
  switch (oneKeyOf(part, kinds, desk)) {
    case "model":
      return resolveModel(slot, shelf, desk);
    case "command":
      return {
        id,
        kind: "command",
        command: textsOf(at(part, "command")),
        ...prepared(part, shelf),
        ...handed(part, desk),
      };
    case "worker":
      return {
        id,
        kind: "worker",
        worker: textsOf(at(part, "worker")),
        ...prepared(part, shelf),
        ...handed(part, desk),
      };
    case "http":
      return resolveHttp(slot, handed(part, desk), desk);
    case "replay":
      return resolveReplay(id, at(part, "replay"), desk);
    case undefined:
    default:
      // None, several, or one that is not supported yet: that has been said.
      return undefined;
  }
}

/** What candidates of one suite share. */
interface Shelf extends ModelShelf {
  /** The run's; empty where it has none. */
  readonly setup: readonly string[];
}

/** How a checkout of the base is prepared for it: as it says itself, else as the run says. */
function prepared(part: Part, { setup }: Shelf): { readonly setup?: readonly string[] } {
  const own = textsOf(at(part, "setup"));
  const found = own.length > 0 ? own : setup;
  return found.length > 0 ? { setup: found } : {};
}

function warnIdleSetup(root: Part, candidates: readonly CandidateSpec[], desk: Desk): void {
  const setup = at(at(root, "run"), "setup");
  if (!isPresent(setup) || candidates.some(({ kind }) => candidateKinds[kind].program)) return;
  const why = "it prepares a checkout for commands and workers, and this suite has none";
  desk.warn(problem("setting_idle", { key: "setup", why }, keyPlaceOf(setup)));
}

/** What a program or an app is handed, and how long it may take. */
function handed(part: Part, desk: Desk) {
  const inputs = at(part, "inputs");
  for (const glob of itemsOf(inputs)) if (isUsableGlob(glob, desk)) resolveInside(glob, desk);
  return {
    inputs: textsOf(inputs),
    env: textsOf(at(part, "env")),
    pass: textsOf(at(part, "pass")),
    timeout_seconds: numberOf(at(part, "timeout_seconds")) ?? 120,
  };
}

async function resolveReplay(
  id: string,
  part: Part,
  desk: Desk,
): Promise<CandidateSpec | undefined> {
  const named = typeof part.value === "string" ? part : at(part, "file");
  const file: FileRef | undefined = await resolveFile(named, desk);
  if (file === undefined) return undefined;
  return {
    id,
    kind: "replay",
    file,
    model: textOf(at(part, "model")),
    output_field: textOf(at(part, "output_field")) ?? "output_text",
    id_field: textOf(at(part, "id_field")) ?? "case_id",
  };
}
