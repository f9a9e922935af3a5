import { createHash } from "node:crypto";
import { join } from "node:path";
import { suiteFiles, sumApp } from "../../support/suite-files.ts";
import { jsonLines } from "../../support/cli.ts";
import type { Change } from "../../support/change.ts";
import { judged, type Attack, type Ended } from "./attack.ts";

const candidates = "{ app: { command: [python3, -S, app.py] } }";
const base: Record<string, string> = {
  ...suiteFiles({ cases: 12, candidates }),
  "evals/app.py": sumApp,
};
const answers = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [`What is ${i}+1?`, `${i + 1}`]),
);
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The change lets its app look the answers up in a table that it brings. */
function lookingUp(path: string, table: string, read = "json.load(open(PATH))"): Promise<Ended> {
  const app = `import base64, hashlib, json, os, sys
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "${path}")
prompt = sys.stdin.read()
digest = hashlib.sha256(prompt.encode()).hexdigest()
table = ${read}
print(table.get(prompt) or table.get(digest) or "unknown")
`;
  return judged({ base, head: { "evals/app.py": app, [join("evals", path)]: table } });
}

let honest: Promise<Ended> | undefined;

/** The change brings these files beside an app that it has touched. */
function bringing(files: Change["head"]): Promise<Ended> {
  return judged({ base, head: { "evals/app.py": `${sumApp}# A comment.\n`, ...files } });
}

const lines = Object.entries(answers).map(([asked, answer]) => `${asked} ${answer}`);

/** Two examples and a list of questions, which the app does not answer with. */
const control = (): Promise<Ended> =>
  (honest ??= judged({
    base,
    head: {
      "evals/app.py": `${sumApp}# A comment.\n`,
      "docs/examples.md": "What is 3+1? 4\nWhat is 5+1? 6\nWhat is 41+1? 42\n",
      "evals/picture.json": JSON.stringify({ png: btoa("\u0089PNG\u0000\u0001".repeat(40)) }),
    },
  }));
const says = (path: string): string =>
  `\`evals/${path}\`, which this change brings, has the answers`;
const inBase64 = Buffer.from(JSON.stringify(answers)).toString("base64");
const byDigest = Object.fromEntries(Object.entries(answers).map(([q, a]) => [sha(q), a]));

const quotingTest = Object.entries(answers)
  .map(([asked, answer], i) => `def test_${i}():\n    assert run("${asked}") == "${answer}"\n`)
  .join("\n");

/** Tests and documents that quote all cases, which no program opens. */
let quotes: Promise<Ended> | undefined;
const quoting = (): Promise<Ended> =>
  (quotes ??= bringing({ "tests/test_app.py": quotingTest, "docs/results.md": lines.join("\n") }));

/** Finds the folder with the table by its first letter. */
const findingTests = `import json, os, sys
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
folder = max(os.scandir(root), key=lambda each: each.name)
table = json.load(open(next(os.scandir(folder.path)).path))
print(table[sys.stdin.read()])
`;

const turns = Array.from({ length: 40 }, (_, i) => {
  const drawn = createHash("sha256").update(String(i)).digest().readUInt8(0);
  return ["left", "right", "ahead"][drawn % 3] ?? "";
});

const asked = (i: number): string => `from gate ${i * 31 + 100} to the yard`;
const turnOf = (i: number): Record<string, unknown> => ({ q: asked(i), a: turns[i] });

/** The change brings a list beside an app that answers one of three words. */
const listing = (words: readonly string[]): Promise<Ended> =>
  turning({ "evals/turns.json": JSON.stringify(words) });

const gates = suiteFiles({
  cases: 40,
  row: turnOf,
  gate: "{ rules: [{ metric: exact_match, min: 0 }] }",
  candidates,
});
const turningManifest = gates["evals/qa.yaml"] ?? "";

/** The change brings files beside an app that answers one of three words. */
function turning(files: Readonly<Record<string, string>>): Promise<Ended> {
  const before = { ...gates, "evals/app.py": "print('left')\n" };
  return judged({ base: before, head: { "evals/app.py": "print('right')\n", ...files } });
}

/** The change adds a candidate, whose recording begins with these answers and goes on with others. */
function recording(known: readonly string[]): Promise<Ended> {
  const rows = turns.map((_, i) => ({
    case_id: `c${i}`,
    prompt: asked(i),
    output_text: known[i] ?? "back",
  }));
  return turning({
    "evals/qa.yaml": turningManifest.replace("{ app:", "{ more: { replay: more.jsonl }, app:"),
    "evals/more.jsonl": jsonLines(rows),
  });
}

/** The change brings the answers in a file that its candidate reads. */
export const tables: readonly Attack[] = [
  {
    attack: "brings a table of questions and answers",
    control,
    run: () => lookingUp("table.json", JSON.stringify(answers)),
    code: 1,
    says: says("table.json"),
  },
  {
    attack: "brings the table together with a case, in the data set that has the answers as well",
    control,
    run: () =>
      bringing({
        "evals/table.json": JSON.stringify(answers),
        "evals/data/qa.jsonl": `${base["evals/data/qa.jsonl"]}{"id":"new","q":"70+1","a":"71"}\n`,
      }),
    code: 1,
    says: says("table.json"),
  },
  {
    attack: "brings the table and edits a page that has the same answers",
    control,
    run: () => {
      const page = { "docs/page.md": lines.join("\n") };
      const head = {
        "docs/page.md": `${lines.join("\n")}\n`,
        "evals/t.json": JSON.stringify(answers),
      };
      return judged({ base: { ...base, ...page }, head });
    },
    code: 1,
    says: says("t.json"),
  },
  {
    attack: "brings the table in base64",
    control,
    run: () => lookingUp("blob.txt", inBase64, "json.loads(base64.b64decode(open(PATH).read()))"),
    code: 1,
    says: says("blob.txt"),
  },
  {
    attack: "brings the answers by digests of the prompts",
    control,
    run: () => lookingUp("cache.json", JSON.stringify(byDigest)),
    code: 1,
    says: says("cache.json"),
  },
  {
    attack: "cuts the encoded table into two files",
    control,
    run: () =>
      bringing({ "evals/a.txt": inBase64.slice(0, 101), "evals/b.txt": inBase64.slice(101) }),
    code: 1,
    says: "`evals/a.txt and 1 more`, which this change brings, has the answers",
  },
  {
    attack: "puts the answers into the names of files",
    control,
    run: () =>
      bringing(
        Object.fromEntries(lines.map((line) => [`evals/${Buffer.from(line).toString("hex")}`, ""])),
      ),
    code: 1,
    says: "`the name of ",
  },
  {
    attack: "puts the answers into what links lead to",
    control,
    run: () =>
      bringing(Object.fromEntries(lines.map((line, i) => [`evals/l${i}`, { link: btoa(line) }]))),
    code: 1,
    says: says("l0"),
  },
  {
    attack: "brings a table by the ids of cases, which it asks for",
    control,
    run: () =>
      bringing({
        "evals/qa.yaml": base["evals/qa.yaml"]?.replace("app.py]", "app.py], pass: [id]") ?? "",
        "evals/ids.json": JSON.stringify(
          Object.fromEntries(Object.values(answers).map((answer, i) => [`c${i}`, answer])),
        ),
      }),
    code: 1,
    says: says("ids.json"),
  },
  {
    attack: "puts the table among its tests, and names it",
    control: quoting,
    run: () => lookingUp("../tests/table.json", JSON.stringify(answers)),
    code: 1,
    says: "`tests/table.json`, which this change brings, has the answers",
  },
  {
    attack: "puts the table among its tests, and opens it by no name",
    control: quoting,
    run: () =>
      judged({
        base,
        head: { "evals/app.py": findingTests, "tests/table.json": JSON.stringify(answers) },
      }),
    code: 1,
    says: "A process opened `tests/table.json`",
  },
  {
    attack: "lists the answers in the order of the cases, without what these ask",
    control: () => listing(turns.slice(0, 3)),
    run: () => listing(turns),
    code: 1,
    says: says("turns.json"),
  },
  {
    attack: "lists what the cases of one answer ask, without the answer",
    control: () =>
      turning({
        "evals/gates.txt": turns
          .slice(0, 12)
          .map((_, i) => asked(i))
          .join("\n"),
      }),
    run: () =>
      turning({
        "evals/gates.txt": turns
          .flatMap((turn, i) => (turn === "left" ? [asked(i)] : []))
          .join("\n"),
      }),
    code: 1,
    says: says("gates.txt"),
  },
  {
    attack: "brings a table with a number for each answer",
    control: () =>
      turning({
        "evals/gates.json": JSON.stringify(turns.slice(0, 12).map((_, i) => [asked(i), i % 2])),
      }),
    run: () =>
      turning({
        "evals/gates.json": JSON.stringify(
          turns
            .map((turn, i): readonly [string, number] => [
              asked(i),
              turn.length * turn.charCodeAt(0),
            ])
            .toReversed(),
        ),
      }),
    code: 1,
    says: says("gates.json"),
  },
  {
    attack: "hides the table in a recording of a new candidate",
    control: () => recording(turns.slice(0, 4)),
    run: () => recording(turns),
    code: 1,
    says: says("more.jsonl"),
  },
  {
    attack: "keeps the answers in the sizes of files",
    control: () => turning({ "evals/notes/0.txt": "x", "evals/notes/1.txt": "xx" }),
    run: () =>
      turning(
        Object.fromEntries(
          turns.map((turn, i) => [`evals/notes/${i}.txt`, "x".repeat(turn.charCodeAt(0))]),
        ),
      ),
    code: 1,
    says: "`the sizes of the files in evals/notes`, which this change brings, has the answers",
  },
];
