import type { HashText } from "../../model/ports/files.ts";
import { shortDigest } from "../../ledger/digest-table.ts";

/** Slot names for candidates, by the names in the tool. */
export interface SlotNames {
  readonly ids: readonly string[];
  readonly slotOf: (candidate: string | null) => string;
  readonly nameOf: (id: string) => string | null;
  /** Groups of different names that would become one candidate, and mix its rows. */
  readonly alike: readonly (readonly (string | null)[])[];
}

/** Name of a candidate if the tool gives none. */
const nameless = "recorded";
const longestName = 200;

/** Names stay unchanged, except for characters that a line of a report can't show. */
export function nameSlots(candidates: readonly (string | null)[], hashText: HashText): SlotNames {
  const slotOf = (candidate: string | null): string => {
    const line = (candidate ?? "").replaceAll(/\s+/g, " ").trim();
    return line === "" ? nameless : clip(line, hashText);
  };
  const slots = new Map<string, Set<string | null>>();
  for (const each of candidates) {
    const slot = slotOf(each);
    slots.set(slot, (slots.get(slot) ?? new Set()).add(each));
  }
  return {
    ids: [...slots.keys()],
    slotOf,
    nameOf: (id) => [...(slots.get(id) ?? [])][0] ?? null,
    alike: [...slots.values()].filter(({ size }) => size > 1).map((names) => Array.from(names)),
  };
}

/** Name of the only task if the tool has no groups; it does not depend on the file's name. */
const groupless = "results";

/**
 * Makes task ids from the tool's group names. Rules name a metric as `task/metric`, so ids have no slash. The ids don't
 * depend on the groups' order; names that differ only in removed characters get a digest.
 */
export function nameTasks(
  groups: readonly (string | null)[],
  hashText: HashText,
): readonly string[] {
  const stems = groups.map((group) => slug(group ?? "", hashText) || groupless);
  return groups.map((group, i) => {
    const stem = stems[i] ?? groupless;
    const isAlone = stems.filter((other) => other === stem).length === 1;
    return isAlone || group === stem ? stem : `${stem}-${shortDigest(hashText(group ?? ""))}`;
  });
}

function slug(name: string, hashText: HashText): string {
  const plain = name.normalize("NFC").replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-");
  return clip(plain.replaceAll(/^[-.]+|-+$/g, ""), hashText);
}

/** Cuts a long name, with a digest that distinguishes names with the same beginning. */
function clip(name: string, hashText: HashText): string {
  if (name.length <= longestName) return name;
  const digest = shortDigest(hashText(name));
  return `${name.slice(0, longestName - digest.length - 1)}-${digest}`;
}
