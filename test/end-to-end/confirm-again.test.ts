import { readFile, writeFile } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { readRunDirectory } from "../support/cli.ts";
import {
  badApp,
  caseOf,
  cases,
  dropped,
  modelProject,
  programProject,
  provide,
  readRun,
  rightWord,
  rowsOf,
  runApp,
  runNew,
  start,
} from "../support/dropped-projects.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";

/** A confirmation that an earlier attempt at the run has begun or finished, and one that can't be made. */

/** The case that the new model has no answer to at first, and is wrong about later, or right. */
const late = 40;

/** Its answers are slow enough to be interrupted. */
function lateProvider(isDown: () => boolean, isWrong: boolean): Promise<Provider> {
  return startProvider({
    latencyMs: 20,
    script: (seen) =>
      seen.model === "new" && caseOf(seen) === late && isDown()
        ? { kind: "status", status: 500 }
        : undefined,
    answer: (seen) => {
      if (seen.model.startsWith("old")) return rightWord(seen);
      const isLate = seen.model === "new" && caseOf(seen) === late;
      return caseOf(seen) < dropped || (isLate && isWrong) ? "wrong" : rightWord(seen);
    },
  });
}

/** Two candidates: two rounds, one after the other. */
function twoModels({ url }: Provider, names: readonly [string, string]): string {
  const candidates = names.map((name, i) => `c${i + 1}: { model: "local:${name}" }`).join(", ");
  return [
    "name: words",
    "dataset: words.jsonl",
    'prompt_template: "Say {{word}}"',
    'target_template: "{{word}}"',
    "grader: exact_match",
    `providers: { local: { base_url: "${url}", api_key_env: LOCAL_KEY } }`,
    `candidates: { ${candidates} }`,
    "run: { concurrency: 4, generation: { max_retries: 0, max_output_tokens: 10 } }",
    "",
  ].join("\n");
}

async function projectOfTwo(provider: Provider): Promise<FsFixture> {
  const fixture = await createFixture({
    "words.jsonl": rowsOf(cases),
    "suite.yaml": twoModels(provider, ["old", "old2"]),
  });
  const end = await start(fixture, ["run", "suite.yaml", "--baseline", "none", "--out", "base"]);
  if (end.code !== 0) throw new Error(end.stderr + end.stdout);
  await writeFile(fixture.getPath("suite.yaml"), twoModels(provider, ["new", "new2"]));
  return fixture;
}

/** What the samples of several run directories were paid for. */
async function inputTokens(fixture: FsFixture, outs: readonly string[]): Promise<number> {
  let sum = 0;
  for (const out of outs)
    for (const { usage } of (await readRunDirectory(fixture.getPath(out))).samples)
      sum += usage?.input_tokens ?? 0;
  return sum;
}

const sidesOf = (...rounds: readonly number[]): readonly string[] =>
  rounds.flatMap((n) => [`out/confirm/${n}/head`, `out/confirm/${n}/base`]);

describe("a resumed run whose changed cases are others than at first", () => {
  it(
    "is not decided by the finished round about the first ones, which was paid for all the same",
    { tags: "long" },
    async () => {
      let isDown = true;
      await using provider = await lateProvider(() => isDown, true);
      await using fixture = await projectOfTwo(provider);
      const inSecondRound = 4 * cases + 2 * dropped + 6;
      const interrupted = await start(fixture, runNew, {
        meanwhile: async ({ kill }: { kill: (signal: NodeJS.Signals) => void }) => {
          while (provider.count() < inSecondRound) await new Promise((tell) => setTimeout(tell, 5));
          kill("SIGINT");
        },
      });
      expect(interrupted.code, interrupted.stderr).toBe(130);
      isDown = false;
      const end = await start(fixture, [...runNew, "--resume"]);
      expect(end.code, end.stderr).toBe(1);
      const run = await readRun(fixture);
      expect(run.confirmation?.rounds).toMatchObject([
        { candidate: "c1", cases: dropped + 1, directory: "confirm/3" },
        { candidate: "c2", cases: dropped, directory: "confirm/2" },
      ]);
      expect(run.gate.rules.map(({ confirmation }) => confirmation)).toMatchObject([
        { outcome: "confirmed", cases: dropped + 1, n: dropped + 1 },
        { outcome: "confirmed", cases: dropped, n: dropped },
      ]);
      expect(run.usage.input_tokens).toBe(await inputTokens(fixture, ["out", ...sidesOf(1, 2, 3)]));
      const again = await start(fixture, ["compare", "base", "out", "--json"]);
      expect(JSON.stringify((JSON.parse(again.stdout) as Run).gate)).toBe(JSON.stringify(run.gate));
    },
  );
});

describe("rerun-failed after a run whose drop was confirmed", () => {
  it(
    "confirms afresh where other cases changed, and keeps what was there",
    { tags: "long" },
    async () => {
      let isDown = true;
      await using provider = await lateProvider(() => isDown, true);
      await using fixture = await projectOfTwo(provider);
      expect((await start(fixture, runNew)).code).toBe(1);
      const first = await readRun(fixture);
      expect(first.confirmation?.rounds).toMatchObject([{ cases: dropped }, { cases: dropped }]);
      const before = await readFile(fixture.getPath("out/confirm/1/head/samples.jsonl"), "utf8");
      isDown = false;
      const asked = provider.count();
      const end = await start(fixture, ["rerun-failed", "out"]);
      expect(end.code, end.stderr).toBe(1);
      const run = await readRun(fixture);
      expect(run).toMatchObject({ id: first.id, status: "completed", reruns: [{ samples: 1 }] });
      expect(run.confirmation?.rounds).toMatchObject([
        { candidate: "c1", cases: dropped + 1, directory: "confirm/3" },
        { candidate: "c2", cases: dropped, directory: "confirm/2" },
      ]);
      expect(run.gate.rules[0]?.confirmation).toMatchObject({ n: dropped + 1, broke: dropped + 1 });
      // The failed one, and both sides of the round about other cases.
      expect(provider.count() - asked).toBe(1 + 2 * (dropped + 1));
      expect(await readFile(fixture.getPath("out/confirm/1/head/samples.jsonl"), "utf8")).toBe(
        before,
      );
      expect(run.usage.input_tokens).toBe(await inputTokens(fixture, ["out", ...sidesOf(1, 2, 3)]));
      const again = await start(fixture, ["compare", "base", "out", "--json"]);
      expect(JSON.stringify((JSON.parse(again.stdout) as Run).gate)).toBe(JSON.stringify(run.gate));
    },
  );

  it(
    "is decided by the same fresh answers where the same cases changed: there is no second throw",
    { tags: "long" },
    async () => {
      let isDown = true;
      await using provider = await lateProvider(() => isDown, false);
      await using fixture = await projectOfTwo(provider);
      expect((await start(fixture, runNew)).code).toBe(1);
      isDown = false;
      const asked = provider.count();
      const end = await start(fixture, ["rerun-failed", "out"]);
      expect(end.code, end.stderr).toBe(1);
      expect(provider.count() - asked).toBe(1);
      const run = await readRun(fixture);
      expect(run.confirmation?.rounds).toMatchObject([
        { outcome: "run", directory: "confirm/1" },
        { outcome: "run", directory: "confirm/2" },
      ]);
      expect(run.gate.rules[0]?.confirmation).toMatchObject({ outcome: "confirmed", n: dropped });
      expect(run.usage.input_tokens).toBe(await inputTokens(fixture, ["out", ...sidesOf(1, 2)]));
    },
  );
});

describe("rerun-failed after a confirmation that lacks a grade", () => {
  it("asks both sides of it anew", async () => {
    let isDown = true;
    await using provider = await startProvider({
      script: (seen) => {
        const isFresh = seen.index >= 4 * cases && caseOf(seen) === 5;
        const isHit = seen.model === "new" && (isFresh || caseOf(seen) === late);
        return isHit && isDown ? { kind: "status", status: 500 } : undefined;
      },
      answer: (seen) =>
        seen.model.startsWith("new") && caseOf(seen) < dropped ? "wrong" : rightWord(seen),
    });
    await using fixture = await projectOfTwo(provider);
    expect((await start(fixture, runNew)).code).toBe(1);
    const first = await readRun(fixture);
    expect(first.gate.rules[0]?.confirmation).toMatchObject({ cases: dropped, n: dropped - 1 });
    isDown = false;
    const asked = provider.count();
    const end = await start(fixture, ["rerun-failed", "out"]);
    expect(end.code, end.stderr).toBe(1);
    expect(provider.count() - asked).toBe(1 + 2 * dropped);
    const run = await readRun(fixture);
    expect(run.gate.rules[0]?.confirmation).toMatchObject({ cases: dropped, n: dropped });
    expect(run.confirmation?.rounds.map(({ directory }) => directory)).toEqual([
      "confirm/3",
      "confirm/2",
    ]);
  });
});

describe("a confirmation that can't be made", () => {
  it("as the base's candidate fails in every case here does not clear the change", async () => {
    // `always`: without a setup, though the app needs what it makes.
    const parts = { candidate: "{ worker: [python3, -S, app.py] }", gate: "{ confirm: always }" };
    await using fixture = await programProject(badApp, parts);
    const end = await start(fixture, runApp);
    expect(end.code, end.stderr).toBe(1);
    const run = await readRun(fixture);
    expect(run.confirmation?.rounds).toMatchObject([
      { outcome: "not_possible", obstacle: "base_refused", directory: null, samples: 0 },
    ]);
    expect(run.confirmation?.rounds[0]?.reason).toContain("failed in every case");
    expect(run.gate.rules[0]).toMatchObject({
      code: "drop_proven",
      confirmation: { outcome: "not_run" },
    });
  });

  it("as a merge asks nobody says so, and the drop blocks", async () => {
    await using provider = await provide("once");
    await using fixture = await modelProject(provider);
    const shards = ["s1", "s2"];
    for (const [i, out] of shards.entries()) {
      const argv = ["run", "suite.yaml", "--shard", `${i + 1}/2`, "--out", out];
      expect((await start(fixture, argv)).code).toBe(0);
    }
    const asked = provider.count();
    const argv = ["merge", ...shards, "--out", "out", "--baseline", "base"];
    const end = await start(fixture, argv);
    expect(end.code, end.stderr).toBe(1);
    const run = await readRun(fixture);
    expect(run.confirmation?.rounds).toMatchObject([
      { cases: dropped, outcome: "not_possible", obstacle: "head_recorded", samples: 0 },
    ]);
    expect(run.gate.reasons.join("\n")).toContain(
      "its answers are those of the shards, and a merge asks nobody",
    );
    expect(run.gate.rules[0]?.confirmation?.outcome).toBe("not_run");
    expect(provider.count()).toBe(asked);
  });
});
