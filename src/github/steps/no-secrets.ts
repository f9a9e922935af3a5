import type { BaseTree } from "../../model/outcomes/policy.ts";
import type { Refusal } from "../../model/refusal.ts";
import { readSuiteName } from "../../suite/policy/base-manifest.ts";
import { secretsAskedInBase } from "../../suite/secrets-asked.ts";
import type { Tools } from "../../tools.ts";
import type { StepEnd } from "./ends.ts";
import { hasReadOnlyToken, type Step } from "./step.ts";
import type { ManifestReading } from "../../suite/read-manifest.ts";

/**
 * The end of a suite that could not be run. If it lacks only secrets, which GitHub does not give to a fork or to
 * Dependabot, nobody made a mistake: it is neutral here, and is gated where the secrets exist. In all other runs a
 * missing key is a mistake.
 */
export async function endOfRefusal(
  refusal: Refusal,
  {
    manifest,
    begun,
  }: {
    readonly manifest: string;
    /** The suite's name, if its check has been begun, which must be completed under that name. */
    readonly begun: string | undefined;
  },
  {
    tools,
    context,
    policyFrom,
  }: {
    readonly tools: Tools;
    readonly context: Step["context"];
    readonly policyFrom: (BaseTree & ManifestReading) | undefined;
  },
): Promise<StepEnd> {
  const { problems, exit } = refusal;
  const missing = problems.flatMap((each) => each.missing ?? []);
  const isLacking = missing.length === problems.length && hasReadOnlyToken(context);
  const asked = isLacking && policyFrom && (await secretsAskedInBase(manifest, policyFrom, tools));
  // A variable that only the change asks for is not one of the base's secrets.
  const isMadeUp = asked ? !missing.every((name) => asked.includes(name)) : false;
  if (!isLacking || isMadeUp) return { kind: "refused", manifest, suite: begun, problems, exit };
  const suite = await readSuiteName(manifest, tools);
  const who = context.pull?.isFork === true ? "fork" : "dependabot";
  const names = [...new Set(missing)].toSorted();
  return { kind: "not_run", manifest, suite, reason: { kind: "no_secrets", who, missing: names } };
}
