import { join } from "node:path";
import { runtimeTraits, type AgentRuntime, type AgentSpec } from "../../model/models/agent.ts";
import type { FenceReport } from "../../model/ports/fence.ts";
import type { JsonObject } from "../../model/json.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import { commandEnvironment } from "../environment.ts";
import { copiedFor, isFile } from "../fence/grants.ts";
import { openFence, type OpenedFence } from "../fence/open.ts";
import type { CandidateTools } from "../open.ts";
import { checkProgram, inputsProblems } from "../program.ts";
import { contentOf } from "./content.ts";
import type { ProgramAgent, ProgramSpec } from "./program.ts";
import type { Runtime } from "./runtime.ts";
import { readers, runtimes } from "./runtimes.ts";
import { variableProblems } from "./variables.ts";

interface Checked {
  readonly agent: ProgramAgent;
  readonly fence?: FenceReport;
  /** Hashes of the files that `inputs` names, and of the workspace and skills. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly content: JsonObject;
}

/**
 * Checks an agent program before its first sample, and returns all problems. None of the user's programs is started.
 */
export async function checkAgent(
  spec: ProgramSpec,
  tools: CandidateTools,
): Promise<Checked | { readonly problems: readonly Problem[] }> {
  const place = (key: string): Place => tools.place(["candidates", spec.id, key]);
  const content = await contentOf(spec, tools);
  const shared = [
    ...variableProblems(spec, tools.environment, place),
    ...inputsProblems(content.problems, place("workspace")),
  ];
  const opened = await (spec.program.kind === "runtime"
    ? openRuntime(spec, spec.program, { tools, place })
    : openCommand(spec, spec.program, tools));
  const problems = [...("problems" in opened ? opened.problems : []), ...shared];
  if ("problems" in opened || problems.length > 0) return { problems };
  const opening = await openAgentFence(opened.agent, opened.inputs, tools);
  if (opening !== undefined && "problems" in opening) return opening;
  const { fence, report } = opening ?? {};
  const agent = { ...opened.agent, ...(fence !== undefined && { fence }) };
  return { ...opened, agent, content: content.files, ...(report && { fence: report }) };
}

/** Opens the fence of an agent program; its tool servers run behind the same fence. */
function openAgentFence(
  { spec, command, env }: ProgramAgent,
  inputs: Readonly<Record<string, string>>,
  tools: CandidateTools,
): Promise<OpenedFence> {
  const started = Object.values(spec.mcp_servers).flatMap((server) =>
    server.type === "stdio" ? [server.command] : [],
  );
  const own = spec.program.kind === "command" ? command.slice(0, 1) : programsOf(spec.program);
  const words = [...command, ...started.flat()];
  return openFence(
    {
      id: spec.id,
      wish: spec.fence,
      kind: "agent",
      words: words.filter((word) => !own.includes(word) || word.includes("/")),
      programs: [...own, ...started.flatMap((each) => each.slice(0, 1))],
      inputs,
      copied: copiedFor(spec),
      env,
    },
    tools,
  );
}

function programsOf({ runtime }: { readonly runtime: AgentRuntime }): readonly string[] {
  return [runtimeTraits[runtime].program, "node"];
}

interface Around {
  readonly tools: CandidateTools;
  readonly place: (key: string) => Place;
}

type Opened = Omit<Checked, "content" | "fence"> | { readonly problems: readonly Problem[] };

async function openRuntime(
  spec: ProgramSpec,
  { runtime: name }: Extract<AgentSpec["program"], { kind: "runtime" }>,
  { tools, place }: Around,
): Promise<Opened> {
  const runtime = runtimes[name];
  const { program, package: npm, events } = runtimeTraits[name];
  const reader = readers[events];
  const environment = environmentOf(spec, { tools, place });
  const inputs = await tools.hashGlobs(spec.inputs, tools.suite);
  const found = await tools.findProgram({
    name: program,
    directory: tools.suite.directory,
    env: environment.env,
  });
  const problems = [
    ...refusedKeys(runtime, spec, place),
    ...(found === "found"
      ? []
      : [problem("agent_missing", { agent: name, program, package: npm }, place("agent"))]),
    ...environment.problems,
    ...inputsProblems(inputs, place("inputs")),
  ];
  if (problems.length > 0) return { problems };
  const { env } = environment;
  return { agent: { spec, runtime, command: [], reader, env }, inputs: inputs.files };
}

function refusedKeys(
  runtime: Runtime,
  spec: AgentSpec,
  place: (key: string) => Place,
): readonly Problem[] {
  return runtime
    .refuses(spec)
    .map(({ key, why, instead }) =>
      problem("agent_key", { agent: runtime.name, key, why, instead }, place(key)),
    );
}

/**
 * The environment of a runtime. Without `env`, it receives those of its usual variables that are set, and one of its
 * keys must be set.
 */
function environmentOf(
  spec: ProgramSpec,
  { tools, place }: Around,
): ReturnType<typeof commandEnvironment> {
  const { environment } = tools;
  if (spec.program.kind === "command" || !spec.usual_env)
    return commandEnvironment(spec.env, environment, place("env"));
  const { keys } = runtimeTraits[spec.program.runtime];
  const given = commandEnvironment(
    spec.env.filter((name) => environment[name]),
    environment,
    place("env"),
  );
  const [first = ""] = keys;
  if (keys.some((name) => environment[name])) return given;
  const missing = problem(
    "agent_key_missing",
    { agent: spec.program.runtime, name: first, keys },
    place("env"),
  );
  return { env: given.env, problems: [missing] };
}

async function openCommand(
  spec: ProgramSpec,
  { command, events }: Extract<AgentSpec["program"], { kind: "command" }>,
  tools: CandidateTools,
): Promise<Opened> {
  const { id, inputs: globs, env: names } = spec;
  const program = { id, kind: "agent", argv: command, inputs: globs, env: names };
  const { env, inputs, problems } = await checkProgram(program, tools);
  const reader = readers[events];
  if (problems.length > 0) return { problems };
  const words = await Promise.all(command.map((word, i) => absoluteWord(word, i === 0, tools)));
  return { agent: { spec, runtime: undefined, command: words, reader, env }, inputs };
}

/** Makes a word absolute if it names a file of the manifest's folder, because the agent works in its workspace. */
async function absoluteWord(
  word: string,
  isProgram: boolean,
  { suite, openFile }: CandidateTools,
): Promise<string> {
  if (isProgram && !word.includes("/")) return word;
  const absolute = join(suite.directory, word);
  return (await isFile(absolute, openFile)) ? absolute : word;
}
