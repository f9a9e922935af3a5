import type { JsonObject } from "../model/json.ts";
import type { GenerateRequest, Generated } from "../model/models/candidate.ts";
import type { CommandEnd } from "../model/ports/processes.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { inContact } from "./contact.ts";
import type { Fence } from "./fence/grants.ts";
import { fencedProgram, heldBy, openFence, wishOf } from "./fence/open.ts";
import { notOpened, prepareStart } from "./fence/start.ts";
import type { CandidateTools, OpenedCandidate } from "./open.ts";
import { chatMessagesOf } from "./provider/messages-chat.ts";
import { checkProgram, lastWords, programCacheKey } from "./program.ts";

type CommandSpec = Extract<CandidateSpec, { readonly kind: "command" }>;

/**
 * Limit of the fields in one variable. Linux allows 128 KiB, including the name and the terminator (MAX_ARG_STRLEN in
 * linux/binfmts.h).
 */
const fieldsLimitBytes = 128 * 1024 - 64;

/** A program that is started once for each sample. */
export async function openCommand(
  spec: CommandSpec,
  tools: CandidateTools,
): Promise<OpenedCandidate> {
  const program = { ...spec, argv: spec.command };
  const { env, inputs, problems } = await checkProgram(program, tools);
  if (problems.length > 0) return { problems };
  const { command, pass, timeout_seconds } = spec;
  const opening = await openFence(fencedProgram(spec, { words: command, inputs, env }), tools);
  if (opening !== undefined && "problems" in opening) return opening;
  const { fence, report } = opening ?? {};
  const asked = { kind: "command", command, inputs, env: spec.env, pass, ...wishOf(spec) };
  return {
    candidate: {
      id: spec.id,
      generate: inContact((request, signal) =>
        generate({ ...spec, around: fence }, tools, { request, signal, env }),
      ),
      concurrency: tools.cpus,
      costly: true,
      ...(report !== undefined && { fence: report }),
      cacheKey: programCacheKey(spec, heldBy(asked, report), env),
      close: async () => undefined,
    },
    hash: { ...asked, timeout_seconds },
  };
}

async function generate(
  spec: CommandSpec & { readonly around: Fence | undefined },
  tools: CandidateTools,
  asked: {
    readonly request: GenerateRequest;
    readonly signal: AbortSignal;
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<Generated> {
  const fields = fieldsVariables(asked.request.fields, spec.pass);
  if ("kind" in fields) return fields;
  const env = { ...asked.env, ...fields.env };
  const start = await prepareStart(spec.around, { argv: spec.command, env }, tools);
  if (start.kind === "not_opened") return notOpened(start.message);
  try {
    const end = await tools.runCommand({
      argv: start.argv,
      directory: tools.suite.directory,
      env: start.env,
      input: inputOf(asked.request),
      timeoutSeconds: spec.timeout_seconds,
      signal: asked.signal,
    });
    return generatedOf(end, spec.timeout_seconds);
  } finally {
    await start.remove();
  }
}

/** The prompt, or the messages as one JSON object. */
function inputOf({ prompt, messages }: GenerateRequest): string {
  return messages === undefined
    ? prompt
    : `${JSON.stringify({ messages: chatMessagesOf(messages) })}\n`;
}

/**
 * The fields as `REGRADE_FIELDS`. If they exceed the size of a variable, fields that only the prompt uses are left out
 * and named in `REGRADE_FIELDS_OMITTED`, because the prompt contains them. If the fields of `pass` alone are too large,
 * the sample can't be asked.
 */
function fieldsVariables(
  fields: JsonObject,
  pass: readonly string[],
): { readonly env: Readonly<Record<string, string>> } | Generated {
  const all = JSON.stringify(fields);
  if (fits(all)) return { env: { REGRADE_FIELDS: all } };
  const isPassed = ([field]: readonly [string, unknown]): boolean => pass.includes(field);
  const passed = JSON.stringify(Object.fromEntries(Object.entries(fields).filter(isPassed)));
  const omitted = JSON.stringify(Object.keys(fields).filter((field) => !pass.includes(field)));
  if (fits(passed) && fits(omitted)) {
    return { env: { REGRADE_FIELDS: passed, REGRADE_FIELDS_OMITTED: omitted } };
  }
  const size = Buffer.byteLength(passed);
  const message = `the fields that 'pass' names are ${size} bytes, more than an environment variable holds; put them in the prompt`;
  return failedAnswer("fields_too_large", message);
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= fieldsLimitBytes;
}

function generatedOf(end: CommandEnd, timeoutSeconds: number): Generated {
  switch (end.kind) {
    case "exited":
      return end.code === 0
        ? {
            kind: "answered",
            outputText: withoutLastNewline(end.stdout),
            responseId: null,
            usage: null,
            incomplete: false,
            transcript: null,
          }
        : failedAnswer("exit_code", `exit code ${end.code}${lastWords(end.stderr)}`);
    case "killed":
      return failedAnswer("signal", `ended by ${end.signal}${lastWords(end.stderr)}`);
    case "timed_out":
      return failedAnswer("timeout", `no answer within ${timeoutSeconds} s (timeout_seconds)`);
    case "output_too_large":
      return failedAnswer(
        "output_too_large",
        `it wrote more than ${end.limitBytes / 1_000_000} MB to stdout`,
      );
    case "cancelled":
      return { kind: "unavailable", type: "cancelled", message: "the run was stopped" };
    case "not_started":
      return { kind: "unavailable", type: end.type, message: end.message };
  }
}

function failedAnswer(type: string, message: string): Generated {
  return { kind: "failed", type, message };
}

function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}
