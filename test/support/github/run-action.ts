import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { createCommandReader, type Command } from "./commands.ts";
import { paced } from "./pace.ts";
import { mayRunHere } from "../this-process.ts";
import type { GitHub } from "./server.ts";
import { makeRuntimeToken } from "./token.ts";
import { unzip } from "./unzip.ts";

const repository = join(import.meta.dirname, "../../..");

export interface ActionRun {
  readonly workspace: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly event?: ActionEvent;
  /** undefined: a machine without GitHub's services. */
  readonly github?: GitHub;
  /** Value of `github.token`. Default: one that the stand-in accepts, if there is one; "": none. */
  readonly token?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A process in any case: default, see `mayRunHere`. */
  readonly isProcess?: true;
  /** Called once the process runs. */
  readonly meanwhile?: (running: Running) => Promise<void>;
}

export interface ActionEvent {
  readonly name: string;
  readonly payload: object;
  /** Variables of the runner besides the payload. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Running {
  readonly child: ChildProcess;
  /** Waits until stdout holds the text. */
  readonly printed: (text: string) => Promise<void>;
  readonly runnerTemp: string;
}

export interface ActionEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Workflow commands in the output that the runner would execute. */
  readonly commands: readonly Command[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The files of every artifact, by artifact name. */
  readonly artifacts: Readonly<Record<string, Readonly<Record<string, Buffer>>>>;
  /** State that the step saves for the post step. */
  readonly state: Readonly<Record<string, string>>;
  /** Output and exit code of the post step, which always runs. */
  readonly post: { readonly code: number | null; readonly stdout: string; readonly stderr: string };
  /** Content of other file commands; must be empty. */
  readonly otherFileCommands: string;
}

/**
 * Runs the programs of action.yml like a GitHub runner: environment, file commands, both streams parsed; then the post
 * step.
 */
export async function runAction(asked: ActionRun): Promise<ActionEnd> {
  const runner = await makeRunner();
  const env = await environment(asked, runner);
  const reader = createCommandReader();
  const { main, post } = (await readAction()).runs;
  const needsProcess = asked.isProcess === true || asked.meanwhile !== undefined;
  const event = asked.event?.name ?? "push";
  const isHere =
    !needsProcess && (await mayRunHere("action", event, { ...asked.event?.env, ...asked.env }));
  const start = isHere ? runInThis : runStep;
  const ran = await start({ file: main, env, asked, reader, runner });
  const read = (name: string): Promise<string> => readFile(join(runner, name), "utf8");
  const state = parseOutputs(await read("state"));
  const kept = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value] as const);
  const ended = await start({
    file: post,
    env: { ...env, ...Object.fromEntries(kept) },
    asked: { workspace: asked.workspace },
    reader,
    runner,
  });
  const others = await Promise.all(["env", "path"].map(read));
  return {
    ...ran,
    state,
    post: ended,
    commands: reader.executed,
    outputs: parseOutputs(await read("output")),
    summary: await read("summary"),
    artifacts: contents(asked.github),
    otherFileCommands: others.join(""),
  };
}

interface StepRun {
  readonly file: string;
  readonly env: Record<string, string>;
  readonly asked: Pick<ActionRun, "workspace" | "meanwhile">;
  readonly reader: ReturnType<typeof createCommandReader>;
  readonly runner: string;
}

type StepRan = Pick<ActionEnd, "code" | "stdout" | "stderr">;

async function runInThis({ file, env, asked, reader }: StepRun): Promise<StepRan> {
  const { runHere } = await import("./run-here.ts");
  const texts = { out: "", err: "" };
  const streams = { out: reader.stream(), err: reader.stream() };
  const to = (name: "out" | "err") => (text: string) => {
    texts[name] += text;
    streams[name].feed(text);
  };
  const part = file.endsWith("post.mjs") ? "post" : "main";
  const { workspace } = asked;
  const code = await runHere({ part, env, workspace, onStdout: to("out"), onStderr: to("err") });
  streams.out.end();
  streams.err.end();
  return { code, stdout: texts.out, stderr: texts.err };
}

async function runStep({ file, env, asked, reader, runner }: StepRun): Promise<StepRan> {
  const child = spawn(process.execPath, [join(repository, file)], {
    cwd: asked.workspace,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stdout = collect(child.stdout, reader.stream());
  const stderr = collect(child.stderr, reader.stream());
  const closed = new Promise<number | null>((tell) => child.on("close", (code) => tell(code)));
  const printed = async (text: string): Promise<void> => {
    while (!stdout.text().includes(text)) {
      if (child.exitCode !== null) throw new Error(`ended without: ${text}\n${stdout.text()}`);
      await new Promise((wait) => setTimeout(wait, 20));
    }
  };
  await asked.meanwhile?.({ child, printed, runnerTemp: join(runner, "temp") });
  return { code: await closed, stdout: stdout.text(), stderr: stderr.text() };
}

async function makeRunner(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "runner-"));
  // A bench starts it outside of tests, and leaves its folder to the system.
  if (process.env["VITEST"] !== undefined) {
    const { onTestFinished } = await import("vitest");
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
  }
  await mkdir(join(folder, "temp"));
  for (const name of ["output", "summary", "env", "path", "state"])
    await writeFile(join(folder, name), "");
  return folder;
}

async function environment(asked: ActionRun, runner: string): Promise<Record<string, string>> {
  const { name, payload } = asked.event ?? { name: "push", payload: {} };
  await writeFile(join(runner, "event.json"), JSON.stringify(payload));
  return {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: runner,
    LANG: "C.UTF-8",
    // Compiling the same code again takes longest in most of these runs.
    NODE_COMPILE_CACHE: join(repository, "node_modules/.cache/compiled"),
    ...paced,
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_ACTION_REPOSITORY: "owner/regrade",
    GITHUB_ACTOR: "someone",
    GITHUB_API_URL: asked.github?.url ?? "http://127.0.0.1:9",
    GITHUB_EVENT_NAME: name,
    GITHUB_EVENT_PATH: join(runner, "event.json"),
    GITHUB_JOB: "evals",
    GITHUB_REF: "refs/heads/main",
    GITHUB_REPOSITORY: "owner/app",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_RUN_ID: "77",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_SHA: "1".repeat(40),
    GITHUB_WORKFLOW: "Evals",
    GITHUB_WORKFLOW_REF: "owner/app/.github/workflows/evals.yml@refs/heads/main",
    GITHUB_WORKSPACE: asked.workspace,
    GITHUB_OUTPUT: join(runner, "output"),
    GITHUB_STEP_SUMMARY: join(runner, "summary"),
    GITHUB_ENV: join(runner, "env"),
    GITHUB_PATH: join(runner, "path"),
    GITHUB_STATE: join(runner, "state"),
    RUNNER_OS: "Linux",
    RUNNER_TEMP: join(runner, "temp"),
    ...(await inputVariables(
      asked.inputs ?? {},
      asked.token ?? (asked.github === undefined ? "" : "ghs_token-of-the-test"),
    )),
    ...asked.event?.env,
    ...services(asked.github, asked.env?.["GITHUB_RUN_ID"] ?? asked.event?.env?.["GITHUB_RUN_ID"]),
    ...asked.env,
  };
}

/** A page takes each run a quarter of a second: the tests of pages ask for it. */
const usual: Readonly<Record<string, string>> = { report: "false" };

/** As the runner does it: every input of action.yml with its default, an unknown one is a mistake of the test. */
async function inputVariables(
  inputs: Readonly<Record<string, string>>,
  token: string,
): Promise<Record<string, string>> {
  const declared = (await readAction()).inputs;
  const unknown = Object.keys(inputs).filter((name) => declared[name] === undefined);
  if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown.join(", ")}`);
  const values = Object.entries(declared).map(([name, { default: value }]) => [
    `INPUT_${name.replaceAll(" ", "_").toUpperCase()}`,
    inputs[name] ??
      usual[name] ??
      (value ?? "").replace("${{ github.token }}", token).replace("${{ toJSON(matrix) }}", "null"),
  ]);
  return Object.fromEntries(values) as Record<string, string>;
}

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly main: string; readonly post: string };
}

let action: Promise<ActionFile> | undefined;

function readAction(): Promise<ActionFile> {
  return (action ??= parseAction());
}

async function parseAction(): Promise<ActionFile> {
  return parse(await readFile(join(repository, "action.yml"), "utf8")) as ActionFile;
}

/** The run's id is part of the token, so that REST can tell the run of an upload. */
function services(github: GitHub | undefined, runId = "77"): Record<string, string> {
  if (github === undefined) return {};
  return {
    ACTIONS_RESULTS_URL: `${github.url}/`,
    ACTIONS_RUNTIME_URL: `${github.url}/`,
    ACTIONS_RUNTIME_TOKEN: makeRuntimeToken(`run-${runId}`, "job-backend-id"),
  };
}

function collect(
  stream: NodeJS.ReadableStream,
  commands: { feed: (text: string) => void; end: () => void },
): { text: () => string } {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
    commands.feed(chunk);
  });
  stream.on("end", commands.end);
  return { text: () => text };
}

/** The file GITHUB_OUTPUT, as the runner reads it: `name<<delimiter`, lines, `delimiter`; or `name=value`. */
export function parseOutputs(file: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = file.split(/\r?\n/);
  for (let i = 0; i < lines.length; i += 1) {
    const [, name, delimiter] = /^([^=]+?)<<(.+)$/.exec(lines[i] ?? "") ?? [];
    if (name !== undefined && delimiter !== undefined) {
      const end = lines.indexOf(delimiter, i + 1);
      if (end < 0) throw new Error(`no end of output ${name}`);
      outputs[name] = lines.slice(i + 1, end).join("\n");
      i = end;
    } else if (lines[i]) {
      const equals = (lines[i] ?? "").indexOf("=");
      outputs[(lines[i] ?? "").slice(0, equals)] = (lines[i] ?? "").slice(equals + 1);
    }
  }
  return outputs;
}

function contents(github: GitHub | undefined): ActionEnd["artifacts"] {
  const all = github?.artifacts.all ?? [];
  // A test may have damaged an earlier run's files.
  const whole = all.filter(({ content }) => content?.includes("PK\u0005\u0006"));
  return Object.fromEntries(
    whole.flatMap(({ name, content }) => (content ? [[name, unzip(content)] as const] : [])),
  );
}
