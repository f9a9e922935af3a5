import { chmod, symlink, writeFile } from "node:fs/promises";
import { git, makeChange, runChange } from "../../support/change.ts";
import { regrade } from "../../support/cli.ts";
import { startProject, type Files } from "../../support/github/project.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";

/**
 * Adds up, or not, as a file says whose name begins with a dot, or that lies behind a linked folder; as bytecode, names and
 * rights of files say.
 */
const app = `import os, re, sys
right = all(open(f"lib/{name}").read().strip() == "add" for name in (".mode", "linked/mode"))
right &= not os.path.exists("lib/__pycache__") and b"off\\xff" not in os.listdir(b"lib")
right &= not os.access("lib/.mode", os.X_OK)
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
async function changed(head: Files, more?: (folder: string) => Promise<void>): Promise<Ended> {
  await using project = await startProject({});
  await project.commit("main", files());
  await project.workTree("main");
  await symlink("../shared", project.origin.getPath("evals/lib/linked"));
  await project.commit("main", {});
  await project.commit("change", head);
  if (more !== undefined) {
    await more(project.origin.path);
    await project.commit("change", {});
  }
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
async function started(program: string, command = "python3, -S, app.py"): Promise<Ended> {
  const narrow = candidates
    .replace("[app.py, 'lib/**']", "['lib/**']")
    .replace("python3, -S, app.py", command);
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

const inputsDiffer = "changed-only: run, as the inputs of the candidate app differ";

/** The change makes its app worse where the suite does not look. */
export const inputs: readonly Attack[] = [
  {
    attack: "breaks the app in a file whose name begins with a dot, under a glob of its inputs",
    control,
    run: () => changed({ "evals/lib/.mode": "break\n" }),
    code: 1,
    says: inputsDiffer,
  },
  {
    attack: "breaks the app behind a linked folder of its inputs",
    control,
    run: () => changed({ "evals/shared/mode": "break\n" }),
    code: 1,
    says: inputsDiffer,
  },
  {
    attack: "brings compiled Python, in a folder where Python leaves its own",
    control,
    run: () => changed({ "evals/lib/__pycache__/part.cpython-312.pyc": "x" }),
    code: 1,
    says: inputsDiffer,
  },
  {
    attack:
      "brings a file whose name is not UTF-8, so that it can't be opened by what it is called",
    control,
    run: () =>
      changed({}, (folder) => writeFile(Buffer.from(`${folder}/evals/lib/off\xff`, "latin1"), "x")),
    code: 2,
    says: inputsDiffer,
  },
  {
    attack: "changes who may execute a file, and none of its content",
    control,
    run: () => changed({}, (folder) => chmod(`${folder}/evals/lib/.mode`, 0o755)),
    code: 1,
    says: inputsDiffer,
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
    attack: "breaks the program where the command names it as a module, in a line for a shell",
    control: () => started(app, "sh, -c, 'python3 -S -m app'"),
    run: () => started("print(0)\n", "sh, -c, 'python3 -S -m app'"),
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
    says: "the gate fails",
  },
];
