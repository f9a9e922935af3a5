import { describe, expect, test } from "vitest";
import { namedAnswers } from "../../../../src/suite/policy/programs/named-answers.ts";

const sources = {
  files: ["evals/qa.yaml", "evals/data/qa.jsonl"],
  folders: [".regrade", "evals/runs/base"],
  remote: ["org/questions"],
};
const others = ["evals/app.py", "evals/kb/faq.json", "evals/kb/more.jsonl"];

type Found = "named" | "maybe" | "not";

function findIn(text: string, paths: readonly string[]): Found {
  const isShell = !/["'`(]/.test(text) || /^(?:for|cd|D=)/.test(text);
  const program = {
    text,
    kind: isShell ? "shell" : "code",
    folder: "evals",
    home: "evals",
  } as const;
  const { named, maybe } = namedAnswers(program, sources, { others: paths });
  return named.size > 0 ? "named" : maybe.size > 0 ? "maybe" : "not";
}

describe("a program's text names what holds the answers", () => {
  test.each<readonly [string, Found]>([
    [`open("data/qa.jsonl")`, "named"],
    [`os.listdir("🗂🗂🗂🗂" and "data")`, "named"],
    [`open("../evals/data/qa.jsonl")`, "named"],
    [`open("/srv/job/evals/data/qa.jsonl")`, "named"],
    ["open(f'{ROOT}/data/qa.jsonl')", "named"],
    [String.raw`open("data\\qa.jsonl")`, "named"],
    [`os.path.join(HERE, "data", "qa.jsonl")`, "named"],
    ["grep x data/qa.jsonl", "named"],
    [`glob("d*/*.jsonl")`, "named"],
    [`Path(".").glob("**/qa.*l")`, "named"],
    [`glob.glob("**/qa.*", recursive=True)`, "named"],
    ["for f in $(ls data); do cat data/$f; done", "named"],
    [`__import__("glob").glob("**/qa.*")`, "named"],
    [`fs.readdirSync("../evals/data")`, "named"],
    [`Path("data").iterdir()`, "named"],
    [`yaml.safe_load(open("qa.yaml"))`, "named"],
    [`load_dataset("org/questions")`, "named"],
    [`open(".regrade/cache/a")`, "named"],
    [`open("runs/base/samples.jsonl")`, "named"],
    [`os.listdir("data")`, "named"],
    // It may be another file as well.
    [`[f for f in os.walk(".") if f.endswith(".yaml")]`, "maybe"],
    [`Path(uploads).glob("qa.*")`, "maybe"],
    [`Path(".").glob("**/*.jsonl")`, "maybe"],
    [`[f for f in os.walk(".") if f.endswith(".jsonl")]`, "maybe"],
    [`subprocess.run(["git", "show", REF])`, "maybe"],
    // The samples of any run.
    [`glob.glob("../o*/samp*")`, "maybe"],
    [`open(f"{OUT}/samples.jsonl")`, "maybe"],
    [`glob.glob("kb/*l")`, "not"],
    // Other files.
    [`open("kb/qa.jsonl")`, "not"],
    [`open("my-qa.jsonl")`, "not"],
    [`open("qa.jsonl.bak")`, "named"],
    [`open("kb/faq.json"); glob("kb/*.jsonl"); os.listdir("kb")`, "not"],
    [`allow_origins=["*"]`, "not"],
    [`data = json.loads(text)["data"]`, "not"],
    [`load_dataset("my-org/questions")`, "not"],
    [`run("git", "status")`, "not"],
    [`body = {"data": 1}; os.listdir("prompts")`, "not"],
    [`rows.find((row) => row.id === id)["data"]`, "not"],
  ])("%s: %s", (text, expected) => {
    expect(findIn(text, others)).toBe(expected);
  });

  test("or the samples of a run, unless another file has their name", () => {
    const text = `open("../out/samples.jsonl")`;
    expect(findIn(text, [...others, "evals/runs/base/samples.jsonl"])).toBe("maybe");
    expect(findIn(text, [...others, "evals/kb/samples.jsonl"])).toBe("not");
  });

  test.each([
    [`os.listdir("data")`, "evals/data/faq.md"],
    [`open("qa.jsonl")`, "evals/kb/qa.jsonl"],
  ])("or another file: %s, beside %s", (text, more) => {
    expect(findIn(text, others)).toBe("named");
    expect(findIn(text, [...others, more])).toBe("maybe");
  });
});
