import { problem } from "../domain/refusal.ts";
import type { CandidateSpec, FileRef } from "../domain/suite.ts";
import type { Desk } from "./desk.ts";
import { resolveFile, resolveInside } from "./files.ts";
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
import { oneKeyOf } from "./sources.ts";
import { refuseFeature, refuseUnsupported } from "./unsupported.ts";

const kinds = ["command", "worker", "http", "agent", "replay", "model"];

/** The candidates in their order, and how many are declared: names repeat in a list only. */
export async function resolveCandidates(root: Part, desk: Desk): Promise<readonly CandidateSpec[]> {
  const [slots, models] = [at(root, "candidates"), at(root, "models")];
  if (isPresent(slots) && isPresent(models)) {
    const keys = ["candidates", "models"];
    desk.refuse(problem("keys_exclusive", { found: keys, keys }, keyPlaceOf(models)));
  }
  if (!isPresent(slots) && !isPresent(models)) {
    if (!desk.misspelt(root)) {
      desk.refuse(
        problem("candidates_missing", undefined, { ...root.locate([]), path: "candidates" }),
      );
    }
    return [];
  }
  for (const list of [slots, models]) refuseModels(itemsOf(list), desk);
  const resolved: CandidateSpec[] = [];
  for (const [id, part] of fieldsOf(slots)) {
    const candidate = await resolveCandidate(id, part, desk);
    if (candidate !== undefined) resolved.push(candidate);
  }
  return resolved;
}

function refuseModels(items: readonly Part[], desk: Desk): void {
  const seen = new Set<string>();
  for (const item of items) {
    const id = textOf(item);
    if (id === undefined) continue;
    if (seen.has(id)) desk.refuse(problem("candidate_duplicate", { id }, placeOf(item)));
    else refuseFeature(item, "model candidates", desk);
    seen.add(id);
  }
}

async function resolveCandidate(
  id: string,
  part: Part,
  desk: Desk,
): Promise<CandidateSpec | undefined> {
  if (typeof part.value === "string") return refuseFeature(part, "model candidates", desk);
  if (part.value === undefined || part.value === null) return undefined;
  refuseUnsupported(part, "candidate", desk);
  const kind = oneKeyOf(part, kinds, desk);
  if (kind === "command") return resolveCommand(id, part, desk);
  if (kind === "replay") return resolveReplay(id, at(part, "replay"), desk);
  return undefined;
}

function resolveCommand(id: string, part: Part, desk: Desk): CandidateSpec {
  const inputs = at(part, "inputs");
  for (const glob of itemsOf(inputs)) resolveInside(glob, desk);
  return {
    id,
    kind: "command",
    command: textsOf(at(part, "command")),
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
