import { cutTextStart } from "../base/cut-text.ts";
import { canonicalJson, type Json } from "../model/json.ts";
import type { GenerateRequest, Environment } from "../model/ports.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import { conversationKey } from "./conversation.ts";
import { commandEnvironment } from "./environment.ts";
import type { CandidateTools, HashGlobs } from "./open.ts";

/** Length of stderr's end in a failure message, in characters. */
const stderrShown = 2000;

/** A candidate that is the user's own program. */
interface ProgramSpec {
  readonly id: string;
  /** The manifest's key: `command` or `worker`. */
  readonly kind: string;
  readonly argv: readonly string[];
  readonly inputs: readonly string[];
  readonly env: readonly string[];
}

/** The program's environment and the hashes of its inputs, or all that is wrong. Nothing is started. */
export async function checkProgram(
  spec: ProgramSpec,
  tools: CandidateTools,
): Promise<{
  readonly env: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
}> {
  const { directory, path: file } = tools.suite;
  const place = (key: string): Place => ({ file, path: `candidates.${spec.id}.${key}` });
  const environment = commandEnvironment(spec.env, tools.environment, place("env"));
  const { env } = environment;
  const [name = ""] = spec.argv;
  const found = await tools.findProgram({ name, directory, env });
  const inputs = await tools.hashGlobs(spec.inputs, tools.suite);
  const problems = [
    ...programProblems(name, found, place(spec.kind)),
    ...environment.problems,
    ...inputsProblems(inputs, place("inputs")),
  ];
  return { env, inputs: inputs.files, problems };
}

/** Patterns of `inputs` that can't be valid. */
export function inputsProblems(
  { unmatched, outside, unnamed }: Omit<Awaited<ReturnType<HashGlobs>>, "files">,
  place: Place,
): readonly Problem[] {
  const isInside = (glob: string): boolean => !outside.includes(glob);
  return [
    ...unmatched.filter(isInside).map((glob) => problem("inputs_unmatched", { glob }, place)),
    ...outside.map((path) => problem("inputs_outside", { path }, place)),
    ...unnamed.map((path) => problem("inputs_unnamed", { path }, place)),
  ];
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

/**
 * Everything that determines an answer of the user's own program, if `inputs` declares it; without `inputs` an answer may
 * depend on anything. The values of its variables are included, because one may name a model. (The key is only ever
 * written as its hash.) Time-outs and retries are excluded.
 */
export function programCacheKey(
  spec: Pick<ProgramSpec, "inputs" | "env">,
  asked: Json,
  env: Environment,
): ((request: GenerateRequest) => Json) | undefined {
  return spec.inputs.length === 0 ? undefined : answerKey(spec.env, asked, env);
}

/** An answer may be kept for as long as this is the same: the candidate, the values of its variables, and the request. */
export function answerKey(
  names: readonly string[],
  asked: Json,
  env: Environment,
): (request: GenerateRequest) => Json {
  const variables = Object.fromEntries(names.map((name) => [name, env[name] ?? null]));
  // Kept as one text: there may be hundreds of inputs, and thousands of requests.
  const program = canonicalJson({ candidate: asked, variables });
  return ({ prompt, fields, repeat, ...request }) => ({
    program,
    prompt,
    fields,
    repeat,
    ...conversationKey(request),
  });
}

/** The end of a program's stderr, where programs put the reason of a failure. */
export function lastWords(stderr: string): string {
  const text = stderr.trim();
  if (text === "") return "";
  return `: ${text.length > stderrShown ? `… ${cutTextStart(text, stderrShown)}` : text}`;
}
