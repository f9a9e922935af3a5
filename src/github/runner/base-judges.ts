import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import { inputsOfSteps, type JudgingJob, type StepInputs } from "./workflow-steps.ts";

/** Judge models, as inputs name them. */
type Judges = NonNullable<BaseTree["judges"]>;

const inputOf = { judge_model: "judge-model", embedding_model: "embedding-model" } as const;

/**
 * The judge models if a change edits the workflow: those that the base's workflow names, or leaves to the manifest. As
 * in a suite, a change can't choose its own judge this way. undefined: the inputs are used as given, because the
 * workflow equals the base's, or names no model that could be read.
 */
export async function judgesOfBase(
  given: Judges,
  { base, head }: { readonly base: string; readonly head: string },
  here: JudgingJob,
): Promise<Judges | undefined> {
  const { workflow } = here;
  if (workflow === undefined) return undefined;
  const [before, now] = await Promise.all([base, head].map((root) => textOf(join(root, workflow))));
  if (before === undefined || before === now) return undefined;
  const steps = inputsOfSteps(before, here);
  if (steps.length === 0) return undefined;
  const judge = namedIn(steps, "judge_model", given);
  const embedding = namedIn(steps, "embedding_model", given);
  return {
    ...(judge !== "" && { judge_model: judge }),
    ...(embedding !== "" && { embedding_model: embedding }),
  };
}

/**
 * The given model if a step of the base names it; else the first model that a step names. An expression can't be
 * evaluated here, so it is skipped.
 */
function namedIn(steps: readonly StepInputs[], key: keyof typeof inputOf, given: Judges): string {
  const asked = given[key] ?? "";
  const named = steps.map((inputs) => inputs[inputOf[key]] ?? "");
  if (named.includes(asked)) return asked;
  const known = named.find(
    (value) => typeof value === "string" && !value.includes("${{") && !value.includes("\n"),
  );
  return typeof known === "string" ? known : asked;
}

/** The text of a file; undefined if there is none. */
function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
