import { at, isPresent, keyPlaceOf, type Part, placeOf } from "../base/part.ts";
import type { CassetteSpec } from "../model/cassette.ts";
import { problem } from "../model/refusal.ts";
import type { ManifestContext } from "./context.ts";
import { checkInside, resolveFile } from "./files.ts";

/** The file with the traffic of Regrade's own loop: an existing one, or one that `record` creates. */
export async function resolveCassette(
  candidate: Part,
  { agent, isOwn }: { readonly agent: string; readonly isOwn: boolean },
  context: ManifestContext,
): Promise<CassetteSpec | undefined> {
  const part = at(candidate, "cassette");
  if (!isPresent(part)) return undefined;
  if (!isOwn || isPresent(at(candidate, "workspace"))) {
    const why = isOwn
      ? "files that its servers leave in a `workspace` are not kept there"
      : "it speaks to its model and its servers by itself";
    const instead = isOwn
      ? "Leave one of both out."
      : "Leave it out, or let Regrade ask the model: `agent: {model: …}`. A run is replayed by `replay`.";
    return context.refuse(
      problem("agent_key", { agent, key: "cassette", why, instead }, keyPlaceOf(part)),
    );
  }
  const [path, mode] = [at(part, "path"), at(part, "mode")];
  for (const each of [path, mode]) {
    if (isPresent(each)) continue;
    return context.refuse(problem("key_missing", { key: String(each.path.at(-1)) }, placeOf(part)));
  }
  if (mode.value !== "record") {
    const file = await resolveFile(path, context);
    return file && { file, mode: "replay" };
  }
  const file = await checkInside(path, context);
  return file && { file, mode: "record" };
}
