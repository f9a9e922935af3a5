import { commandEnvironment } from "../../candidate/environment.ts";
import { lastWords } from "../../candidate/program.ts";
import { canonicalJson } from "../../model/json.ts";
import type { CommandEnd } from "../../model/ports/processes.ts";
import type { Suite } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { Tools } from "../../tools.ts";

/** A package manager with a cold cache takes minutes; a longer setup hangs. */
const setupTimeoutSeconds = 1800;

/** A setup that failed. */
interface SetupFailure {
  readonly candidate: string;
  /** A clause: how the setup ended, and its last output. */
  readonly reason: string;
}

/**
 * Prepares a checkout of the base: runs the `setup` of each candidate that will run there, in the manifest's folder and
 * with the candidate's own environment. A setup that several candidates share runs once. No shell. Stops at the first
 * failure.
 */
export async function runSetups(
  candidates: readonly CandidateSpec[],
  suite: Suite,
  tools: Tools,
): Promise<SetupFailure | undefined> {
  const done = new Set<string>();
  for (const each of candidates) {
    if (!("setup" in each) || each.setup === undefined) continue;
    const key = canonicalJson([each.setup, each.env]);
    if (done.has(key)) continue;
    done.add(key);
    const reason = await runSetup({ ...each, setup: each.setup }, suite, tools);
    if (reason !== undefined) return { candidate: each.id, reason };
  }
  return undefined;
}

async function runSetup(
  candidate: {
    readonly id: string;
    readonly setup: readonly string[];
    readonly env: readonly string[];
  },
  { path, directory }: Suite,
  { candidateTools, report, signal }: Tools,
): Promise<string | undefined> {
  const { id, setup } = candidate;
  const place = { file: path, path: `candidates.${id}.env` };
  const { env, problems } = commandEnvironment(candidate.env, candidateTools.environment, place);
  const [lacking] = problems;
  if (lacking !== undefined) return lacking.message;
  report({ kind: "note", text: `Preparing a checkout of the base for ${id}: ${setup.join(" ")}` });
  const limits = { input: "", timeoutSeconds: setupTimeoutSeconds, signal };
  return failureOf(await candidateTools.runCommand({ argv: setup, directory, env, ...limits }));
}

function failureOf(end: CommandEnd): string | undefined {
  switch (end.kind) {
    case "exited":
      if (end.code === 0) return undefined;
      return `its setup ended with exit code ${end.code}${lastWords(end.stderr)}`;
    case "killed":
      return `its setup was ended by ${end.signal}${lastWords(end.stderr)}`;
    case "timed_out":
      return `its setup was not done within ${setupTimeoutSeconds / 60} minutes`;
    case "output_too_large":
      return `its setup wrote more than ${end.limitBytes / 1_000_000} MB to stdout; send it to a file`;
    case "cancelled":
      return "the run was stopped";
    case "not_started":
      return `its setup could not be started: ${end.message}`;
  }
}
