import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/model/json.ts";
import { good } from "../support/provider/days.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";
import { expectRefusal, jsonLines, readRunDirectory, regrade } from "../support/cli.ts";

/** Another model, judge or setting for this run, without a change of the manifest. */

function files({ url }: Provider, parts: Readonly<Record<string, string>>): Record<string, string> {
  const keys = {
    name: "words",
    dataset: "words.jsonl",
    prompt_template: '"Say {{word}}"',
    target_template: '"{{word}}"',
    grader: "exact_match",
    providers: `{ local: { base_url: "${url}" } }`,
    gate: "{ rules: [{ metric: exact_match, min: 0.5 }] }",
    ...parts,
  };
  const text = Object.entries(keys).map(([key, value]) => `${key}: ${value}\n`);
  const rows = Array.from({ length: 12 }, (_, i) => ({ id: `c${i}`, word: `w${i}` }));
  return { "suite.yaml": text.join(""), "words.jsonl": jsonLines(rows) };
}

const start = (fixture: FsFixture, line: string) => regrade(line.split(" "), { in: fixture.path });

function bodies({ requests }: Provider): readonly JsonObject[] {
  return requests.flatMap(({ body }) => (isJsonObject(body) ? [body] : []));
}

describe("a suite that names no candidate", () => {
  it(
    "is valid, says what it lacks where it is run, and runs with --model, of one and of several",
    { tags: "smoke" },
    async () => {
      await using provider = await startProvider();
      await using fixture = await createFixture(files(provider, {}));
      const valid = await start(fixture, "validate --strict suite.yaml");
      expect([valid.code, valid.stderr]).toEqual([0, ""]);
      expect(valid.stdout).toContain("no candidate: name one by --model");
      const none = await start(fixture, "run suite.yaml");
      expectRefusal(none, 2);
      expect(none.stderr).toContain("--model openai:");
      const one = await start(fixture, "run suite.yaml --model local:a --out one");
      expect(one.code, one.stderr).toBe(0);
      const both = "run suite.yaml --model local:a --model local:b --out";
      const two = await start(fixture, `${both} both`);
      expect(two.code, two.stderr).toBe(0);
      const { run } = await readRunDirectory(fixture.getPath("both"));
      expect(run.candidates.map(({ id }) => id)).toEqual(["local:a", "local:b"]);
      expect(run.overrides).toEqual({ models: ["local:a", "local:b"] });
      const merged = await start(fixture, `${both} s1 --shard 1/2`);
      expect(merged.code, merged.stderr).toBe(0);
      await start(fixture, `${both} s2 --shard 2/2`);
      const whole = await start(fixture, "merge s1 s2 --out whole");
      expect(whole.code, whole.stderr).toBe(0);
    },
  );
});

describe("regrade run --model", () => {
  it("keeps the only slot's name and settings, which rules may name, and pairs with the run of before", async () => {
    await using provider = await startProvider();
    const candidates = "{ main: { model: local:a, temperature: 0.3, max_gen_toks: 9 } }";
    const gate = "{ rules: [{ metric: exact_match, candidate: main, max_drop: 0.02 }] }";
    await using fixture = await createFixture(files(provider, { candidates, gate }));
    await start(fixture, "run suite.yaml --out base");
    const end = await start(
      fixture,
      'run suite.yaml --out head --baseline base --model local:b --generation max_output_tokens=7 --generation stop=["x","y"] --generation reasoning.effort=low',
    );
    expect(end.code, end.stderr).toBe(0);
    const { run } = await readRunDirectory(fixture.getPath("head"));
    expect(run.cases.paired).toBe(12);
    expect(run.candidates).toEqual([{ id: "main", kind: "model", model: "local:b" }]);
    expect(run.generation["main"]).toMatchObject({
      temperature: 0.3,
      max_output_tokens: 7,
      stop: ["x", "y"],
      reasoning: { effort: "low" },
    });
    expect(bodies(provider).at(-1)).toMatchObject({ model: "b", temperature: 0.3 });
  });

  it("says of a wrong value which flag it came by", async () => {
    await using provider = await startProvider();
    await using fixture = await createFixture(files(provider, { candidates: "{ main: local:a }" }));
    const end = await start(
      fixture,
      "run suite.yaml --model lokal:b --judge-model judge --generation temprature=1 --generation top_p=high",
    );
    expectRefusal(end, 2);
    expect(end.stderr).toContain(
      "suite.yaml: --generation temprature: there is no key `temprature` here",
    );
    expect(end.stderr).toContain("suite.yaml: --generation top_p: ");
    const models = await start(fixture, "run suite.yaml --model lokal:b");
    expectRefusal(models, 2);
    expect(models.stderr).toMatch(/--model: .*lokal/);
  });
});

describe("regrade run --judge-model", () => {
  it("asks this judge, and goes on with an interrupted run of the same judge alone", async () => {
    await using provider = await startProvider({
      script: ({ model }) =>
        model.startsWith("judge") ? good('{"reasons": "r", "verdict": "correct"}') : undefined,
    });
    const grader = "{ type: judge, rubric: fine }";
    const parts = { grader, candidates: "{ main: local:a }", gate: "none" };
    await using fixture = await createFixture(files(provider, parts));
    const end = await start(fixture, "run suite.yaml --judge-model local:judge2 --out out");
    expect(end.code, end.stderr).toBe(0);
    expect(new Set(provider.requests.map(({ model }) => model))).toEqual(new Set(["a", "judge2"]));
    const { run } = await readRunDirectory(fixture.getPath("out"));
    expect(run.judge_model).toBe("local:judge2");
  });
});

describe("run.concurrency", () => {
  it("is of the run: several candidates share it, by the manifest and by --concurrency", async () => {
    await using provider = await startProvider({ latencyMs: 20 });
    const parts = { models: "[local:a, local:b, local:c]", run: "{ concurrency: 4 }" };
    await using fixture = await createFixture(files(provider, parts));
    const end = await start(fixture, "run suite.yaml --out four");
    expect([end.code, provider.peak()], end.stderr).toEqual([0, 4]);
    await using slower = await startProvider({ latencyMs: 20 });
    await using other = await createFixture(files(slower, parts));
    await start(other, "run suite.yaml --out two --concurrency 2");
    expect(slower.peak()).toBe(2);
    const many = await start(other, "run suite.yaml --concurrency 26");
    expect([many.code, many.stderr]).toEqual([2, expect.stringContaining("from 1 to 25")]);
  });
});
