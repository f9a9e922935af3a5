import { backOffMs, type BackOff } from "../../base/back-off.ts";
import { readField } from "../../base/fields.ts";
import type { AgentSpec } from "../../model/models/agent.ts";
import type { GenerateRequest, Generated, Pay } from "../../model/models/candidate.ts";
import { plus, type Usage } from "../../model/outcomes/sample.ts";
import type { CandidateTools } from "../open.ts";
import { caseFiles } from "./case-files.ts";
import type { AgentRun, RunAgent } from "./runtime.ts";

/** Pauses before an agent is started again; its provider's client has already retried by then. */
const pauses: BackOff = { firstMs: 1000, longestMs: 30_000, jitter: 1 };

/**
 * Runs an agent until it ends. Failures that are not the agent's fault are retried up to `max_retries` times; the usage
 * of all attempts counts.
 */
export async function runAttempts(
  {
    spec,
    run,
    tools,
  }: { readonly spec: AgentSpec; readonly run: RunAgent; readonly tools: CandidateTools },
  {
    request,
    signal,
    pay,
  }: { readonly request: GenerateRequest; readonly signal: AbortSignal; readonly pay: Pay },
): Promise<Generated> {
  const files = caseFiles(spec, request.fields);
  if ("kind" in files) return files;
  const fields = Object.fromEntries(
    spec.pass.flatMap((name) => {
      const value = readField(request.fields, name);
      return value === undefined || name === spec.workspace.files ? [] : [[name, value] as const];
    }),
  );
  const { taskId, caseId, repeat, prompt } = request;
  const asked = { sample: { task: taskId, case: caseId, repeat }, prompt };
  let usage: Usage | null = null;
  for (let tries = 0; ; tries += 1) {
    const done = await run({ ...asked, files: files.files, fields, signal, pay });
    usage = sum(usage, done.usage);
    const again = mayRetry(done) && tries < spec.max_retries && !signal.aborted;
    const mayGoOn = done.due === undefined || (await pay(done.due.usage, again));
    if (!again || !mayGoOn) return generatedOf(done, usage);
    await tools.clock.sleep(backOffMs(tries, pauses, tools.clock.random()), signal);
    if (signal.aborted) return generatedOf(done, usage);
  }
}

function mayRetry({ outcome }: AgentRun): boolean {
  if (outcome.kind !== "unavailable") return false;
  return outcome.type !== "cancelled" && outcome.isFinal !== true;
}

function sum(one: Usage | null, other: Usage | null): Usage | null {
  return one === null || other === null ? (one ?? other) : plus(one, other);
}

function generatedOf({ outcome, transcript, workspace }: AgentRun, usage: Usage | null): Generated {
  const left = { transcript, responseId: null, ...(workspace && { workspace }) };
  if (outcome.kind === "answered") {
    const { kind, outputText, incomplete = false } = outcome;
    return { kind, outputText, incomplete, usage, ...left };
  }
  const { kind, type, message } = outcome;
  return { kind, type, message, ...left, ...(usage && { usage }) };
}
