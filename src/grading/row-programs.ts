import { canonicalJson, isJsonObject, type JsonObject } from "../model/json.ts";
import type { HeldRefused } from "../model/ports/held-programs.ts";
import type { ProgramFile } from "../model/ports/programs.ts";
import type { OwnCheck } from "./checks/own-check.ts";
import { type HeldGiven, type HeldResult, type HeldTools, openHeldCheck } from "./held/open.ts";
import { isHeldCheck } from "./held/spec.ts";

/** Programs that checks of rows run. */
export interface RowPrograms {
  /** Files of the programs of `also`: a part of the grader. Those of rows are a part of the rows. */
  readonly files: readonly ProgramFile[];
  readonly check: (check: OwnCheck, given: HeldGiven) => Promise<HeldResult>;
}

type Opened = Awaited<ReturnType<typeof openHeldCheck>>;

/** Opens the programs of `also`; others when a row first has them. Equal ones are opened once. */
export async function openRowPrograms(
  { also }: JsonObject,
  tools: HeldTools | undefined,
): Promise<RowPrograms | { readonly refused: HeldRefused }> {
  const known = new Map<string, Promise<Opened>>();
  const open = (check: JsonObject, inRow: boolean): Promise<Opened> => {
    if (tools === undefined) throw new TypeError("no programs are opened here");
    const key = canonicalJson(check);
    const opening = known.get(key) ?? openHeldCheck(check, tools, { inRow });
    known.set(key, opening);
    return opening;
  };
  const files: ProgramFile[] = [];
  const shared = (Array.isArray(also) ? also : []).filter(isJsonObject).filter(isHeldCheck);
  for (const check of shared) {
    const opened = await open(programIn(check), false);
    if ("refused" in opened) return opened;
    files.push(...opened.files);
  }
  return {
    files,
    check: async ({ type, options }, given) => {
      const opened = await open({ ...options, type }, true);
      if (!("refused" in opened)) return opened.check(given);
      return { kind: "ungraded", type: "program_unusable", message: opened.refused.message };
    },
  };
}

/** The check without the keys that only row checks have: two checks that differ in their names alone run one program. */
function programIn(check: JsonObject): JsonObject {
  const { name: _name, weight: _weight, min: _min, not: _not, target: _target, ...rest } = check;
  const { extracted_field: _field, ...program } = rest;
  return program;
}
