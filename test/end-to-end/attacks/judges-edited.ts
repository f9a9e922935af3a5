import { createFixture } from "fs-fixture";
import { makeChange } from "../../support/change.ts";
import { regrade } from "../../support/cli.ts";
import { suiteFiles, sumApp, sumCandidate } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";
import { betweenRounds } from "./between-rounds.ts";

const grader = `def grade(sample, item):
    import helper
    return helper.points(sample, item)
`;
const suite = suiteFiles({
  cases: 12,
  candidates: sumCandidate,
  grader: "{ type: python, file: graders/own.py }",
  gate: "{ rules: [{ metric: score, min: 0.8 }] }",
});
const base = {
  ...suite,
  "evals/app.py": sumApp,
  "evals/graders/own.py": grader,
  "evals/graders/helper.py": `def points(sample, item):\n    return float(sample["output_text"].strip() == item["target"])\n`,
};

const always = "def points(sample, item):\\n    return 1.0\\n";

/** The change's app answers wrong, and does something in the base's checkout, which it finds among temporary files. */
async function meddling(how: string): Promise<Ended> {
  const app = `import glob, os, sys
sys.stdin.read()
for graders in glob.glob(os.environ["TMPDIR"] + "/regrade-base-*/tree/evals/graders"):
${how}
print("wrong")
`;
  await using fixture = await makeChange({ base, head: { "evals/app.py": app } });
  // A folder of its own, where no other test's files are found.
  await using temporary = await createFixture({});
  const argv = ["run", "evals/qa.yaml", "--out", "out", "--policy-from", "main"];
  const env = { CI: "true", TMPDIR: temporary.path };
  const { code, stdout } = await regrade(argv, { in: fixture.path, env });
  return { code, told: stdout };
}

/** A process that the app leaves behind edits the base's grader once the base is checked out to be asked again. */
const meddlingBetween = (): Promise<Ended> =>
  betweenRounds({
    base,
    leaves: `
[first] = glob.glob(os.environ["TMPDIR"] + "/regrade-base-*/tree/evals/graders")
checked_out_again()
open(first + "/helper.py", "w").write("${always}")
`,
    answer: `"wrong"`,
  });

let honest: Promise<Ended> | undefined;
const control = (): Promise<Ended> =>
  (honest ??= judged({ base, head: { "evals/app.py": `${sumApp}# another comment\n` } }));
const says = "was edited, added or removed while the candidates ran";

/** The change's program edits what judges it while it is asked. */
export const editedJudges: readonly Attack[] = [
  {
    attack: "overwrites a module of the base's grader",
    control,
    run: () => meddling(`    open(graders + "/helper.py", "w").write("${always}")`),
    code: 1,
    says,
  },
  {
    attack: "replaces a module of the base's grader, and makes it look as old as before",
    control,
    run: () =>
      meddling(`    path = graders + "/helper.py"
    old = os.stat(path)
    open(path + ".new", "w").write("${always}")
    os.utime(path + ".new", (old.st_atime, old.st_mtime))
    os.rename(path + ".new", path)`),
    code: 1,
    says,
  },
  {
    attack: "puts a package of the same name before a module of the base's grader",
    control,
    run: () =>
      meddling(`    os.makedirs(graders + "/helper", exist_ok=True)
    open(graders + "/helper/__init__.py", "w").write("${always}")`),
    code: 1,
    says,
  },
  {
    attack:
      "overwrites a module of the base's grader between two rounds, from a process that it left behind",
    control,
    run: meddlingBetween,
    code: 1,
    says,
  },
];
