import { readFile, writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { jsonLines, regrade, repository } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** Runs of one program that flickers, taken together as a baseline. */

/** Cases below `wrong.txt`'s number are answered wrong: a model that answers otherwise each time. */
const app = `import json, pathlib, re, sys
wrong = int(pathlib.Path("wrong.txt").read_text())
for line in sys.stdin:
    asked = json.loads(line)
    a, b = re.search(r"(\\d+)\\+(\\d+)", asked["prompt"]).groups()
    text = str(int(a) + int(b)) if int(a) >= wrong else "no"
    print(json.dumps({"id": asked["id"], "output_text": text}), flush=True)
`;

async function project() {
  const fixture = await createFixture({
    ...suiteFiles({
      cases: 40,
      candidates: "{ app: { worker: [python3, -S, app.py] } }",
      gate: "{ max_drop: 0.02 }",
    }),
    "evals/app.py": app,
    "evals/wrong.txt": "0",
  });
  const start = (...argv: readonly string[]) => regrade(argv, { in: fixture.path });
  const run = async (wrong: number, out: string, ...flags: readonly string[]) => {
    await writeFile(fixture.getPath("evals/wrong.txt"), String(wrong));
    const end = await start("run", "evals/qa.yaml", "--out", out, ...flags);
    return { end, run: await read(out) };
  };
  const read = async (out: string): Promise<Run> =>
    JSON.parse(await readFile(fixture.getPath(out, "run.json"), "utf8")) as Run;
  return { fixture, start, run, read, [Symbol.asyncDispose]: () => fixture.rm() };
}

describe("several runs as one baseline", () => {
  it(
    "count with the mean of each case, and compare gives the same again",
    { tags: "smoke" },
    async () => {
      await using at = await project();
      for (const [i, wrong] of [0, 8, 4].entries())
        await at.run(wrong, `base${i}`, "--baseline", "none", "--no-cache");
      const bases = ["base0", "base1", "base2"];
      const flags = bases.flatMap((base) => ["--baseline", base]);
      const { run } = await at.run(12, "out", "--no-cache", ...flags);
      // 40, 32 and 36 right of 40 are 36 in the mean.
      expect(run.gate.rules[0]).toMatchObject({
        baseline: 0.9,
        value: 0.7,
        test: "stratified_exact",
        broke: 12,
        fixed: 0,
        code: "drop_proven",
      });
      expect(run.baseline?.pool?.map(({ source }) => source)).toEqual(["base2", "base1", "base0"]);
      expect(run.baseline?.notes).toContain(
        "the baseline is 3 runs of the same input taken together: of each case the mean over them counts",
      );
      expect(run.baseline?.notes.join("; ")).toMatch(
        /6 earlier runs instead of 3 would bring the smallest drop of \S+ that is seen from [0-9.]+ points to [0-9.]+ points/,
      );
      const again = await at.start("compare", "base1", "base0", "base2", "out", "--json");
      expect(JSON.parse(again.stdout)).toEqual(run);
      const summary = await readFile(at.fixture.getPath("out/summary.md"), "utf8");
      expect(summary).toContain("regrade compare base2 base1 base0 out");
    },
  );

  it("are refused where they are not the same input, or the same run twice", async () => {
    await using at = await project();
    await at.run(0, "base0", "--baseline", "none");
    const asked = ["run", "evals/qa.yaml", "--out", "out", "--baseline", "base0"];
    const twice = await at.start(...asked, "--baseline", "base0");
    expect(twice.code).toBe(2);
    expect(twice.stderr).toContain("base0 and base0 are the same run");
    const rows = Array.from({ length: 3 }, (_, i) => ({ id: `d${i}`, q: `${i}+1`, a: "1" }));
    await writeFile(at.fixture.getPath("evals/data/qa.jsonl"), jsonLines(rows));
    await at.run(0, "base1", "--baseline", "none");
    const other = await at.start(...asked, "--baseline", "base1");
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("base0 and base1 are no repetitions of one run");
  });

  it("can't be named without a run to judge", async () => {
    const end = await regrade(["compare", "base"], { in: repository });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("missing required argument 'head'");
  });
});
