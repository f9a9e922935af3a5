import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./programs.ts";

export interface NewCommit {
  readonly branch: string;
  /** What it starts from: a commit, or another branch. undefined: it is the first. */
  readonly parent: string | undefined;
  /** Texts and symbolic links by their paths; null: what is there no more. */
  readonly files: Readonly<Record<string, string | { readonly link: string } | null>>;
  readonly message: string;
}

/** `git init` in an empty folder, without its examples of hooks. */
export async function initializeRepository(
  folder: string,
  branch: string,
  more = "",
): Promise<void> {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
    await mkdir(join(folder, ".git", name), { recursive: true });
  await writeFile(join(folder, ".git/config"), config + more);
  await writeFile(join(folder, ".git/HEAD"), `ref: refs/heads/${branch}\n`);
}

const config = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
`;

/**
 * Adds commits to a repository, without a work tree; returns their ids. It takes one process, where `git add` and `git commit`
 * take six for each.
 */
export async function importCommits(
  folder: string,
  commits: readonly NewCommit[],
): Promise<readonly string[]> {
  const stdin = Buffer.from(`${commits.map(orders).join("")}done\n`);
  const args = ["-c", "fastimport.unpackLimit=1", "fast-import"];
  args.push("--quiet", "--date-format=now", "--done", "--force");
  const said = await runProgram({ program: "git", args, cwd: folder, stdin });
  return said.toString().trim().split("\n");
}

function orders({ branch, parent, files, message }: NewCommit, at: number): string {
  return [
    `commit refs/heads/${branch}\nmark :${at + 1}\ncommitter n <n@example.org> now\n${data(message)}`,
    parent === undefined ? "" : `from ${parent}\n`,
    ...Object.entries(files).map(([path, content]) => change(path, content)),
    `get-mark :${at + 1}\n`,
  ].join("");
}

function change(path: string, content: NewCommit["files"][string]): string {
  if (content === null) return `D ${quoted(path)}\n`;
  if (content === undefined) return "";
  const [mode, text] = typeof content === "string" ? ["100644", content] : ["120000", content.link];
  return `M ${mode} inline ${quoted(path)}\n${data(text)}`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
