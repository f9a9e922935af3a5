import { startProject } from "../../support/github/project.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { worse, type Attack, type Ended } from "./attack.ts";

/** git has no way to any commit but the one that is checked out. */
const withoutGit = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "protocol.allow",
  GIT_CONFIG_VALUE_0: "never",
};

const lowered = suiteFiles({ ...worse, gate: "{ rules: [{ metric: exact_match, min: 0.5 }] }" });

/** A base whose archive lacks some files, or has them otherwise, and a change of its rules. */
async function judged(
  head: Readonly<Record<string, string>>,
  archived: Readonly<Record<string, string | null>>,
): Promise<Ended> {
  const base = { ...suiteFiles(), ".gitattributes": "evals export-ignore\n" };
  await using project = await startProject(base);
  const { state, violations } = project.github.rest;
  state.trees.set(await project.sha("main"), base);
  state.archived = archived;
  await project.commit("change", head);
  const end = await project.pull("change", { env: withoutGit });
  if (violations.length > 0) throw new Error(violations.join("\n"));
  return { code: end.code, told: `${end.stdout}\n${end.summary}` };
}

const none = Object.fromEntries(Object.keys(suiteFiles()).map((path) => [path, null]));
const bothWays = "By the base's policy: fail; by its own: pass.";

let kept: Promise<Ended> | undefined;
const honest = (): Promise<Ended> => (kept ??= judged({ "notes.txt": "x" }, none));

/** A change loosens rules that the archive of the base does not have. */
export const archives: readonly Attack[] = [
  {
    attack: "lowers a threshold where the base's archive lacks the suite",
    control: honest,
    run: () => judged(lowered, none),
    code: 1,
    says: bothWays,
  },
  {
    attack: "lowers a threshold where the base's archive lacks the suite and .gitattributes",
    control: honest,
    run: () => judged(lowered, { ...none, ".gitattributes": null }),
    code: 1,
    says: bothWays,
  },
  {
    attack: "lowers a threshold where the archive writes other rules into the base's suite",
    control: honest,
    run: () => judged(lowered, { "evals/qa.yaml": lowered["evals/qa.yaml"] ?? "" }),
    code: 1,
    says: bothWays,
  },
];
