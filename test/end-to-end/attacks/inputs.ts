import { symlink } from "node:fs/promises";
import { git, makeChange, runChange } from "../../support/change.ts";
import { regrade } from "../../support/cli.ts";
import { startProject, type Files } from "../../support/github/project.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";

/** Adds up, or not, as a file says whose name begins with a dot, or that lies behind a linked folder. */
const app = `import re, sys
right = all(open(f"lib/{name}").read().strip() == "add" for name in (".mode", "linked/mode"))
a, b = map(int, re.findall(r"\\d+", sys.stdin.read()))
print(a + b if right else -1)
`;
const candidates = "{ app: { command: [python3, -S, app.py], inputs: [app.py, 'lib/**'] } }";

function files(): Files {
  return {
    ...suiteFiles({ cases: 6, candidates }),
    "evals/app.py": app,
    "evals/lib/.mode": "add\n",
    "evals/shared/mode": "add\n",
    "README.md": "# App\n",
  };
}

/** A pull request in a repository that runs the suites which a change touches. */
async function changed(head: Files): Promise<Ended> {
  await using project = await startProject({});
  await project.commit("main", files());
  await symlink("../shared", project.origin.getPath("evals/lib/linked"));
  await project.commit("main", {});
  await project.commit("change", head);
  const inputs = { suite: "evals/qa.yaml", "changed-only": "true" };
  const end = await project.pull("change", { inputs });
  return { code: end.code, told: `${end.stdout}\n${end.stderr}\n${end.summary}` };
}

let untouched: Promise<Ended> | undefined;
const control = (): Promise<Ended> => (untouched ??= changed({ "README.md": "# The app\n" }));

const exact = `def grade(sample, item):
    return float(sample["output_text"] == item["target"])
`;

/** A grader of several, in a folder beside the suite, as a pull request has it. */
async function graded(code: string): Promise<Ended> {
  const own = "graders: [exact_match, { type: python, file: ../graders/own.py, name: own }]";
  const plain = suiteFiles({ cases: 6 });
  const manifest = (plain["evals/qa.yaml"] ?? "").replace("grader: exact_match", own);
  await using project = await startProject({
    ...plain,
    "evals/qa.yaml": manifest.replace("metric: exact_match", "metric: own"),
    "graders/own.py": exact,
  });
  await project.commit("change", { "graders/own.py": code, "README.md": "# The app\n" });
  const inputs = { suite: "evals/qa.yaml", "changed-only": "true" };
  const end = await project.pull("change", { inputs });
  return { code: end.code, told: `${end.stdout}\n${end.summary}` };
}

/** An app whose manifest declares inputs, and forgets the program itself. */
async function started(program: string): Promise<Ended> {
  const narrow = candidates.replace("[app.py, 'lib/**']", "['lib/**']");
  await using project = await startProject({
    ...files(),
    "evals/lib/linked/mode": "add\n",
    "evals/qa.yaml": suiteFiles({ cases: 6, candidates: narrow })["evals/qa.yaml"] ?? "",
  });
  await project.commit("change", { "evals/app.py": program, "README.md": "# The app\n" });
  const inputs = { suite: "evals/qa.yaml", "changed-only": "true" };
  const end = await project.pull("change", { inputs });
  return { code: end.code, told: `${end.stdout}\n${end.summary}` };
}

/** A change in whose inputs a path is a link. */
function linked(link: string): Promise<Ended> {
  const base = { ...suiteFiles({ cases: 6, candidates }), "evals/app.py": app };
  const lib = {
    "evals/lib/.mode": "add",
    "evals/lib/linked": { link },
    "evals/shared/mode": "add",
  };
  return judged({ base: { ...base, ...lib }, head: {} });
}

/** A change of a file that the inputs leave out, where the cache has the base's answers. */
async function cached(mode: string): Promise<Ended> {
  const narrow = candidates.replace("'lib/**'", "'lib/.mode'");
  const base = {
    ...suiteFiles({ cases: 6, candidates: narrow }),
    "evals/app.py": app,
    "evals/lib/.mode": "add\n",
    "evals/lib/linked/mode": "add\n",
  };
  const head = { "evals/lib/linked/mode": mode };
  await using fixture = await makeChange({ base, head });
  git(fixture.path, "switch", "--quiet", "main");
  await regrade(["run", "evals/qa.yaml", "--out", "warm"], { in: fixture.path });
  git(fixture.path, "switch", "--quiet", "change");
  const end = await runChange(fixture);
  return { code: end.code, told: `${end.stdout}\n${end.stderr}` };
}

/** The change makes its app worse where the suite does not look. */
export const inputs: readonly Attack[] = [
  {
    attack: "breaks the app in a file whose name begins with a dot, under a glob of its inputs",
    control,
    run: () => changed({ "evals/lib/.mode": "break\n" }),
    code: 1,
    says: "changed-only: run, as the inputs of the candidate app differ",
  },
  {
    attack: "breaks the app behind a linked folder of its inputs",
    control,
    run: () => changed({ "evals/shared/mode": "break\n" }),
    code: 1,
    says: "changed-only: run, as the inputs of the candidate app differ",
  },
  {
    attack: "breaks a grader of several, which only the list of them names",
    control: () => graded(exact),
    run: () => graded(`${exact}    +\n`),
    code: 2,
    says: "changed-only: run, as graders differs",
  },
  {
    attack: "breaks the program itself, where the inputs name only its library",
    control: () => started(app),
    run: () => started("print(0)\n"),
    code: 1,
    says: "changed-only: run, as app.py differs, which the candidate app is started with",
  },
  {
    attack: "lets its inputs be a link that leads out of the repository",
    control: () => linked("../shared"),
    run: () => linked("/tmp"),
    code: 2,
    says: "'inputs' matches 'lib/linked', which leads out of the repository",
  },
  {
    attack: "breaks the app in a file that its inputs leave out, and is judged by kept answers",
    control: () => cached("add\n\n"),
    run: () => cached("break\n"),
    code: 1,
    says: "Gate failed",
  },
];
