import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { onTestFinished } from "vitest";
import { repository } from "./cli.ts";
import { paced } from "./github/pace.ts";
import type { GitHub } from "./github/server.ts";
import { makeRuntimeToken } from "./github/token.ts";

/**
 * nektos/act runs workflow files as GitHub would: triggers, `needs`, matrices, expressions, `if`, inputs and their defaults,
 * outputs between jobs, `post`. Here in its host mode, without containers; its artifact service is the stand-in's.
 */
export const act = findProgram(process.env["REGRADE_ACT"] || "act");

function findProgram(name: string): string | undefined {
  const folders = name.includes("/") ? [""] : (process.env["PATH"] ?? "").split(delimiter);
  return folders
    .map((folder) => (folder === "" ? name : join(folder, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

export interface ActRun {
  /** The repository's files; a file of `examples/workflows` is named in `workflow`. */
  readonly fixture: FsFixture;
  /** A file in `.github/workflows` of the fixture. */
  readonly workflow: string;
  readonly event: string;
  readonly payload?: object;
  readonly github: GitHub;
  readonly runId?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of programs that go before all others. */
  readonly path?: string;
}

export interface ActEnd {
  readonly code: number | null;
  /** Output of the jobs, one line each, with the job's name in front. */
  readonly log: string;
}

/** Runs a workflow file to its end. */
export async function runAct(asked: ActRun): Promise<ActEnd> {
  if (act === undefined) throw new Error("act is not installed");
  const { fixture, github, runId = "1" } = asked;
  const home = await createFixture({ "event.json": JSON.stringify(asked.payload ?? {}) });
  onTestFinished(() => home.rm());
  const action = join(home.path, "action");
  await copyAction(action);
  await mkdir(join(home.path, ".config", "act"), { recursive: true });
  await writeFile(join(home.path, ".config", "act", "actrc"), "");
  const checkout = join(home.path, "checkout");
  await writeCheckout(checkout, action);
  const python = join(home.path, "python");
  await writeNothing(python);
  const argv = [
    asked.event,
    "--workflows",
    join(".github/workflows", asked.workflow),
    "--eventpath",
    join(home.path, "event.json"),
    "--platform",
    "ubuntu-latest=-self-hosted",
    "--local-repository",
    `OWNER/regrade@v1=${action}`,
    "--local-repository",
    `${checkoutPin}=${checkout}`,
    "--local-repository",
    `${pythonPin}=${python}`,
    "--secret",
    "GITHUB_TOKEN=ghs_token-of-the-test",
    ...Object.entries({
      GITHUB_API_URL: github.url,
      GITHUB_RUN_ID: runId,
      ...paced,
      ...asked.env,
    }).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  ];
  return run(act, argv, {
    directory: fixture.path,
    env: {
      // act takes the runner's Node from the PATH.
      PATH: [asked.path ?? [], dirname(process.execPath), process.env["PATH"] ?? ""]
        .flat()
        .join(":"),
      HOME: home.path,
      LANG: "C.UTF-8",
      NO_COLOR: "1",
      ACTIONS_RUNTIME_URL: `${github.url}/`,
      ACTIONS_RESULTS_URL: `${github.url}/`,
      ACTIONS_RUNTIME_TOKEN: makeRuntimeToken(`run-${runId}`, "job-backend-id"),
    },
  });
}

const checkoutPin = "actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd";

const pythonPin = "actions/setup-python@a309ff8b426b58ec0e2a45f0f869d46889d02405";

/** act reads the actions of steps that it skips, too. */
async function writeNothing(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = "name: nothing\nruns: { using: composite, steps: [] }\n";
  await writeFile(join(folder, "action.yml"), text);
}

/** Copies only the action's checked-in files. */
async function copyAction(to: string): Promise<void> {
  for (const name of ["action.yml", "dist", "python", "schemas"])
    await cp(join(repository, name), join(to, name), { recursive: true });
}

/**
 * act does not check the repository out: the job starts in a copy of it. Checking out another repository would need
 * actions/checkout from GitHub: this replacement provides the action, which is all that our workflows check out besides
 * their own repository.
 */
async function writeCheckout(folder: string, action: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lines = [
    "name: checkout",
    "inputs: { repository: { default: '' }, ref: { default: '' }, path: { default: '.' }, persist-credentials: { default: 'true' } }",
    "runs:",
    "  using: composite",
    "  steps:",
    "    - shell: bash",
    "      env: { TO: '${{ inputs.path }}' }",
    `      run: if [ "$TO" != . ]; then cp -R ${JSON.stringify(action)} "$TO"; fi`,
    "",
  ];
  await writeFile(join(folder, "action.yml"), lines.join("\n"));
}

function run(
  program: string,
  argv: readonly string[],
  { directory, env }: { readonly directory: string; readonly env: Record<string, string> },
): Promise<ActEnd> {
  const child = spawn(program, argv, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      log += chunk;
    });
  }
  return new Promise((tell) => child.on("close", (code) => tell({ code, log })));
}
