import { problem, Refusal } from "../../model/refusal.ts";

/** Runs git in the repository; returns its output, trimmed, and throws if it fails. */
type AskGit = (args: readonly string[]) => Promise<string>;

/**
 * The commit that a name means as a base. Git itself prefers a tag to a branch, and a local branch to the remote's, and a
 * change can create either under the name of the base's branch: here a remote's branch comes first, and ambiguous names
 * are refused. A full id, and a full ref (`refs/…`), are taken literally. undefined: git has none.
 */
export async function findBaseCommit(source: string, git: AskGit): Promise<string | undefined> {
  // No branch or tag has these signs in its name.
  const [, name = "", suffix = ""] = /^(.*?)((?:[~^:]|@\{).*)?$/s.exec(source) ?? [];
  const found = await findRef(name === "" || name === "@" ? "HEAD" : name, git);
  if (found === undefined) return undefined;
  if (suffix === "" && found.commit !== undefined) return found.commit;
  return commitOf(`${found.ref}${suffix}`, git);
}

/** `HEAD`, and `FETCH_HEAD` after a fetch of the base alone. */
const ofGit = /^(?:[A-Z]+_)?HEAD$/;
const fullId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const shortId = /^[0-9a-f]{4,63}$/;

/** A name that git takes literally, and its commit where that was asked for on the way. */
interface Ref {
  readonly ref: string;
  readonly commit?: string;
}

async function findRef(name: string, git: AskGit): Promise<Ref | undefined> {
  // In a repository with ids of another length this may be a branch's name.
  if (fullId.test(name)) return (await idOf(name, git)) === name ? { ref: name } : undefined;
  if (name.startsWith("refs/")) return (await exists(name, git)) ? { ref: name } : undefined;
  const remotes = (await git(["remote"])).split("\n").filter((each) => each !== "");
  // If the remote has nothing under this name, no other ref is used instead.
  if (remotes.some((remote) => name.startsWith(`${remote}/`)))
    return (await exists(`refs/remotes/${name}`, git))
      ? { ref: `refs/remotes/${name}` }
      : undefined;
  const found = await findNamed(name, remotes, git);
  const [first, ...others] = found;
  if (others.some(({ commit }) => commit !== first?.commit)) throw ambiguous(name, found);
  return first;
}

interface Found {
  readonly ref: string;
  readonly commit: string;
}

/** All commits that the name may stand for. */
async function findNamed(
  name: string,
  remotes: readonly string[],
  git: AskGit,
): Promise<readonly Found[]> {
  const refs = [
    ...remotes.flatMap((remote) => [
      `refs/remotes/${remote}/${name}`,
      ...(remote === name ? [`refs/remotes/${remote}/HEAD`] : []),
    ]),
    ...["remotes/", "heads/", "tags/", ""].map((kind) => `refs/${kind}${name}`),
  ];
  const found: Found[] = [];
  for (const { ref, commit: known } of await existing(refs, git)) {
    const commit = known ?? (await commitOf(ref, git));
    if (commit !== undefined) found.push({ ref, commit });
  }
  if (!ofGit.test(name) && !shortId.test(name)) return found;
  // git resolves these without a ref of that name; with one it could take either.
  const own = ofGit.test(name)
    ? [(await commitOf(name, git)) ?? ""]
    : await startingWith(name, git);
  return [...own.filter((each) => each !== "").map((id) => ({ ref: id, commit: id })), ...found];
}

/** Commits whose ids begin with these digits, even if a ref has that name. */
async function startingWith(digits: string, git: AskGit): Promise<readonly string[]> {
  const listed = await git(["rev-parse", `--disambiguate=${digits}`]).catch(() => "");
  const ids = listed.split("\n").filter((each) => each !== "");
  const commits = await Promise.all(ids.map((id) => commitOf(id, git)));
  // A tag's own object is not a commit; its target is used.
  return commits.flatMap((id) => (id?.startsWith(digits) === true ? [id] : []));
}

/**
 * Those of the refs that exist, in this order, and the commits of branches. One call of git for all of them, because each call
 * starts a process. A tag may have an object of its own.
 */
async function existing(refs: readonly string[], git: AskGit): Promise<readonly Ref[]> {
  const list = (fields: string): Promise<string> =>
    git(["for-each-ref", `--format=${fields}`, "--", ...refs]);
  // git gives no list with the kinds of objects if it lacks one of them.
  const listed = await list("%(refname) %(objecttype) %(objectname)").catch(() =>
    list("%(refname)"),
  );
  // No ref has a blank in its name. A pattern also matches what lies below it, and the signs of globs.
  const lines = listed.split("\n").map((line) => line.split(" "));
  const known = new Map(
    lines.map(([ref = "", kind, commit = ""]): readonly [string, Ref] => [
      ref,
      kind === "commit" ? { ref, commit } : { ref },
    ]),
  );
  return refs.flatMap((ref) => known.get(ref) ?? []);
}

async function exists(ref: string, git: AskGit): Promise<boolean> {
  return git(["show-ref", "--verify", "--quiet", "--", ref]).then(
    () => true,
    () => false,
  );
}

function commitOf(expression: string, git: AskGit): Promise<string | undefined> {
  return idOf(`${expression}^{commit}`, git);
}

function idOf(expression: string, git: AskGit): Promise<string | undefined> {
  const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", expression];
  return git(asked).catch(() => undefined);
}

function ambiguous(name: string, found: readonly Found[]): Refusal {
  const known = found.map(({ ref, commit }) => `${ref} (${commit.slice(0, 12)})`);
  return new Refusal(problem("policy_from_ambiguous", { name, known }));
}
