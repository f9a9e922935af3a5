import type { JsonObject } from "../domain/json.ts";
import type { CommandEnd, GenerateRequest, Generated } from "../domain/ports.ts";
import { problem, type Place, type Problem } from "../domain/refusal.ts";
import type { CandidateSpec } from "../domain/suite.ts";
import { commandEnvironment } from "./environment.ts";
import type { CandidateTools, OpenedCandidate } from "./open.ts";

export type CommandSpec = Extract<CandidateSpec, { readonly kind: "command" }>;

/** How much of the end of stderr a failure's message shows, in characters. */
const stderrShown = 2000;
/** Linux takes 128 KiB for one variable, its name and end included (MAX_ARG_STRLEN in linux/binfmts.h). */
const fieldsLimitBytes = 128 * 1024 - 64;

/** A program that is started once for each sample. */
export async function openCommand(
  spec: CommandSpec,
  tools: CandidateTools,
): Promise<OpenedCandidate> {
  const place = (key: string): Place => ({
    file: tools.suite.path,
    path: `candidates.${spec.id}.${key}`,
  });
  const { env, problems: envProblems } = commandEnvironment(
    spec.env,
    tools.environment,
    place("env"),
  );
  const [name = ""] = spec.command;
  const found = await tools.findProgram({ name, directory: tools.suite.directory, env });
  const inputs = await tools.hashGlobs(spec.inputs, tools.suite);
  const problems = [
    ...programProblems(name, found, place("command")),
    ...envProblems,
    ...inputs.unmatched.map((glob) => problem("inputs_unmatched", { glob }, place("inputs"))),
  ];
  if (problems.length > 0) return { problems };
  return {
    candidate: {
      id: spec.id,
      generate: (request, signal) => generate(spec, tools, { request, signal, env }),
      concurrency: tools.cpus,
      costly: true,
      close: async () => undefined,
    },
    hash: {
      kind: "command",
      command: spec.command,
      inputs: inputs.files,
      env: spec.env,
      pass: spec.pass,
      timeout_seconds: spec.timeout_seconds,
    },
  };
}

function programProblems(
  program: string,
  found: "found" | "missing" | "not_executable",
  place: Place,
): readonly Problem[] {
  switch (found) {
    case "found":
      return [];
    case "missing":
      return [problem("program_missing", { program, relative: /[/\\]/.test(program) }, place)];
    case "not_executable":
      return [problem("program_not_executable", { program }, place)];
  }
}

async function generate(
  spec: CommandSpec,
  tools: CandidateTools,
  asked: {
    readonly request: GenerateRequest;
    readonly signal: AbortSignal;
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<Generated> {
  const fields = fieldsVariables(asked.request.fields, spec.pass);
  if ("kind" in fields) return fields;
  const end = await tools.runCommand({
    argv: spec.command,
    directory: tools.suite.directory,
    env: { ...asked.env, ...fields.env },
    input: asked.request.prompt,
    timeoutSeconds: spec.timeout_seconds,
    signal: asked.signal,
  });
  return generatedOf(end, spec.timeout_seconds);
}

/**
 * The fields as `REGRADE_FIELDS`. Where they are more than a variable may hold, those that only the prompt uses are left out and
 * named in `REGRADE_FIELDS_OMITTED`: the prompt has them. Where those of `pass` alone are too much, the sample can't be asked.
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
  return {
    kind: "unavailable",
    type: "fields_too_large",
    message: `the fields that 'pass' names are ${Buffer.byteLength(passed)} bytes, more than an environment variable holds; put them in the prompt`,
  };
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
          }
        : failed("exit_code", `exit code ${end.code}${endOf(end.stderr)}`);
    case "killed":
      return failed("signal", `ended by ${end.signal}${endOf(end.stderr)}`);
    case "timed_out":
      return failed("timeout", `no answer within ${timeoutSeconds} s (timeout_seconds)`);
    case "output_too_large":
      return failed(
        "output_too_large",
        `it wrote more than ${end.limitBytes / 1_000_000} MB to stdout`,
      );
    case "cancelled":
      return { kind: "unavailable", type: "cancelled", message: "the run was stopped" };
    case "not_started":
      return { kind: "unavailable", type: "not_started", message: end.message };
  }
}

function failed(type: string, message: string): Generated {
  return { kind: "failed", type, message };
}

function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** The last of what it said, where programs put their reason. */
function endOf(stderr: string): string {
  const text = stderr.trim();
  if (text === "") return "";
  return `: ${text.length > stderrShown ? `… ${text.slice(-stderrShown)}` : text}`;
}
