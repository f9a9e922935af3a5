import { readFile, writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { jsonLines, regrade } from "../support/cli.ts";

/** Which slice holds a loss: what the built program says in terminal, summary and run.json. */

interface Parts {
  readonly cases: number;
  /** The first so many cases are hard. */
  readonly hard: number;
  readonly wrong: (i: number) => boolean;
  readonly gate?: string;
  readonly hardName?: string;
  readonly candidate?: string;
}

function suiteOf({ cases, hard, wrong, gate, hardName = "hard", candidate }: Parts) {
  const rows = Array.from({ length: cases }, (_, i) => ({
    id: `c${i}`,
    q: `q${i}`,
    a: `${i}`,
    kind: i < hard ? hardName : "easy",
  }));
  const outputs = rows.map(({ id, a }, i) => ({ case_id: id, output_text: wrong(i) ? "no" : a }));
  const manifest = [
    "name: qa",
    "dataset: { file: data.jsonl, id_field: id }",
    'prompt_template: "{{q}}"',
    'target_template: "{{a}}"',
    "grader: exact_match",
    "slices: [kind]",
    `candidates: ${candidate ?? "{ app: { replay: outputs.jsonl } }"}`,
    `gate: ${gate ?? "{ max_drop: 0.02 }"}`,
    "",
  ].join("\n");
  return {
    "qa.yaml": manifest,
    "data.jsonl": jsonLines(rows),
    "outputs.jsonl": jsonLines(outputs),
  };
}

async function runTwice(
  base: Parts,
  head: Parts,
  files: (parts: Parts) => Record<string, string> = suiteOf,
) {
  const fixture = await createFixture(files(base));
  const start = (...argv: readonly string[]) =>
    regrade(["run", "qa.yaml", ...argv], { in: fixture.path });
  await start("--baseline", "none", "--out", "base");
  for (const [path, text] of Object.entries(files(head)))
    await writeFile(fixture.getPath(path), text);
  const end = await start("--baseline", "base", "--out", "out");
  const run = JSON.parse(await readFile(fixture.getPath("out/run.json"), "utf8")) as Run;
  const summary = await readFile(fixture.getPath("out/summary.md"), "utf8");
  const again = await regrade(["compare", "base", "out", "--json"], { in: fixture.path });
  const isSame = JSON.stringify(JSON.parse(again.stdout)) === JSON.stringify(run);
  const said = end.stdout.replaceAll(/\s+/g, " ");
  return { run, end, said, summary, isSame, [Symbol.asyncDispose]: () => fixture.rm() };
}

const right = (): boolean => false;

describe("a loss", () => {
  it("is told with the slice that holds it", { tags: "smoke" }, async () => {
    const base = { cases: 240, hard: 66, wrong: right };
    await using done = await runTwice(base, { ...base, wrong: (i) => i < 63 });
    const line = "where it broke: 63 of 63 broken cases are kind=hard (63 of its 66 cases";
    expect(done.end.code).toBe(1);
    for (const text of [done.said, done.summary])
      expect(text).toContain(`${line}), more than by chance`);
    expect(done.run.gate.reasons.join("\n")).toContain(`${line}; p < 0.001`);
    expect(done.run.gate.rules[0]?.located?.places).toMatchObject([
      { kind: "slice", name: "kind=hard", broke: 63, cases: 66, family: 2 },
    ]);
    expect(done.isSame).toBe(true);
  });

  it("that the total hides is one line, without another that says that nothing was found", async () => {
    const base: Parts = { cases: 40, hard: 4, wrong: (i) => i > 37 };
    await using done = await runTwice(base, { ...base, wrong: (i) => i < 4 });
    const { run, said, summary } = done;
    expect(done.end.code, said).toBe(0);
    for (const text of [said, summary]) {
      expect(text).toContain("4 of 4 broken cases are kind=hard (all of its 4 cases;");
      expect(text).toContain("the total hides it");
      expect(text.match(/where it broke/g)).toHaveLength(1);
      // A recording answers the same each time.
      for (const wrong of ["no regression detected", "repeats: 5", "seen, not proven; 40"])
        expect(text).not.toContain(wrong);
    }
    expect(run.gate.rules[0]).toMatchObject({ outcome: "met", steady: true });
    expect(done.isSame).toBe(true);
  });

  it("in a slice with a hostile value marks up nothing", async () => {
    const hardName =
      "<img src=x onerror=alert(1)>|\n# **Gate passed** ](http://evil.example) @ann `x`";
    const base: Parts = { cases: 240, hard: 66, wrong: right, hardName };
    await using done = await runTwice(base, { ...base, wrong: (i) => i < 63 });
    expect(done.summary).toContain("where it broke");
    for (const raw of ["<img", "\n# **Gate", "](http://evil", "\u001b"])
      expect(done.summary).not.toContain(raw);
    expect(done.summary).not.toMatch(/(^|[^\\])\*\*Gate passed/);
    expect(done.end.stdout).not.toContain("\n# **Gate");
  });
});

const noted = `def grade(sample, item):
    if sample["extracted_output"] == item["a"]:
        return {"scores": {"right": 1.0}, "judge": {"note": "fine"}}
    note = "the unit of '%s' is missing" % item["a"] if int(item["a"]) < 30 else "got %s" % item["a"]
    return {"scores": {"right": 0.0}, "judge": {"note": note}}
`;

const later = (i: number): boolean => i < 25 || i > 110;

async function graded(publish: string) {
  const parts: Parts = { cases: 120, hard: 1, wrong: (i) => i > 110 };
  const files = (one: Parts): Record<string, string> => {
    const all = suiteOf(one);
    const manifest = all["qa.yaml"]
      .replace("exact_match", "{ type: python, metric_id: right, file: g.py }")
      .concat(`publish: { content: ${publish} }\nmetrics: [{ id: right, range: [0, 1] }]\n`);
    return { ...all, "qa.yaml": manifest, "g.py": noted };
  };
  return runTwice(parts, { ...parts, wrong: later }, files);
}

describe("a message of the grader that broken cases share", () => {
  it("is told, but for what differs from case to case", async () => {
    await using done = await graded("failures");
    const { run, said, summary } = done;
    expect(done.end.code).toBe(1);
    for (const text of [said, summary]) {
      expect(text).toMatch(/\b25\b.{1,7}the unit of \S{1,3} is missing/);
      expect(text).not.toContain("Look at the set-up");
    }
    expect(run.diagnoses).toMatchObject([{ symptom: "loss_message" }]);
    expect(done.isSame).toBe(true);
  });

  it("is held back where no texts of cases may be shown", async () => {
    await using done = await graded("ids");
    for (const text of [done.said, done.summary]) {
      expect(text).toContain("the grader says the same of 25 of 25 broken cases");
      expect(text).not.toContain("is missing");
    }
  });
});

const answer = (odd: string): string =>
  `{ app: { command: [python3, -S, -c, "import sys; q = sys.stdin.read().strip()[1:]; print('no' if q in ${odd} else q)"] } }`;

describe("a command whose repeats all score alike", { tags: "long" }, () => {
  it("is not told to repeat", async () => {
    const repeats = "{ max_drop: 0.02 }\nrepeats: 2";
    const base: Parts = { cases: 20, hard: 1, wrong: right, gate: repeats };
    await using done = await runTwice(
      { ...base, candidate: answer("[]") },
      { ...base, candidate: answer("['7']") },
    );
    expect(done.end.code, done.end.stderr).toBe(0);
    expect(done.run.gate.rules[0]).toMatchObject({ code: "drop_not_proven", steady: true });
    for (const text of [done.said, done.summary]) expect(text).not.toContain("repeats: 5");
  });
});
