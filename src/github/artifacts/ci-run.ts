import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import { downloadArtifact } from "./artifact-download.ts";
import { openGitHub, type GitHub } from "../api/github.ts";
import { readRepository, type Repository } from "../runner/context.ts";
import { kindOfArtifact } from "./run-artifacts.ts";
import { slug } from "../runner/suite-names.ts";
import type { UnzipBounds } from "./unzip.ts";
import type { Environment } from "../../model/ports/processes.ts";

export interface CiRunRequest {
  /** The number in the address of a workflow run. */
  readonly runId: string;
  /** undefined: all suites of the run. */
  readonly suite: string | undefined;
  /** `owner/name`; undefined: the repository of the environment, else of `origin`. */
  readonly repository: string | undefined;
  /** The address of `origin`, if there is one. */
  readonly origin: string | undefined;
  /** Folder for the fetched files. */
  readonly folder: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

interface Kept {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly digest: string | undefined;
  readonly expired: boolean;
}

/** Limit of a zip, enough for some hundred thousand samples with their texts. */
const mostZipBytes = 1_000_000_000;
const bounds: UnzipBounds = {
  wanted: (name) => ["run.json", "samples.jsonl", "scores.jsonl"].includes(name),
  mostEntries: 1000,
  mostFolders: 4,
  mostBytes: 8_000_000_000,
  mostDepth: 500,
};

/**
 * Result of the download. A refusal is a value here, because this file is a separate bundle with its own `Refusal`
 * class.
 */
export type FetchedRun =
  | { readonly kind: "fetched"; readonly directories: readonly string[] }
  | { readonly kind: "refused"; readonly problems: readonly Problem[]; readonly exit: 2 | 4 | 130 };

/**
 * Fetches the files of a CI run, and returns a run directory for each suite, or for each of its shards if they were not
 * merged. Files that were fetched before are reused, because artifacts don't change.
 */
export async function fetchCiRunFiles(asked: CiRunRequest): Promise<FetchedRun> {
  try {
    return { kind: "fetched", directories: await fetchAll(asked) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: "refused", problems: error.problems, exit: error.exit };
  }
}

async function fetchAll(asked: CiRunRequest): Promise<readonly string[]> {
  const { env, runId, signal } = asked;
  const token = env["GITHUB_TOKEN"] || env["GH_TOKEN"];
  if (!token) throw new Refusal(problem("ci_run_no_token", undefined));
  const repository = repositoryOf(asked);
  if (repository === undefined) throw new Refusal(problem("ci_run_no_repository", undefined));
  const github = await openGitHub({ env, token, repository, signal, warn: () => undefined });
  const doing = {
    what: `reading the CI run ${runId}`,
    permission: "actions: read",
    decides: true,
  };
  const listed = await github.attempt(doing, () => listArtifacts(runId, github));
  if (listed.kind === "failed") throw ciRunRefusal(runId, listed.problem.message);
  const directories: string[] = [];
  for (const artifact of choose(listed.value, asked)) {
    directories.push(await fetchOne(artifact, asked, github));
  }
  return directories;
}

function ciRunRefusal(runId: string, reason: string): Refusal {
  return new Refusal(problem("ci_run_failed", { runId, reason }), { exit: 4 });
}

function repositoryOf({ repository, env, origin }: CiRunRequest): Repository | undefined {
  const known = repository ?? env["GITHUB_REPOSITORY"];
  if (known) return readRepository({ GITHUB_REPOSITORY: known });
  const found = /[/:]([^/:]+)\/([^/]+?)(?:\.git)?\/?$/.exec(origin ?? "");
  const [, owner, repo] = found ?? [];
  return owner !== undefined && repo !== undefined ? { owner, repo } : undefined;
}

async function listArtifacts(runId: string, github: GitHub): Promise<readonly Kept[]> {
  const { request, repository } = github;
  const all: Kept[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await request("GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", {
      ...repository,
      run_id: Number(runId),
      per_page: 100,
      page,
    });
    for (const { id, name, size_in_bytes: bytes, digest, expired } of data.artifacts)
      all.push({ id, name, bytes, digest: digest ?? undefined, expired });
    if (data.artifacts.length < 100) return all;
  }
}

/** Chooses the newest artifact of each name; for each suite the whole run if there is one, else its shards. */
function choose(all: readonly Kept[], { runId, suite }: CiRunRequest): readonly Kept[] {
  const newest = new Map<string, Kept>();
  for (const each of all.toSorted((a, b) => a.id - b.id)) newest.set(each.name, each);
  const runs = [...newest.values()].flatMap((artifact) => {
    const found = kindOfArtifact(artifact.name);
    if (found === undefined || artifact.expired) return [];
    return suite === undefined || slug(suite) === found.slug ? [{ artifact, ...found }] : [];
  });
  const names = [...new Set(runs.map((each) => each.slug))].toSorted();
  if (names.length === 0) {
    const expired = all.filter((each) => each.expired).map(({ name }) => `${name} (expired)`);
    throw new Refusal(problem("ci_run_no_artifact", { runId, found: expired }));
  }
  return names.flatMap((name) => {
    const own = runs.filter((each) => each.slug === name);
    const whole = own.filter(({ kind }) => kind === "run");
    return (whole.length > 0 ? whole : own).map(({ artifact }) => artifact);
  });
}

async function fetchOne(
  { id, bytes, digest }: Kept,
  { runId, folder: home }: CiRunRequest,
  github: GitHub,
): Promise<string> {
  const directory = join(home, `${runId}-${id}`);
  if ((await stat(directory).catch(() => undefined))?.isDirectory() === true) return directory;
  await mkdir(home, { recursive: true });
  const folder = `${directory}.part`;
  await rm(folder, { recursive: true, force: true });
  const asked = { id, bytes, digest, folder, mostZipBytes, bounds };
  const doing = { what: "the download", permission: "actions: read", decides: true };
  const got = await github.attempt(doing, () => downloadArtifact(asked, github));
  if (got.kind === "done" && got.value.kind === "unzipped") {
    await rename(folder, directory);
    return directory;
  }
  await rm(folder, { recursive: true, force: true });
  if (got.kind === "failed") throw ciRunRefusal(runId, got.problem.message);
  throw ciRunRefusal(runId, got.value.kind === "refused" ? got.value.reason : "it is empty");
}
