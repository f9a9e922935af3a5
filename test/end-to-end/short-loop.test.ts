import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { expectRefusal, readRunDirectory, regrade, type CliEnd } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** Break, look, mend, run what broke again: the loop that takes seconds. */

const gate = "{ rules: [{ metric: exact_match, max_drop: 0.02 }] }";
const answering = (answer: (i: number) => string | undefined): Record<string, string> =>
  suiteFiles({ cases: 40, answer, gate, row: (i) => ({ kind: i % 2 === 0 ? "even" : "odd" }) });

const start = (fixture: FsFixture, argv: readonly string[]): Promise<CliEnd> =>
  regrade(argv, { in: fixture.path });

describe("regrade run --case", () => {
  it(
    "runs the named cases alone, tells that the rest is not selected, and is no baseline",
    { tags: "smoke" },
    async () => {
      await using fixture = await createFixture(answering(() => undefined));
      const run = ["run", "evals/qa.yaml", "--out"];
      await start(fixture, [...run, "base"]);
      const some = [...run, "some", "--case", "c7", "--case", "c1?", "--baseline", "base"];
      const end = await start(fixture, some);
      expect(end.stdout, end.stderr).toContain("selected  11 of 40 cases of qa");
      const { run: made, samples } = await readRunDirectory(fixture.getPath("some"));
      expect(samples).toHaveLength(11);
      expect(made.cases).toMatchObject({ declared: 11, paired: 11, missing: 0 });
      expect(made.suite.not_selected.cases).toEqual([
        { task: "qa", selected: 11, of: 40, up_to: 1, only: ["c7", "c1?"] },
      ]);
      const base = await readRunDirectory(fixture.getPath("base"));
      expect(made.input_hash).not.toBe(base.run.input_hash);
      const against = await start(fixture, [...run, "again", "--baseline", "some"]);
      expectRefusal(against, 2);
      expect(against.stderr).toContain("only some of its cases were run");
      const typo = await start(fixture, [...run, "typo", "--case", "c77"]);
      expectRefusal(typo, 2);
      expect(typo.stderr).toContain("--case c77 matches no case of the suite");
      const both = await start(fixture, [...run, "x", "--case", "c7", "--max-samples", "3"]);
      expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("--max-samples")]);
    },
  );
});
