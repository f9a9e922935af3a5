import { dirname, join, resolve } from "node:path";
import type { BaseTree } from "../domain/policy.ts";
import { problem, Refusal, type Problem } from "../domain/refusal.ts";
import type { BaselineSpec } from "../domain/suite.ts";
import type { Baseline } from "./conclude.ts";
import { readNamed, readPooled } from "./pooled/read.ts";
import { readBaseline } from "./read-baseline.ts";
import type { Prepared } from "./prepare.ts";
import type { Tools } from "./tools.ts";

/**
 * The run to compare with. Precedence: the flag or input, then the manifest. `none` is a choice; a baseline
 * that was named and can't be read is a Refusal, never "no baseline".
 */
export async function findBaseline(
  request: BaselineRequest,
  prepared: PreparedForBaseline,
  tools: Pick<Tools, "readRun" | "lookUpBaseline">,
): Promise<FoundBaseline> {
  const { suite } = prepared;
  const [first, ...others] = [request.baseline ?? []].flat();
  if (first === "none" && others.length === 0)
    return { kind: "none", reason: "none was asked for" };
  if (first !== undefined) return readNamed([first, ...others], tools);
  const declared = suite.gate === "none" ? {} : (suite.gate.baseline ?? {});
  if (declared.path !== undefined) return readDeclared(declared.path, prepared, tools);
  if (declared.from === "rerun") {
    const { policyFrom } = request;
    if (policyFrom !== undefined) return { kind: "rerun", policyFrom };
    const where = prepared.place(["gate", "baseline", "from"]);
    throw new Refusal(problem("rerun_without_base", undefined, where));
  }
  return lookUp(declared, prepared, tools);
}

export interface BaselineRequest {
  /** A run directory, several that are taken together, or `none`. undefined: what the manifest says. */
  readonly baseline: string | readonly string[] | undefined;
  readonly policyFrom?: BaseTree | undefined;
}

type PreparedForBaseline = Pick<Prepared, "suite" | "place" | "policyDirectory" | "inputHash">;

/** A baseline, or the base that one is to be made of in this job. */
export type FoundBaseline = Baseline | { readonly kind: "rerun"; readonly policyFrom: BaseTree };

/** Asks whoever knows of runs of the base branch. */
async function lookUp(
  { from, max_age_days: maxAgeDays }: BaselineSpec,
  { suite, inputHash }: PreparedForBaseline,
  tools: Pick<Tools, "readRun" | "lookUpBaseline">,
): Promise<Baseline> {
  const asked = { suite: suite.name, path: suite.path, inputHash, maxAgeDays };
  const isDeclared = from !== undefined || maxAgeDays !== undefined;
  const found = await tools.lookUpBaseline({
    ...asked,
    from: from === "pooled" ? from : "auto",
    isDeclared,
  });
  if (found.kind === "none") return found;
  const [newest] = found.runs;
  return readPooled(from === "pooled" ? found.runs : [newest], tools);
}

async function readDeclared(
  declared: string,
  { suite, place, policyDirectory }: PreparedForBaseline,
  tools: Pick<Tools, "readRun">,
): Promise<Baseline> {
  // As the user would type it where the suite was started, so that it can be found again.
  const source = join(dirname(suite.path), declared);
  try {
    const kept =
      policyDirectory === undefined
        ? undefined
        : await findKept(source, resolve(policyDirectory, declared), tools);
    return kept ?? (await readBaseline(source, resolve(suite.directory, declared), tools));
  } catch (error) {
    if (!isRefusal(error, "run_missing")) throw error;
    const found = { suite: suite.path, path: source };
    const where = place(["gate", "baseline", "path"]);
    throw new Refusal(problem("baseline_missing", found, where), { cause: error });
  }
}

/** The baseline that the base's tree holds. One that is made anew each time, outside of git, is none of its files. */
async function findKept(
  source: string,
  directory: string,
  tools: Pick<Tools, "readRun">,
): Promise<Baseline | undefined> {
  try {
    return await readBaseline(source, directory, tools);
  } catch (error) {
    if (isRefusal(error, "run_missing")) return undefined;
    throw error;
  }
}

/** As findBaseline, for whoever only checks the suite: a declared baseline that is yet to be made is a warning. */
export async function checkBaseline(
  request: BaselineRequest,
  prepared: PreparedForBaseline,
  tools: Pick<Tools, "readRun" | "lookUpBaseline">,
): Promise<readonly Problem[]> {
  const { gate } = prepared.suite;
  const isNamed = request.baseline !== undefined || (gate !== "none" && gate.baseline?.path);
  // A base to run, and runs to look for, are for the run that needs them.
  if (!isNamed) return [];
  try {
    await findBaseline(request, prepared, tools);
    return [];
  } catch (error) {
    if (isRefusal(error, "baseline_missing")) return error.problems;
    throw error;
  }
}

function isRefusal(error: unknown, code: Problem["code"]): error is Refusal {
  return error instanceof Refusal && error.problems.some((each) => each.code === code);
}

/** Where a summary finds the baseline's texts. */
export function baselineSource(
  baseline: Baseline,
): { readonly directory: string; readonly shown: string } | undefined {
  if (baseline.kind === "none") return undefined;
  return { directory: baseline.stored.directory, shown: baseline.source };
}
