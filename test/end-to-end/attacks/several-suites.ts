import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createFixture } from "fs-fixture";
import { git, makeChange } from "../../support/change.ts";
import { regrade } from "../../support/cli.ts";
import { startProject } from "../../support/github/project.ts";
import { startProvider } from "../../support/provider/server.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import type { Attack, Ended } from "./attack.ts";

type Files = Readonly<Record<string, string>>;

const adds = `import re, sys
a, b = re.search(r"(\\d+)\\+(\\d+)", sys.stdin.read()).groups()
print(int(a) + int(b))
`;

/** An app that adds up. Its first sample does something else, too, of which nothing is said. */
function app(does: string): string {
  return `import glob, os, time
temporary = os.environ["TMPDIR"]
def loosen():
    for path in glob.glob(temporary + "/regrade-base-*/tree/evals/second.yaml"):
        text = open(path).read()
        open(path, "w").write(text.replace("min: 0.8", "min: 0"))
try:
    os.close(os.open(temporary + "/first", os.O_CREAT | os.O_EXCL))
    ${does}
except FileExistsError:
    pass
${adds}`;
}

/** A process that is left behind, and loosens the rules of the second suite when the first one has ended. */
const leaves = `if os.fork() == 0:
        os.setsid()
        for stream in (0, 1, 2): os.close(stream)
        end = time.monotonic() + 60
        while not os.path.exists("../out/first/run.json") and time.monotonic() < end: time.sleep(0.001)
        loosen()
        os._exit(0)`;

/** Answers that the change brings, put where kept ones are. */
const plants = `os.makedirs("../kept/answers", exist_ok=True)
    open("../kept/answers/run_1.jsonl", "w").write(open("../kept.txt").read())`;

function suite(name: string, candidates: string): Files {
  const files = suiteFiles({ name, candidates, cases: 4 });
  const manifest = (files["evals/qa.yaml"] ?? "").replace("data/qa", `data/${name}`);
  return {
    [`evals/${name}.yaml`]: manifest,
    [`evals/data/${name}.jsonl`]: files["evals/data/qa.jsonl"] ?? "",
  };
}

const command = (name: string): Files => ({
  ...suite(name, `{ app: { command: [python3, -S, ${name}.py] } }`),
  [`evals/${name}.py`]: adds,
});

const base = { ...command("first"), ...command("second") };

interface Judging {
  readonly base: Files;
  readonly head: Files;
  readonly suites: readonly string[];
  readonly argv?: readonly string[];
}

async function judged({ base: before, head, suites, argv = [] }: Judging): Promise<Ended> {
  await using fixture = await makeChange({ base: before, head });
  // A folder of its own, where no other test's files are found.
  await using temporary = await createFixture({});
  const paths = suites.map((name) => `evals/${name}.yaml`);
  const asked = ["run", ...paths, "--out", "out", "--policy-from", "main", ...argv];
  const env = { CI: "true", TMPDIR: temporary.path };
  const { code, stdout, stderr } = await regrade(asked, { in: fixture.path, env });
  return { code, told: `${stdout}\n${stderr}` };
}

const second = { "evals/second.py": "print('unknown')\n" };
const loosened = (base["evals/second.yaml"] ?? "").replace("min: 0.8", "min: 0");
const broken = { ...second, "evals/second.yaml": loosened };

/** A change of an app, whose suite runs first. */
const changed = (does: string, more: Files = {}): Promise<Ended> =>
  judged({ base, head: { "evals/first.py": app(does), ...more }, suites: ["first", "second"] });

let unchanged: Promise<Ended> | undefined;
const control = (): Promise<Ended> => (unchanged ??= changed("pass"));

/** A suite that the base does not have runs first. */
function brought(does: string, more: Files = {}): Promise<Ended> {
  const manifest = (base["evals/first.yaml"] ?? "").replace("first.py", "new.py");
  const own = {
    "evals/new.yaml": manifest.replace("name: first", "name: new"),
    "evals/new.py": app(does),
  };
  return judged({ base, head: { ...own, ...more }, suites: ["new", "second"] });
}

const edited =
  "evals/second.yaml (the base's checkout), which judges second, was edited, added or removed";

function sum(asked: string): string {
  return `${Number(/(\d+)\+1/.exec(asked)?.[1]) + 1}`;
}

/** A change of a program, and of a model's prompt with which it knows nothing. The program may write into the cache of answers. */
async function kept(does: string, prompt: string): Promise<Ended> {
  let isGood = true;
  const answer = ({ prompt: asked }: { readonly prompt: string }): string =>
    isGood || asked.startsWith("What") ? sum(asked) : "unknown";
  await using provider = await startProvider({ answer });
  const files = suite("second", "{ app: { model: 'local:m' } }");
  const asking = (text: string): Files => ({
    ...files,
    "evals/second.yaml": `${(files["evals/second.yaml"] ?? "").replace("What is", text)}providers: { local: { base_url: "${provider.url}" } }\n`,
  });
  const cache = ["--cache-path", "kept"];
  await using earlier = await createFixture(asking(prompt));
  await regrade(["run", "evals/second.yaml", "--out", "out", ...cache], { in: earlier.path });
  const names = await readdir(earlier.getPath("kept/answers"));
  const name = names.find((each) => each.endsWith(".jsonl")) ?? "";
  const answers = await earlier.readFile(`kept/answers/${name}`, "utf8");
  isGood = false;
  // Awaited here, because the provider is closed when this function returns.
  return await judged({
    base: { ...command("first"), ...asking("What is") },
    head: { ...asking(prompt), "evals/first.py": app(does), "kept.txt": answers },
    suites: ["first", "second"],
    argv: cache,
  });
}

/** A run of the second suite whose program knows nothing, put where `latest` looks. */
const precedes = `os.rename("../planted", "../.regrade/runs/run_20990101T000000_aaaaaa")`;

/** A change that is compared with the last runs of the two suites. */
async function compared(does: string, more: Files): Promise<Ended> {
  const loose = (files: Files): Files =>
    Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        text.replace(/^gate: .*$/m, "gate: { max_drop: 0.02, confirm: never }"),
      ]),
    );
  const start = loose(base);
  await using bad = await createFixture({ ...start, ...second });
  await regrade(["run", "evals/second.yaml", "--out", "out"], { in: bad.path });
  const names = ["run.json", "scores.jsonl"];
  const planted = await Promise.all(
    names.map(async (name) => [`planted/${name}`, await bad.readFile(`out/${name}`, "utf8")]),
  );
  await using fixture = await makeChange({
    base: start,
    head: { "evals/first.py": app(does), ...more, ...Object.fromEntries(planted) },
  });
  await using temporary = await createFixture({});
  const env = { CI: "true", TMPDIR: temporary.path };
  const both = ["run", "evals/first.yaml", "evals/second.yaml"];
  git(fixture.path, "switch", "--quiet", "main");
  await regrade(both, { in: fixture.path });
  git(fixture.path, "switch", "--quiet", "change");
  const argv = [...both, "--policy-from", "main", "--baseline", "latest"];
  const { code, stdout, stderr } = await regrade(argv, { in: fixture.path, env });
  return { code, told: `${stdout}\n${stderr}` };
}

/** Adds up, or not, as a variable says. */
const moody = `import os
if os.environ["MOOD"] == "bad":
    print("unknown")
    raise SystemExit
${adds}`;

/** Removes what an earlier attempt of the next suite has left. */
const removes = `import glob, os, shutil
for path in glob.glob(os.environ["WHERE"] + "/runner-*/temp/*/second-of-two"):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path, exist_ok=True)
${adds}`;

/** A run in which the second suite fails, and its re-run, in which it is lucky. The first suite's program is this one. */
async function rerun(program: string, mood: string): Promise<Ended> {
  const lucky = suite("second", "{ app: { command: [python3, -S, second.py], env: [MOOD] } }");
  await using project = await startProject({
    ...suite("first", "{ app: { command: [python3, -S, first.py], env: [WHERE] } }"),
    ...Object.fromEntries(
      Object.entries(lucky).map(([path, text]) => [
        path.replace("second.yaml", "second-of-two.yaml"),
        text,
      ]),
    ),
    "evals/first.py": adds,
    "evals/second.py": moody,
  });
  await project.commit("change", { "evals/first.py": program });
  const runId = 900;
  const env = { WHERE: tmpdir(), MOOD: mood };
  await project.pull("change", { runId, env });
  project.github.artifacts.nextAttempt();
  const again = { ...env, MOOD: "good", GITHUB_RUN_ATTEMPT: "2" };
  const { code, stdout, summary } = await project.pull("change", { runId, env: again });
  return { code, told: `${stdout}\n${summary}` };
}

/** The change has a suite tampered with by the program of another one. */
export const severalSuites: readonly Attack[] = [
  {
    attack: "leaves a process behind that loosens the base's rules of the next suite",
    control,
    run: () => changed(leaves, broken),
    code: 1,
    says: edited,
  },
  {
    attack: "brings a suite whose program loosens the base's rules of the next one",
    control: () => brought("pass"),
    run: () => brought("loosen()", broken),
    code: 1,
    says: edited,
  },
  {
    attack: "has a program put answers into the cache, for a model that another suite asks",
    control: () => kept("pass", "What is"),
    run: () => kept(plants, "Say"),
    code: 1,
    says: "second/exact_match 0.0%",
  },
  {
    attack: "has a program put a worse run where the next suite looks for its last one",
    control: () => compared("pass", {}),
    run: () => compared(precedes, second),
    code: 1,
    says: "second: 4 of 4 cases broke",
  },
  {
    attack: "has a program remove what an earlier attempt of another suite has left",
    control: () => rerun(adds, "good"),
    run: () => rerun(removes, "bad"),
    code: 3,
    says: "another suite's program wrote over what attempt 1 left",
  },
];
