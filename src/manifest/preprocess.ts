import type { PreprocessSpec } from "../model/suite.ts";
import { resolveAllowRead, resolveSource } from "./code.ts";
import type { Desk } from "./desk.ts";
import { at, isPresent, numberOf, type Part, textOf } from "./part.ts";

/** A task's preprocessor; undefined where it has none, `refused` where something of it is wrong. */
export async function resolvePreprocess(
  part: Part,
  desk: Desk,
): Promise<PreprocessSpec | undefined | "refused"> {
  if (!isPresent(part)) return undefined;
  const source = await resolveSource(part, desk);
  const allow_read = await resolveAllowRead(at(part, "allow_read"), desk);
  if (source === undefined) return "refused";
  return {
    contract: textOf(at(part, "contract")) === "batch" ? "batch" : "row",
    source,
    timeout_seconds: numberOf(at(part, "timeout_seconds")) ?? 120,
    allow_read,
  };
}
