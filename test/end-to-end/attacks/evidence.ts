import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLines } from "../../support/cli.ts";
import { startProject, type Files, type Project } from "../../support/github/project.ts";
import type { ActionEnd, ActionRun } from "../../support/github/run-action.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import type { Attack, Ended } from "./attack.ts";

type Inputs = NonNullable<ActionRun["inputs"]>;

function toldBy({ code, stdout, summary }: ActionEnd): Ended {
  return { code, told: `${stdout}\n${summary}` };
}

/** What another tool's step left: scores of 60 cases, of which the change edits the first 15. */
function recorded(edit: object): Files {
  const lines = Array.from({ length: 60 }, (_, i) => ({
    id: `c${i}`,
    input: `${i}+1`,
    output: "x",
    score: 1,
    ...(i < 15 ? edit : {}),
  }));
  return { "out.jsonl": jsonLines(lines) };
}

/** Scores alone, of cases without an input: `names` says what the first 15 are called. */
function scored(name: string): Files {
  const ids = Array.from({ length: 60 }, (_, i) => (i < 15 ? `${name}${i}` : `c${i}`));
  return { "out.jsonl": jsonLines(ids.map((id) => ({ id, score: 1 }))) };
}

async function replaced(name: string): Promise<Ended> {
  const inputs = { results: "out.jsonl", format: "jsonl", "max-drop": "0.02", name: "support" };
  await using project = await startProject(scored("c"));
  await project.push("main", { inputs });
  await project.commit("change", scored(name));
  return toldBy(await project.pull("change", { inputs }));
}

async function imported(edit: object): Promise<Ended> {
  const inputs = { results: "out.jsonl", format: "jsonl", "max-drop": "0.02", name: "support" };
  await using project = await startProject(recorded({}));
  await project.push("main", { inputs });
  await project.commit("change", recorded(edit));
  return toldBy(await project.pull("change", { inputs }));
}

/** A baseline that was run with other inputs, or before the data of the base changed. */
async function compared(
  pushed: Inputs,
  afterwards: (project: Project) => Promise<unknown>,
): Promise<Ended> {
  await using project = await startProject(suiteFiles({ gate: "{ max_drop: 0.02 }" }));
  await project.push("main", { inputs: pushed });
  await afterwards(project);
  await project.commit("change", { "notes.txt": "x" });
  return toldBy(await project.pull("change"));
}

/** So many of the base's rows are other ones since its run. */
const rewrites =
  (count: number) =>
  (project: Project): Promise<string> => {
    const { "evals/data/qa.jsonl": data = "" } = suiteFiles({
      row: (i) => (i < count ? { q: `0+${i + 1}` } : {}),
    });
    return project.commit("main", { "evals/data/qa.jsonl": data });
  };

let known: Promise<Ended> | undefined;
const control = (): Promise<Ended> => (known ??= compared({}, rewrites(20)));
const partly = "that judge this change; it was run on other data, or on a part of them";

/** Adds up as well as a package lets it, which the workflow installs for both sides. */
const app = `import os, re, sys
a, b = map(int, re.search(r"(\\d+)\\+(\\d+)", sys.stdin.read()).groups())
works = open(os.environ["PACKAGE"]).read() == "works"
print(a + b if works or a > 8 else "broken")
`;

async function upgraded(to: string): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), "package-"));
  const env = { PACKAGE: join(folder, "version") };
  const setup = "[python3, -S, -c, pass]";
  const candidates = `{ app: { command: [python3, -S, app.py], env: [PACKAGE], setup: ${setup} } }`;
  await using project = await startProject({
    ...suiteFiles({ cases: 24, candidates, gate: "{ max_drop: 0.02 }" }),
    "evals/app.py": app,
  });
  await writeFile(env.PACKAGE, "works");
  await project.push("main", { env });
  await project.commit("change", { "requirements.txt": to });
  await writeFile(env.PACKAGE, to);
  const end = await project.pull("change", { env });
  await rm(folder, { recursive: true });
  return toldBy(end);
}

/** What a change is compared with says little, or is moved by the change. */
export const evidence: readonly Attack[] = [
  {
    attack: "edits the inputs of the cases that it fails, in results of another tool",
    control: () => imported({ input: "more" }),
    run: () => imported({ input: "more", score: 0 }),
    code: 3,
    says: "the rule would be missed if they were compared all the same",
  },
  {
    attack: "edits the targets of the cases that it fails, in results of another tool",
    control: () => imported({ target: "more" }),
    run: () => imported({ target: "more", score: 0 }),
    code: 3,
    says: "the rule would be missed if they were compared all the same",
  },
  {
    attack: "has easier cases in the place of those that it fails, in results without inputs",
    control: () => replaced("c"),
    run: () => replaced("easy"),
    code: 1,
    says: "15 cases of the baseline are missing here",
  },
  {
    attack: "is compared with a run of a few of the cases",
    control,
    run: () => compared({ "max-samples": "3" }, async () => {}),
    code: 3,
    says: partly,
  },
  {
    attack: "is compared with a run on other data",
    control,
    run: () => compared({}, rewrites(58)),
    code: 3,
    says: partly,
  },
  {
    attack: "brings a package that breaks the base's program as well, when it is run again",
    control: () => upgraded("works"),
    run: () => upgraded("breaks"),
    code: 3,
    says: "the base's program now loses most of those that broke too",
  },
];
