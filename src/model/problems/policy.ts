import type { Said } from "./said.ts";

/** Problems with the source of the rules that judge a change. */
export const policyTexts = {
  policy_from_missing: ({ source }: { source: string }): Said => ({
    message: `--policy-from ${source}: there is no such commit here, and no such folder`,
    hint: "In a shallow checkout fetch it first: git fetch --depth=1 origin main, then --policy-from FETCH_HEAD. Or name a folder with a tree of the base.",
  }),
  policy_from_ambiguous: ({ name, known }: { name: string; known: readonly string[] }): Said => ({
    message: `--policy-from ${name} may be several commits: ${known.join(", ")}`,
    hint: "Write one of these refs in full, the remote's as a rule, or the commit's full id.",
  }),
  policy_from_in_change: ({ source }: { source: string }): Said => ({
    message: `--policy-from ${source}: there is no such commit here, and the folder of that name is in git: a change could bring it`,
    hint: "Name a commit: after git fetch --depth=1 origin main it is FETCH_HEAD. A folder with a tree of the base has to be outside of the repository, or in no commit.",
  }),
  policy_in_submodule: ({ path }: { path: string }): Said => ({
    message: `the working directory is in the submodule ${path}: the base commit of this repository has no files of it, and can't say how its suites are judged`,
    hint: "Gate them in the submodule's own repository, or keep suites out of submodules. `policy-from: none` judges a change by its own rules.",
  }),
  policy_submodule_missing: ({ source, path }: { source: string; path: string }): Said => ({
    message: `in ${source} ${path} is a submodule, whose files are not here: what the base has there can't be known`,
    hint: "Check it out with the commit that the base has (in a workflow: `submodules: true` at actions/checkout); after a change that takes the submodule away, keep suites and their files out of submodules.",
  }),
  policy_git_failed: (found: { source: string; repository: string; reason: string }): Said => ({
    message: `--policy-from ${found.source}: git can't read the repository ${found.repository}: ${found.reason}`,
    hint: "Install git, or mend what it names. If the folder belongs to another user, as in a container: git config --global --add safe.directory followed by its path. Or name a folder with a tree of the base.",
  }),
  policy_checkout_failed: ({ source, reason }: { source: string; reason: string }): Said => ({
    message: `--policy-from ${source}: its files can't be written to a temporary folder: ${reason}`,
    hint: "Mend what it names: free some space, set TMPDIR to another folder, or let git fetch what a partial clone lacks. Or name a folder with a tree of the base.",
  }),
  policy_other_repository: (found: { suite: string; source: string; root: string }): Said => ({
    message: `${found.suite} is not in the repository of ${found.source} (${found.root})`,
    hint: "Start Regrade within the suite's own repository, or name a folder with a tree of its base.",
  }),
} satisfies Record<string, (found: never) => Said>;
