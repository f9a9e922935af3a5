import { cutTextStart } from "../base/cut-text.ts";
import { canonicalJson, type Json } from "../model/json.ts";
import type { GenerateRequest } from "../model/models/candidate.ts";
import type { Environment } from "../model/ports/processes.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import { conversationKey } from "./conversation.ts";
import { commandEnvironment } from "./environment.ts";
import type { CandidateTools, HashGlobs } from "./open.ts";

/** Length of the end of stderr that a failure message shows, in characters. */
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

/**
 * Checks the user's own program: returns its environment and the hashes of its inputs, or all problems. Nothing is
 * started.
 */
export async function checkProgram(
  spec: ProgramSpec,
  tools: CandidateTools,
): Promise<{
  readonly env: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
}> {
  const { directory } = tools.suite;
  const place = (key: string): Place => tools.place(["candidates", spec.id, key]);
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

/** Problems with patterns of `inputs`: they match nothing, lead out of the root, or match names that are not UTF-8. */
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
 * Everything that determines an answer of the user's own program; undefined without `inputs`, because the answer may
 * then depend on anything. The values of its variables are included, because one may name a model. (Only a hash of the
 * key is ever written.) Time-outs and retries are excluded.
 */
export function programCacheKey(
  spec: Pick<ProgramSpec, "inputs" | "env">,
  asked: Json,
  env: Environment,
): ((request: GenerateRequest) => Json) | undefined {
  return spec.inputs.length === 0 ? undefined : answerKey(spec.env, asked, env);
}

/** The key under which an answer is kept: the candidate, the values of its variables, and the request. */
export function answerKey(
  names: readonly string[],
  asked: Json,
  env: Environment,
): (request: GenerateRequest) => Json {
  const variables = Object.fromEntries(names.map((name) => [name, env[name] ?? null]));
  // The constant part is one text: there may be hundreds of inputs, and thousands of requests.
  const program = canonicalJson({ candidate: asked, variables });
  return ({ prompt, fields, repeat, ...request }) => ({
    program,
    prompt,
    fields,
    repeat,
    ...conversationKey(request),
  });
}

/** The end of a program's stderr, where programs print the reason of a failure; "" if stderr is empty. */
export function lastWords(stderr: string): string {
  const text = stderr.trim();
  if (text === "") return "";
  return `: ${text.length > stderrShown ? `… ${cutTextStart(text, stderrShown)}` : text}`;
}
