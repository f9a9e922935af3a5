import { candidateKinds } from "../../model/definition/candidate-kinds.ts";
import type { FenceWish } from "../../model/ports/fence.ts";
import { problem } from "../../model/refusal.ts";
import type { FileRef } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { resolveAgent } from "./agent.ts";
import type { ManifestContext } from "../context.ts";
import { resolveFile, resolveFolder, resolveInside } from "../files.ts";
import { isUsableGlob } from "../glob.ts";
import { readSettings, warnIdleGeneration } from "./generation.ts";
import { resolveHttp } from "./http.ts";
import { type ModelDefaults, resolveModel } from "./models.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  objectOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
  textsOf,
} from "../../base/part.ts";
import type { Providers } from "./providers.ts";
import { oneKeyOf } from "../sources.ts";

const kinds = ["command", "worker", "http", "agent", "replay", "model", "answer"];
/** An agent names its own model. */
const kindsOfAgents = kinds.filter((kind) => kind !== "model");

/** The candidates in their order; invalid ones are left out. */
export async function resolveCandidates(
  root: Part,
  providers: Providers,
  context: ManifestContext,
): Promise<readonly CandidateSpec[]> {
  const generation = at(at(root, "run"), "generation");
  const setup = textsOf(at(at(root, "run"), "setup"));
  const defaults = { providers, settings: readSettings(generation, context), setup };
  const resolved: CandidateSpec[] = [];
  const slots = declaredSlots(root, context);
  for (const slot of slots) {
    const candidate = await resolveCandidate(slot, defaults, context);
    if (candidate !== undefined) resolved.push(candidate);
  }
  if (!slots.some(({ part }) => isModel(part))) warnIdleGeneration(generation, context);
  warnIdleSetup(root, resolved, context);
  return resolved;
}

interface Slot {
  readonly id: string;
  readonly part: Part;
}

/** The named slots; a model in a list is named after itself. */
function declaredSlots(root: Part, context: ManifestContext): readonly Slot[] {
  const [slots, models] = [at(root, "candidates"), at(root, "models")];
  if (isPresent(slots) && isPresent(models)) {
    const keys = ["candidates", "models"];
    context.refuse(problem("keys_exclusive", { found: keys, keys }, keyPlaceOf(models)));
  }
  const mayLack = context.candidatesMayLack === true || context.misspelt(root);
  if (!isPresent(slots) && !isPresent(models) && !mayLack) {
    const place = { ...root.locate([]), path: "candidates" };
    context.refuse(problem("candidates_missing", undefined, place));
  }
  const listed = [slots, models].flatMap((list) => listedModels(itemsOf(list), context));
  return [...listed, ...fieldsOf(slots).map(([id, part]) => ({ id, part }))];
}

function listedModels(items: readonly Part[], context: ManifestContext): readonly Slot[] {
  const slots = new Map<string, Slot>();
  for (const part of items) {
    const id = textOf(part);
    if (id === undefined) continue;
    if (slots.has(id)) context.refuse(problem("candidate_duplicate", { id }, placeOf(part)));
    else slots.set(id, { id, part });
  }
  return [...slots.values()];
}

/** Whether Regrade itself asks a model for this candidate, directly or in its loop. */
function isModel(part: Part): boolean {
  if (typeof part.value === "string") return true;
  const agent = at(part, "agent");
  return isPresent(at(isPresent(agent) ? agent : part, "model"));
}

async function resolveCandidate(
  slot: Slot,
  defaults: CandidateDefaults,
  context: ManifestContext,
): Promise<CandidateSpec | undefined> {
  const { id, part } = slot;
  if (typeof part.value === "string") return resolveModel(slot, defaults, context);
  if (part.value === undefined || part.value === null) return undefined;
  const allowed = isPresent(at(part, "agent")) ? kindsOfAgents : kinds;
  switch (oneKeyOf(part, allowed, context)) {
    case "model":
      return resolveModel(slot, defaults, context);
    case "command":
      return {
        id,
        kind: "command",
        command: textsOf(at(part, "command")),
        ...fenced(part),
        ...prepared(part, defaults),
        ...programInputs(part, context),
      };
    case "worker":
      return {
        id,
        kind: "worker",
        worker: textsOf(at(part, "worker")),
        ...fenced(part),
        ...prepared(part, defaults),
        ...programInputs(part, context),
      };
    case "http":
      return resolveHttp(slot, programInputs(part, context), context);
    case "agent":
      return resolveAgent(
        slot,
        {
          handed: { ...prepared(part, defaults), ...fenced(part), ...programInputs(part, context) },
          defaults,
        },
        context,
      );
    case "replay":
      return resolveReplay(id, at(part, "replay"), context);
    case "answer":
      return resolveAnswer(slot, context);
    case undefined:
    default:
      // None, several, or an unsupported one: already reported.
      return undefined;
  }
}

/** Settings that the candidates of a suite share. */
interface CandidateDefaults extends ModelDefaults {
  /** Setup command of the run; empty if it has none. */
  readonly setup: readonly string[];
}

/** Setup command for a checkout of the base: the candidate's own, else the run's. */
function prepared(
  part: Part,
  { setup }: CandidateDefaults,
): { readonly setup?: readonly string[] } {
  const own = textsOf(at(part, "setup"));
  const found = own.length > 0 ? own : setup;
  return found.length > 0 ? { setup: found } : {};
}

function warnIdleSetup(
  root: Part,
  candidates: readonly CandidateSpec[],
  context: ManifestContext,
): void {
  const setup = at(at(root, "run"), "setup");
  if (!isPresent(setup) || candidates.some(({ kind }) => candidateKinds[kind].program)) return;
  const why = "it prepares a checkout for commands and workers, and this suite has none";
  context.warn(problem("setting_idle", { key: "setup", why }, keyPlaceOf(setup)));
}

/** The sandbox around a program; `off` means none. */
function fenced(part: Part): { readonly fence?: FenceWish } {
  const wish = textOf(at(part, "fence"));
  return wish === "auto" || wish === "required" ? { fence: wish } : {};
}

/** Inputs and time limit of a program or an app. */
function programInputs(part: Part, context: ManifestContext) {
  const inputs = at(part, "inputs");
  for (const glob of itemsOf(inputs)) if (isUsableGlob(glob, context)) resolveInside(glob, context);
  return {
    inputs: textsOf(inputs),
    env: textsOf(at(part, "env")),
    pass: textsOf(at(part, "pass")),
    timeout_seconds: numberOf(at(part, "timeout_seconds")) ?? 120,
  };
}

function resolveAnswer({ id, part }: Slot, context: ManifestContext): CandidateSpec {
  const workspace = at(part, "workspace");
  const folder = objectOf(workspace) === undefined ? workspace : at(workspace, "folder");
  if (isPresent(folder)) {
    const found = { key: "a folder", belongs: "agents, which may change it" };
    context.refuse(problem("key_misplaced", found, placeOf(folder)));
  }
  return {
    id,
    kind: "answer",
    answer: textOf(at(part, "answer")) ?? "",
    transcript: textOf(at(part, "transcript")),
    files: textOf(at(workspace, "files")),
  };
}

async function resolveReplay(
  id: string,
  part: Part,
  context: ManifestContext,
): Promise<CandidateSpec | undefined> {
  const isText = typeof part.value === "string";
  const key = isText ? "file" : oneKeyOf(part, ["file", "path"], context);
  if (key === "path") return resolveTrajectories(id, part, context);
  if (key === undefined) return undefined;
  refuseKeys(part, ["format"], context);
  const named = isText ? part : at(part, "file");
  const file: FileRef | undefined = await resolveFile(named, context);
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

/** A folder of another tool's trajectories, whose file names contain their cases. */
async function resolveTrajectories(
  id: string,
  part: Part,
  context: ManifestContext,
): Promise<CandidateSpec | undefined> {
  refuseKeys(part, ["model", "output_field", "id_field"], context);
  if (!isPresent(at(part, "format")))
    return context.refuse(problem("key_missing", { key: "format" }, placeOf(part)));
  const file = await resolveFolder(at(part, "path"), context);
  if (file === undefined) return undefined;
  const names = { model: undefined, output_field: "output_text", id_field: "case_id" };
  return { id, kind: "replay", file, format: "atif", ...names };
}

function refuseKeys(part: Part, keys: readonly string[], context: ManifestContext): void {
  for (const key of presentKeys(part, keys))
    context.refuse(problem("replay_key_idle", { key }, keyPlaceOf(at(part, key))));
}
