import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import {
  badApp,
  caseOf,
  cases,
  change,
  dropped,
  flakyApp,
  git,
  goodApp,
  modelProject,
  modelSuite,
  programDropped,
  programProject,
  programSuite,
  provide,
  readRun,
  rightWord,
  runApp,
  runNew,
  start,
  tokens,
} from "../support/dropped-projects.ts";
import { unauthorized } from "../support/provider/days.ts";
import { startProvider } from "../support/provider/server.ts";

/** Proven drops are run again before they block: through dist/, with a model on the loopback and programs in a git base. */

describe("a model's proven drop, run again on both sides", () => {
  it("that was a bad moment does not block, and the fresh figures say so", async () => {
    await using provider = await provide("once");
    await using fixture = await modelProject(provider);
    const end = await start(fixture, runNew);
    const run = await readRun(fixture);
    expect(run.gate.reasons.join("\n")).toContain("not confirmed");
    expect(end.code).toBe(0);
    expect(run.gate.rules[0]).toMatchObject({
      outcome: "met",
      code: "drop_not_confirmed",
      broke: dropped,
      confirmation: { outcome: "not_confirmed", cases: dropped, n: dropped, broke: 0, fixed: 0 },
    });
    expect(run.confirmation).toMatchObject({
      alpha: 0.2,
      joint_error: 0.01,
      rounds: [{ task: "words", candidate: "main", cases: dropped, samples: 2 * dropped }],
    });
    expect(end.stderr).toContain(`${dropped} cases that changed`);
    expect(end.stdout).toContain("proven, not confirmed");
    // The base's side was asked afresh, though its answers are in the cache.
    expect(provider.count()).toBe(2 * cases + 2 * dropped);
    const asked = provider.requests.slice(2 * cases).map(({ model }) => model);
    expect(asked.filter((model) => model === "old")).toHaveLength(dropped);
  });

  it(
    "that is real is confirmed and blocks, and compare gives the same bytes",
    { tags: "smoke" },
    async () => {
      await using provider = await provide("always");
      await using fixture = await modelProject(provider);
      const end = await start(fixture, runNew);
      expect(end.code).toBe(1);
      const run = await readRun(fixture);
      expect(run.gate.rules[0]).toMatchObject({
        code: "drop_proven",
        confirmation: { outcome: "confirmed", broke: dropped, fixed: 0 },
      });
      expect(run.gate.reasons[0]).toContain("; confirmed: of the 15 cases that changed");
      const again = await start(fixture, ["compare", "base", "out", "--json"]);
      expect(again.code).toBe(1);
      const { gate, confirmation } = JSON.parse(again.stdout) as Run;
      expect(JSON.stringify(gate)).toBe(JSON.stringify(run.gate));
      expect(confirmation).toEqual(run.confirmation);
      // Without the fresh samples it would be another verdict.
      await rm(fixture.getPath("out", "confirm"), { recursive: true });
      expect((await start(fixture, ["compare", "base", "out"])).code).toBe(2);
    },
  );

  it("asks the base with the prompt that it had, though the suite has another one now", async () => {
    await using provider = await provide("always");
    await using fixture = await modelProject(provider, { prompt: "Please say {{word}}" });
    expect((await start(fixture, runNew)).code).toBe(1);
    const fresh = provider.requests.slice(2 * cases);
    const prompts = (model: string): readonly string[] =>
      fresh.filter((each) => each.model === model).map(({ prompt }) => prompt.split("w")[0] ?? "");
    expect(new Set(prompts("old"))).toEqual(new Set(["Say "]));
    expect(new Set(prompts("new"))).toEqual(new Set(["Please say "]));
  });

  it("is told in the dry run, and within the budget: spent, the run stops; with more it goes on", async () => {
    await using provider = await provide("always");
    await using fixture = await modelProject(provider, { run: tokens(1_000_000) });
    const plan = await start(fixture, [...runNew.slice(0, 4), "--dry-run"]);
    expect(plan.stdout).toContain("run again before it blocks");
    expect(plan.stdout).toContain(`at most ${2 * cases} samples`);
    const whole = await start(fixture, [
      "run",
      "suite.yaml",
      "--baseline",
      "none",
      "--out",
      "x",
      "--no-cache",
    ]);
    expect(whole.code).toBe(0);
    const { usage } = await readRun(fixture, "x");
    const spent = usage.input_tokens + usage.output_tokens;
    const parts = { model: "new", run: tokens(spent + 60) };
    await writeFile(fixture.getPath("suite.yaml"), modelSuite(provider, parts));
    const end = await start(fixture, [...runNew, "--no-cache"]);
    const stopped = await readRun(fixture);
    expect(stopped).toMatchObject({ status: "failed", gate: { verdict: "error" } });
    expect(stopped.stopped).toContain("A drop was proven, and stopped while it was run again");
    expect(end.code).toBe(4);
    const asked = provider.count();
    const more = modelSuite(provider, { model: "new", run: tokens(1_000_000) });
    await writeFile(fixture.getPath("suite.yaml"), more);
    const resumed = await start(fixture, [...runNew, "--resume"]);
    expect(resumed.code).toBe(1);
    expect((await readRun(fixture)).gate.rules[0]?.confirmation?.outcome).toBe("confirmed");
    expect(provider.count() - asked).toBeLessThan(2 * dropped);
  });

  it("goes on where it was interrupted", { tags: "long" }, async () => {
    await using provider = await startProvider({
      latencyMs: 100,
      answer: (seen) =>
        seen.model === "new" && caseOf(seen) < dropped ? "wrong" : rightWord(seen),
    });
    const run = "{ concurrency: 2 }";
    await using fixture = await modelProject(provider, { run });
    const interrupted = await start(fixture, runNew, {
      meanwhile: async ({ kill }: { kill: (signal: NodeJS.Signals) => void }) => {
        // Of ten that were asked at most four are under way, two a side: some are kept.
        while (provider.count() < 2 * cases + 10) await new Promise((tell) => setTimeout(tell, 5));
        kill("SIGINT");
      },
    });
    expect(interrupted.code).toBe(130);
    expect((await readRun(fixture)).status).toBe("cancelled");
    const asked = provider.count();
    expect((await start(fixture, [...runNew, "--resume"])).code).toBe(1);
    expect((await readRun(fixture)).gate.rules[0]?.confirmation?.outcome).toBe("confirmed");
    expect(provider.count() - asked).toBeLessThanOrEqual(2 * dropped - 3);
  });

  it("is run again once for both policies, where the change alters its own", async () => {
    await using provider = await provide("once");
    await using fixture = await modelProject(provider, { gate: "{ max_drop: 0.03 }" });
    const changed = await readFile(fixture.getPath("suite.yaml"), "utf8");
    await writeFile(fixture.getPath(".gitignore"), "base/\nout/\n.regrade/\n");
    await writeFile(fixture.getPath("suite.yaml"), modelSuite(provider, { model: "old" }));
    git(fixture.path, "init", "--quiet", "--initial-branch=main");
    git(fixture.path, "add", "--all");
    git(fixture.path, "commit", "--quiet", "--message=base");
    await writeFile(fixture.getPath("suite.yaml"), changed);
    const end = await start(fixture, [...runNew, "--policy-from", "main"]);
    expect(end.code).toBe(0);
    const { policy } = await readRun(fixture);
    for (const result of [policy?.base, policy?.head])
      expect(result?.rules[0]).toMatchObject({ code: "drop_not_confirmed", broke: dropped });
    expect(policy?.head?.rules[0]?.limit).toBe(0.03);
    expect(provider.count()).toBe(2 * cases + 2 * dropped);
    const again = await start(fixture, ["compare", "base", "out", "--json"]);
    expect((JSON.parse(again.stdout) as Run).policy).toEqual(policy);
  });

  it("blocks where the base's model answers no more, and says what it said", async () => {
    await using provider = await startProvider({
      script: ({ model, index }) =>
        model === "old" && index >= 2 * cases ? unauthorized("sk-local") : undefined,
      answer: (seen) =>
        seen.model === "new" && caseOf(seen) < dropped ? "wrong" : rightWord(seen),
    });
    await using fixture = await modelProject(provider);
    expect((await start(fixture, runNew)).code).toBe(1);
    const run = await readRun(fixture);
    expect(run.confirmation?.rounds).toMatchObject([{ obstacle: "base_halted", samples: 0 }]);
    expect(run.gate.reasons.join("\n")).toContain("the proven drop was not run again");
  });

  it("blocks where nobody knows any more what the base was asked", async () => {
    await using provider = await provide("once");
    await using fixture = await modelProject(provider, { prompt: "Please say {{word}}" });
    await rm(fixture.getPath("base", "samples.jsonl"));
    expect((await start(fixture, runNew)).code).toBe(1);
    expect((await readRun(fixture)).confirmation?.rounds[0]?.obstacle).toBe("no_prompt");
    expect(provider.count()).toBe(2 * cases);
  });

  it("is not asked for with `confirm: never`", async () => {
    await using provider = await provide("once");
    await using fixture = await modelProject(provider, { gate: "{ confirm: never }" });
    expect((await start(fixture, runNew)).code).toBe(1);
    expect((await readRun(fixture)).confirmation).toBeUndefined();
    expect(provider.count()).toBe(2 * cases);
  });
});

describe("a program's proven drop, run again in a checkout of the base", () => {
  it("is confirmed against the base's own code, which its setup prepared, and blocks", async () => {
    await using fixture = await programProject(badApp);
    const end = await start(fixture, runApp);
    const run = await readRun(fixture);
    expect(run.gate.reasons.join("\n")).toContain("; confirmed:");
    expect(end.code).toBe(1);
    expect(run.confirmation?.rounds).toMatchObject([
      { outcome: "run", base_sha: git(fixture.path, "rev-parse", "main") },
    ]);
    expect(end.stderr).toContain("Preparing a checkout of the base");
    expect(end.leftovers).toEqual([]);
    const base = await readRun(fixture, join("out", "confirm", "1", "base"));
    expect(base).toMatchObject({
      status: "completed",
      cases: { scored: programDropped, failed: 0 },
    });
    expect(base.metrics[0]?.value).toBe(1);
  });

  it("of a flaky program does not block", async () => {
    await using fixture = await programProject(flakyApp);
    const end = await start(fixture, [...runApp, "--policy-from", "main"]);
    expect(end.code).toBe(0);
    expect((await readRun(fixture)).gate.rules[0]?.code).toBe("drop_not_confirmed");
  });

  it("blocks unconfirmed where nothing says how to prepare the checkout, and says that", async () => {
    const candidate = "{ worker: [python3, -S, app.py] }";
    await using fixture = await programProject(flakyApp, { candidate });
    const end = await start(fixture, runApp);
    expect(end.code).toBe(1);
    const run = await readRun(fixture);
    expect(run.confirmation?.rounds).toMatchObject([
      { outcome: "not_possible", obstacle: "no_setup", samples: 0 },
    ]);
    expect(run.gate.rules[0]?.confirmation?.outcome).toBe("not_run");
    expect(end.stdout).toContain("was not run again");
    expect(end.stdout).toContain("setup");
    const again = await start(fixture, ["compare", "base", "out", "--json"]);
    expect(JSON.stringify((JSON.parse(again.stdout) as Run).gate)).toBe(JSON.stringify(run.gate));
  });

  it("blocks where the setup fails, with its last words", async () => {
    const broken = "{ worker: [python3, -S, app.py], setup: [python3, -c, 'import nowhere'] }";
    await using fixture = await programProject(badApp, { candidate: broken });
    const end = await start(fixture, runApp);
    expect(end.code).toBe(1);
    const [round] = (await readRun(fixture)).confirmation?.rounds ?? [];
    expect(round?.obstacle).toBe("setup_failed");
    expect(round?.reason).toContain("No module named 'nowhere'");
  });

  it("runs without a setup with `confirm: always`, where none is needed", async () => {
    const candidate = `{ command: [sed, "s/.* //"] }`;
    const parts = { candidate, gate: "{ confirm: always }" };
    await using fixture = await programProject(goodApp, parts);
    const worse = `{ command: [sed, "s/.* w[0-8]$/wrong/; s/.* //"] }`;
    await change(fixture, { "evals/suite.yaml": programSuite({ ...parts, candidate: worse }) });
    expect((await start(fixture, runApp)).code).toBe(1);
    const run = await readRun(fixture);
    expect(run.gate.rules[0]?.confirmation?.outcome).toBe("confirmed");
    expect(run.confirmation?.rounds[0]?.samples).toBe(2 * programDropped);
  });
});
