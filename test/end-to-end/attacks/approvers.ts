import { git } from "../../support/change.ts";
import { labelPull, mergeInto, type Labelled } from "../../support/github/labels.ts";
import {
  recordPush,
  startProject,
  type Files,
  type Project,
  type PullOptions,
} from "../../support/github/project.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import type { Attack, Ended } from "./attack.ts";

const answer = (i: number): string | undefined => (i < 12 ? "no" : undefined);

function suite(min: number, more = ""): Files {
  const gate = `{ policy_label: rules-ok, ${more}rules: [{ metric: exact_match, min: ${min} }] }`;
  return { ...suiteFiles({ cases: 40, answer, gate }), "notes.txt": "one\n" };
}

interface Story extends Partial<PullOptions> {
  /** What happens before the label is put on. */
  readonly before?: (project: Project) => unknown;
  /** What happens after it. */
  readonly after?: (project: Project) => unknown;
  readonly label?: Partial<Labelled>;
  readonly head?: Files;
}

/** A change that asks for less than its answers reach, and a label that would approve it. */
async function judged({ before, after, label, head, ...pull }: Story): Promise<Ended> {
  await using project = await startProject(suite(0.9));
  await project.commit("change", head ?? suite(0.1), "someone");
  await before?.(project);
  await labelPull(project, { label: "rules-ok", minute: 11, ...label });
  await after?.(project);
  const { code, stdout, summary } = await project.pull("change", { ...pull });
  const { violations } = project.github.rest;
  if (violations.length > 0) throw new Error(violations.join("\n"));
  return { code, told: `${stdout}\n${summary}` };
}

/** Somebody's push to the change's branch, which leaves the rules as they are. */
const push =
  (by: string) =>
  (project: Project): Promise<string> =>
    project.commit("change", { "more.txt": by }, by);

/** ann has worked on the base since the change began, and merges it in. */
const update =
  (merged: { readonly isGitHubs: boolean; readonly files?: Readonly<Record<string, string>> }) =>
  async (project: Project): Promise<void> => {
    await project.commit("main", { "notes.txt": "one\ntwo\n" }, "ann");
    await mergeInto(project, { from: "main", by: "ann", ...merged });
  };

let approved: Promise<Ended> | undefined;
const byOther = (): Promise<Ended> => (approved ??= judged({}));

let updated: Promise<Ended> | undefined;
/** ann clicked "Update branch", and approves. */
const byUpdater = (): Promise<Ended> =>
  (updated ??= judged({ before: update({ isGitHubs: true }) }));

const fork = (by: string): Story => ({
  before: push(by),
  label: { isFork: true },
  fork: true,
  author: "stranger",
});

const activity = "GET /repos/{owner}/{repo}/activity";
const unknown = "who pushed to it is not known";

/** Somebody approves a change that is, in part, their own. */
export const approvers: readonly Attack[] = [
  {
    attack: "is approved by its author",
    control: byOther,
    run: () => judged({ author: "Ann" }),
    code: 1,
    says: "put on by ann, does not count: ann opened the pull request",
  },
  {
    attack: "is approved by someone who pushed to it, before others did",
    control: () => judged({ before: push("bea") }),
    run: () =>
      judged({
        before: async (project) => [await push("ann")(project), await push("bea")(project)],
      }),
    code: 1,
    says: "ann pushed commit",
  },
  {
    attack: "is approved by whoever made its branch, with the commits on it",
    control: byOther,
    run: () =>
      judged({
        after: async ({ github, sha }) => {
          github.rest.state.activities.clear();
          recordPush(github.rest.state, "change", { after: await sha("change"), by: "ANN" });
        },
      }),
    code: 1,
    says: "ann pushed commit",
  },
  {
    attack: "is approved by someone whose push another one has put back again",
    control: byOther,
    run: () =>
      judged({
        before: async (project) => {
          const { github, sha } = project;
          const head = await sha("change");
          await push("ann")(project);
          git(await project.workTree("change"), "reset", "--quiet", "--hard", head);
          recordPush(github.rest.state, "change", { kind: "force_push", after: head, by: "bea" });
        },
      }),
    code: 1,
    says: "ann pushed commit",
  },
  {
    attack: "is pushed by a workflow that its approver has started",
    control: () => judged({ before: push("dependabot[bot]") }),
    run: () => judged({ before: push("github-actions[bot]") }),
    code: 1,
    says: "by github-actions[bot], and who had it do so is not known",
  },
  {
    attack: "is pushed by an account that is gone",
    control: byOther,
    run: () =>
      judged({
        after: ({ github }) => {
          const branches = github.rest.state.activities.get("owner/app");
          const [last, ...others] = branches?.get("change") ?? [];
          if (last) branches?.set("change", [{ ...last, by: undefined }, ...others]);
        },
      }),
    code: 1,
    says: unknown,
  },
  {
    attack: "is approved by someone who merged the base into it by hand",
    control: byUpdater,
    run: () => judged({ before: update({ isGitHubs: false }) }),
    code: 1,
    says: "ann pushed commit",
  },
  {
    attack: "is approved by someone who wrote into a merge of the base in GitHub's editor",
    control: byUpdater,
    run: () =>
      judged({ before: update({ isGitHubs: true, files: { "notes.txt": "one\nby ann\ntwo\n" } }) }),
    code: 1,
    says: "ann pushed commit",
  },
  {
    attack: "is approved by someone who had GitHub merge a branch of theirs into it",
    control: byUpdater,
    run: () =>
      judged({
        before: async (project) => {
          await project.commit("other", { "other.txt": "by ann" }, "ann");
          await mergeInto(project, { from: "other", by: "ann", isGitHubs: true });
        },
      }),
    code: 1,
    says: "ann pushed commit",
  },
  {
    attack: "is judged where GitHub does not tell who pushed",
    control: byOther,
    run: () =>
      judged({ after: ({ github }) => github.rest.faults.add({ route: activity, as: 404 }) }),
    code: 1,
    says: unknown,
  },
  {
    attack: "has more pushes than GitHub is asked for, an approver's among the oldest",
    control: byOther,
    run: () =>
      judged({
        before: async (project) => {
          const { state } = project.github.rest;
          for (let i = 0; i < 500; i += 1)
            recordPush(state, "change", { after: String(i).padStart(40, "a"), by: "bea" });
          await push("bea")(project);
        },
      }),
    code: 1,
    says: "it does not go back to where the branch began",
  },
  {
    attack: "comes from a fork that its approver has pushed to",
    control: () => judged(fork("bea")),
    run: () => judged(fork("ann")),
    code: 1,
    says: "ann pushed commit",
  },
  {
    attack: "lets its author approve by a rule of its own",
    control: byOther,
    run: () => judged({ author: "ann", head: suite(0.1, "approvers: writers, ") }),
    code: 1,
    says: "ann opened the pull request",
  },
];
