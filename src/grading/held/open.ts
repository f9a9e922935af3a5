import type { HeldBase, HeldProgram, OpenHeldProgram } from "../../model/ports/held-programs.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { GraderItem, GraderSample } from "../../model/outcomes/sample.ts";
import type { HeldRefused } from "../../model/ports/held-programs.ts";
import { inputOfAssertions, resultOfAssertions } from "./assertions.ts";
import { inputOfProgram, type ProgramResult, resultOfProgram } from "./program.ts";
import { heldSpecOf } from "./spec.ts";

/** The effects that checks by programs need. */
export interface HeldTools {
  readonly openHeldProgram: OpenHeldProgram;
  readonly base: HeldBase;
}

export interface HeldGiven {
  readonly sample: GraderSample;
  readonly item: GraderItem;
  /** The check reads an extracted field instead of the whole answer. */
  readonly readsField: boolean;
}

export type HeldResult =
  | ({ readonly kind: "judged" } & ProgramResult)
  | { readonly kind: "ungraded"; readonly type: string; readonly message: string };

/** A check by a program that is ready. */
interface HeldCheck {
  readonly files: HeldProgram["files"];
  readonly check: (given: HeldGiven) => Promise<HeldResult>;
}

/** Opens a check by a program. `inRow`: a row carries it. */
export async function openHeldCheck(
  check: JsonObject,
  { openHeldProgram, base }: HeldTools,
  { inRow }: { readonly inRow: boolean },
): Promise<HeldCheck | { readonly refused: HeldRefused }> {
  const opened = await openHeldProgram(heldSpecOf(check, { base, wordsNameFiles: !inRow }));
  if ("refused" in opened) return opened;
  const { files, run } = opened.program;
  return {
    files,
    check: async (given) => {
      const workspace = workspaceIn(given.sample);
      const end = await run({ stdin: inputOf(check, given), workspace });
      if (end.kind === "not_started") {
        const message = `the program was not started: ${end.reason}`;
        return { kind: "ungraded", type: "program_not_started", message };
      }
      if (check["type"] !== "code") return { kind: "judged", ...resultOfProgram(check, end) };
      const result = resultOfAssertions(check, end.stdout);
      if (result !== undefined) return { kind: "judged", result, broken: undefined };
      const { result: failed, broken } = resultOfProgram(check, end);
      const message = `the assertions were not evaluated: ${failed.feedback}`;
      return {
        kind: "judged",
        result: { ...failed, score: 0, passed: false },
        broken: broken ?? { type: "bad_result", message },
      };
    },
  };
}

function inputOf(check: JsonObject, { sample, item, readsField }: HeldGiven): string {
  if (check["type"] === "code") return inputOfAssertions(check, sample);
  const answer = readsField ? (sample.extracted_output ?? "") : sample.output_text;
  return inputOfProgram(check, { sample, item, answer });
}

function workspaceIn({ files }: GraderSample): readonly JsonObject[] | undefined {
  return Array.isArray(files) ? files.filter(isJsonObject) : undefined;
}
