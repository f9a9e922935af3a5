import { Refusal, type Problem } from "../model/refusal.ts";
import { validateSuite } from "../runs/check-suite.ts";
import type { ValidateRequest } from "../runs/check-suite.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";
import { findTaskFile } from "../wiring.ts";
import type { CliContext } from "./context.ts";

/** The files of the named suites; a SyGra task may be named by its folder. */
export function suiteFiles(
  suites: readonly string[],
  { workingDirectory }: CliContext,
): Promise<readonly string[]> {
  return Promise.all(suites.map((suite) => findTaskFile(suite, workingDirectory)));
}

/** Checks several suites; throws the problems of all of them at once. */
export async function validateEach(
  suites: readonly string[],
  selected: Omit<ValidateRequest, "manifest">,
  tools: Tools,
): Promise<readonly Prepared[]> {
  const prepared: Prepared[] = [];
  const problems: Problem[] = [];
  for (const manifest of suites) {
    try {
      prepared.push(await validateSuite({ ...selected, manifest }, tools));
    } catch (error) {
      if (!(error instanceof Refusal) || error.exit !== 2) throw error;
      problems.push(...error.problems);
    }
  }
  const [strict, ...others] = problems.filter(({ code }) => code === "strict_refused");
  if (others.length > 0 && strict !== undefined) {
    // Each suite has the same advice about --strict, so it is printed once, at the end.
    const own = problems.filter(({ code }) => code !== "strict_refused");
    throw new Refusal([...own, strict]);
  }
  if (problems.length > 0) throw new Refusal(problems);
  return prepared;
}
