import { createFixture } from "fs-fixture";
import { git, runChange } from "../../support/change.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { worse, type Attack, type Ended } from "./attack.ts";

const lowered = suiteFiles({ ...worse, gate: "{ rules: [{ metric: exact_match, min: 0.5 }] }" });
const commit = "b".repeat(40);

/** A base with a submodule that nobody checked out, and a change that has files of its own in its place. */
async function replaced(submodule: string | undefined): Promise<Ended> {
  await using fixture = await createFixture(suiteFiles());
  const run = (...args: readonly string[]): string => git(fixture.path, ...args);
  run("init", "--quiet", "--initial-branch=main");
  run("add", "--all");
  if (submodule !== undefined) {
    run("rm", "--quiet", "--cached", "-r", submodule);
    run("update-index", "--add", "--cacheinfo", `160000,${commit},${submodule}`);
  }
  run("commit", "--quiet", "--message=base");
  run("switch", "--quiet", "--create=change");
  if (submodule !== undefined) {
    run("rm", "--quiet", "--cached", submodule);
    for (const [path, text] of Object.entries(lowered)) await fixture.writeFile(path, text);
  }
  run("add", "--all");
  run("commit", "--quiet", "--allow-empty", "--message=change");
  const { code, stdout, stderr } = await runChange(fixture);
  return { code, told: `${stdout}\n${stderr}` };
}

let kept: Promise<Ended> | undefined;
const control = (): Promise<Ended> => (kept ??= replaced(undefined));

/** The change has files where the base has a submodule. */
export const submodules: readonly Attack[] = [
  {
    attack: "puts a suite with milder rules in the place of a submodule that has one",
    control,
    run: () => replaced("evals"),
    code: 2,
    says: "in main evals is a submodule, whose files are not here",
  },
  {
    attack: "puts easier data in the place of a submodule that has them",
    control,
    run: () => replaced("evals/data"),
    code: 2,
    says: "in main evals/data is a submodule, whose files are not here",
  },
];
