import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { yamlIn } from "../../base/yaml-text.ts";
import { isJsonObject } from "../../model/json.ts";
import type { BaseTree } from "../../model/policy.ts";

/** Judge models, as inputs name them. */
type Judges = NonNullable<BaseTree["judges"]>;

const inputOf = { judge_model: "judge-model", embedding_model: "embedding-model" } as const;

interface Here {
  /** Path of the workflow's file from the repository's root. */
  readonly workflow: string | undefined;
  /** The job's id. */
  readonly job: string;
  /** `owner/name` of the action; undefined if it belongs to the repository itself. */
  readonly action: string | undefined;
}

/**
 * The judge models if a change edits the workflow: those that the base's workflow names, or leaves to the manifest. As
 * in a suite, a change can't choose its own judge this way. undefined: the inputs are used as given, because the
 * workflow equals the base's, or names no model that could be read.
 */
export async function judgesOfBase(
  given: Judges,
  { base, head }: { readonly base: string; readonly head: string },
  here: Here,
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

type Inputs = Readonly<Record<string, unknown>>;

/**
 * The given model if a step of the base names it; else the first model that a step names. An expression can't be
 * evaluated here, so it is skipped.
 */
function namedIn(steps: readonly Inputs[], key: keyof typeof inputOf, given: Judges): string {
  const asked = given[key] ?? "";
  const named = steps.map((inputs) => inputs[inputOf[key]] ?? "");
  if (named.includes(asked)) return asked;
  const known = named.find(
    (value) => typeof value === "string" && !value.includes("${{") && !value.includes("\n"),
  );
  return typeof known === "string" ? known : asked;
}

/** The inputs of the steps that run Regrade: those of this job if it has any, else those of all jobs. */
function inputsOfSteps(text: string, { job, action }: Here): readonly Inputs[] {
  const workflow = yamlIn(text);
  const jobs = isJsonObject(workflow) && isJsonObject(workflow["jobs"]) ? workflow["jobs"] : {};
  const within = (each: unknown): readonly Inputs[] => {
    if (!isJsonObject(each)) return [];
    const steps: readonly unknown[] = Array.isArray(each["steps"]) ? each["steps"] : [];
    return [each, ...steps].filter(isJsonObject).flatMap((step) => {
      if (!isOurs(step["uses"], action)) return [];
      return [isJsonObject(step["with"]) ? step["with"] : {}];
    });
  };
  const own = within(jobs[job]);
  return own.length > 0 ? own : Object.values(jobs).flatMap(within);
}

function isOurs(uses: unknown, action: string | undefined): boolean {
  if (typeof uses !== "string") return false;
  const [path = ""] = uses.split("@");
  return path === action || /^\.\/?$/.test(path) || /^[^/]+\/regrade(?:\/|$)/.test(path);
}

/** The text of a file; undefined if there is none. */
function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
