import type { GitHub } from "./github.ts";

/** By path: mode and id of a blob or a submodule. */
type Tree = ReadonlyMap<string, string>;

/** undefined: GitHub does not list all of it. */
export async function readTree(
  sha: string,
  { request, repository }: GitHub,
): Promise<Tree | undefined> {
  const { data } = await request("GET /repos/{owner}/{repo}/git/trees/{tree_sha}", {
    ...repository,
    tree_sha: sha,
    recursive: "1",
  });
  if (data.truncated) return undefined;
  const files = data.tree.filter(({ type }) => type !== "tree");
  return new Map(files.map(({ path, mode, sha: id }) => [path, `${mode} ${id}`]));
}

/** Whether a merge has each path as it was, or as the base has it. Pure. */
export function isEitherSide({
  old,
  base,
  now,
}: {
  readonly old: Tree;
  readonly base: Tree;
  readonly now: Tree;
}): boolean {
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths].every(
    (path) => now.get(path) === old.get(path) || now.get(path) === base.get(path),
  );
}
