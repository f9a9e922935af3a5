import { dirname, join, resolve } from "node:path";
import { problem, Refusal, type Problem } from "../domain/refusal.ts";
import type { Baseline } from "./conclude.ts";
import type { Prepared } from "./prepare.ts";
import type { Tools } from "./tools.ts";

/**
 * The run to compare with. Precedence: the flag or input, then the manifest. `none` is a choice; a baseline
 * that was named and can't be read is a Refusal, never "no baseline".
 */
export async function findBaseline(
  request: { readonly baseline: string | undefined },
  { suite, place, policyDirectory }: Pick<Prepared, "suite" | "place" | "policyDirectory">,
  tools: Pick<Tools, "readRun">,
): Promise<Baseline> {
  if (request.baseline === "none") return { kind: "none", reason: "none was asked for" };
  if (request.baseline !== undefined)
    return readBaseline(request.baseline, request.baseline, tools);
  const declared = suite.gate === "none" ? undefined : suite.gate.baseline?.path;
  if (declared === undefined) return { kind: "none", reason: "none was named" };
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
  ...asked: Parameters<typeof findBaseline>
): Promise<readonly Problem[]> {
  try {
    await findBaseline(...asked);
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

/** A run to compare with. One that was stopped has lost cases, which would look like new ones here. */
export async function readBaseline(
  source: string,
  directory: string,
  tools: Pick<Tools, "readRun">,
): Promise<Baseline & { readonly kind: "run" }> {
  const stored = await tools.readRun(directory);
  if (stored.run.status !== "completed") {
    throw new Refusal(problem("baseline_unfinished", { source, status: stored.run.status }));
  }
  return { kind: "run", source, stored };
}
