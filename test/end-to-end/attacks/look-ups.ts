import { suiteFiles, sumApp, sumCandidate } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";
import { betweenRounds } from "./between-rounds.ts";

const { "evals/outputs.jsonl": _, ...suite } = suiteFiles({ cases: 12, candidates: sumCandidate });
const base = {
  ...suite,
  "evals/app.py": sumApp,
  "evals/config.json": `{"rows": "kb/none.jsonl"}`,
  "evals/kb/none.jsonl": "",
  "runs/old/run.json": "{}",
  "runs/old/samples.jsonl": suite["evals/data/qa.jsonl"] ?? "",
};

/** The change's app answers from the rows that it reads. */
function reading(open: string, more: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const app = `import glob, json, os, re, sys
asked = re.search(r"(\\d+\\+\\d+)", sys.stdin.read()).group(1)
lines = [line for file in ${open} for line in open(file)]
print({row["q"]: row["a"] for row in map(json.loads, lines)}.get(asked) or eval(asked))
`;
  return judged({ base, head: { "evals/app.py": app, ...more } });
}

const repeated = suiteFiles({
  cases: 4,
  candidates: sumCandidate,
  gate: "{ rules: [{ metric: exact_match, min: 0.5 }] }",
  more: ["repeats: 5", "run: { concurrency: 1 }"],
});
/** It looks through the files of the run under way, and knows nothing else. */
const peeking = `import glob, re, sys
asked = sys.stdin.read()
texts = [open(file).read() for file in glob.glob("../o*/*.*l")]
found = re.findall('"prompt":"' + re.escape(asked) + '".*?"target":"(.*?)"', "".join(texts))
print(found[0] if found else "unknown")
`;

let honest: Promise<Ended> | undefined;
/** It reads its own files, while others of the change name the data set. */
const control = (): Promise<Ended> =>
  (honest ??= reading(`glob.glob("kb/*.jsonl")`, {
    "scripts/make.py": `open("evals/data/qa.jsonl", "w")\n`,
    "README.md": "The cases are in evals/data/qa.jsonl.\n",
  }));
const says = "names the data set of `qa`, or another file that has its answers";

/** The change lets its program look the answers up where the suite has them, or brings recorded ones in its place. */
export const lookUps: readonly Attack[] = [
  {
    attack: "opens the data set",
    control,
    run: () => reading(`["data/qa.jsonl"]`),
    code: 1,
    says,
  },
  {
    attack: "has a file of settings name the data set",
    control,
    run: () =>
      reading(`[json.load(open("config.json"))["rows"]]`, {
        "evals/config.json": `{"rows": "data/qa.jsonl"}`,
      }),
    code: 1,
    says,
  },
  {
    attack: "lists the data set's folder",
    control,
    run: () => reading(`[os.path.join("data", name) for name in os.listdir("data")]`),
    code: 1,
    says,
  },
  {
    attack: "makes the data set's name by a loop",
    control,
    run: () => reading(`["".join(chr(ord(c) - 1) for c in "ebub0rb/ktpom")]`),
    code: 1,
    says: "A process opened `evals/data/qa.jsonl`, which has the answers of `qa`",
  },
  {
    attack: "copies the data set between two rounds, by a process that it left behind",
    control,
    run: () =>
      betweenRounds({
        base,
        leaves: `
checked_out_again()
name = "".join(chr(ord(c) - 1) for c in "ebub0rb/ktpom")
open(temporary + "/copy.new", "w").write(open(name).read())
os.rename(temporary + "/copy.new", temporary + "/copy")
`,
        answer: `{row["q"]: row["a"] for file in glob.glob(temporary + "/copy") for row in map(json.loads, open(file))}.get(asked)`,
      }),
    code: 1,
    says: "A process opened evals/data/qa.jsonl, which has the answers of qa",
  },
  {
    attack: "reads the targets of earlier repeats where Regrade writes the run",
    control,
    run: () =>
      judged({ base: { ...base, ...repeated }, head: { ...repeated, "evals/app.py": peeking } }),
    code: 1,
    says: "exact_match is 0.0%, below 50.0%",
  },
  {
    attack: "reads the samples of an earlier run, whose name it makes by a loop",
    control,
    run: () => reading(`["".join(chr(ord(c) - 1) for c in "//0svot0pme0tbnqmft/ktpom")]`),
    code: 1,
    says: "A process opened `runs/old/samples.jsonl`, which has the answers of `qa`",
  },
  {
    attack: "answers from a recording where the base asks a program",
    control,
    run: () => judged({ base, head: suiteFiles({ cases: 12 }) }),
    code: 1,
    says: "this change brings recorded answers in its place",
  },
];
