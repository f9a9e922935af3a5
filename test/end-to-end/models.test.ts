import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { good, unauthorized, type Day } from "../support/provider/days.ts";
import { startProvider, type Provider, type Seen } from "../support/provider/server.ts";
import { readRunDirectory, runCli, type CliEnd, type LeftBehind } from "./run-cli.ts";

const key = "sk-graders-must-not-see-this";

interface Parts {
  readonly grader: string;
  readonly cases?: number;
  readonly graderKeys?: string;
  readonly run?: string;
  readonly metric?: string;
}

const judgeCode = `
import json

def grade(sample, item, ctx):
    response = ctx.responses_create(
        model="auto",
        input="Is " + sample["output_text"] + " the same as " + item["target"] + "?",
        text={"format": {"type": "json_object"}},
        metadata={"case": sample["sample_id"]},
    )
    verdict = json.loads(response["output_text"])["verdict"]
    return {"scores": {"judge_score": 1.0 if verdict == "correct" else 0.0}, "judge": {"verdict": verdict}}
`;

/** The candidate says the prompt's last word; the judge is a model of the same provider. */
function suite({ url }: Provider, parts: Parts): Record<string, string> {
  const { cases = 12, graderKeys = "", metric = "judge_score" } = parts;
  const { run = "judge_model: local:judge, embedding_model: local:embed" } = parts;
  const rows = Array.from({ length: cases }, (_, i) => `{"id": "c${i}", "word": "w${i}"}\n`);
  const prices =
    "prices: { judge: { input: 0, output: 1000000 }, embed: { input: 1000000, output: 0 }, m: { input: 0, output: 0 } }";
  return {
    "words.jsonl": rows.join(""),
    "grader.py": parts.grader,
    "suite.yaml": [
      "name: words",
      "dataset: words.jsonl",
      'prompt_template: "Say {{word}}"',
      'target_template: "{{word}}"',
      `grader: { type: python, contract: model_backed, file: grader.py${graderKeys} }`,
      `metrics: [{ id: ${metric}, range: [0, 1] }]`,
      `providers: { local: { base_url: "${url}", api: responses, api_key_env: LOCAL_KEY, ${prices} } }`,
      "candidates: { main: local:m }",
      `run: { ${run} }`,
      `gate: { rules: [{ metric: ${metric}, min: 0.5 }] }`,
      "",
    ].join("\n"),
  };
}

interface Finished extends LeftBehind {
  readonly end: CliEnd;
}

async function finish(
  files: Record<string, string>,
  more: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Finished> {
  await using fixture = await createFixture(files);
  const args = ["run", "suite.yaml", "--out", "out", ...(more.args ?? [])];
  const env = more.env ?? { LOCAL_KEY: key };
  const end = await runCli(args, { directory: fixture.path, env });
  if (!existsSync(join(fixture.path, "out", "run.json"))) throw new Error(end.stderr);
  return { end, ...(await readRunDirectory(join(fixture.path, "out"))) };
}

const verdict = (seen: Seen): Day | undefined =>
  seen.model === "judge"
    ? good('{"verdict": "correct", "rationale": "the same"}', { outputTokens: 2 })
    : undefined;

const slow = (seen: Seen): Day | undefined =>
  seen.model === "judge"
    ? { kind: "answer", text: '{"verdict": "correct"}', delayMs: 400 }
    : good(seen.prompt.split(" ").at(-1) ?? "");

/** Of one case the judge never hears. */
const down = (seen: Seen): Day | undefined =>
  seen.model === "judge" && seen.prompt.includes("w3 ")
    ? { kind: "status", status: 500, headers: { "retry-after-ms": "1" }, body: "down" }
    : verdict(seen);

const askedOf = (server: Provider, model: string): number =>
  server.requests.filter((each) => each.model === model).length;

describe("a grader that asks a judge", () => {
  it(
    "is answered once a sample, and what it asked and what it cost is kept apart",
    { tags: "smoke" },
    async () => {
      await using server = await startProvider({ script: verdict });
      const { end, run, samples } = await finish(suite(server, { grader: judgeCode }));
      expect([end.code, end.stderr]).toEqual([0, expect.stringContaining("at most 768 calls")]);
      expect([askedOf(server, "m"), askedOf(server, "judge")]).toEqual([12, 12]);
      expect(run).toMatchObject({
        judge_model: "local:judge",
        embedding_model: "local:embed",
        usage: { usd: 0, judge_usd: 24, judge_output_tokens: 24 },
      });
      expect(end.stdout + end.stderr).toContain("$24.00 of it for judges");
      for (const sample of samples) {
        expect(sample).toMatchObject({
          scores: { judge_score: 1 },
          model_calls: [
            {
              helper: "responses_create",
              model: "local:judge",
              request: { metadata: { case: sample.id } },
              response_id: expect.stringMatching(/^resp_/),
              output_text: '{"verdict": "correct", "rationale": "the same"}',
              error: null,
              usage: { output_tokens: 2, usd: 2 },
            },
          ],
        });
      }
      const sent = server.requests.find((each) => each.model === "judge");
      expect(sent?.body).toMatchObject({ stream: false, store: true, background: false });
    },
  );

  it("runs as many at once as the concurrency allows", async () => {
    await using server = await startProvider({ script: slow });
    const { run } = await finish(suite(server, { grader: judgeCode, cases: 40 }));
    expect(server.peak()).toBeGreaterThanOrEqual(15);
    expect(run.cases.scored).toBe(40);
  });

  it("has no key, wherever it looks", async () => {
    await using server = await startProvider({ script: verdict });
    const grader = `
import os, sys, gc

def grade(sample, item, ctx):
    answer = ctx.responses_create(input="x")
    print(dict(os.environ), sys.argv)
    found = [o for o in gc.get_objects() if isinstance(o, (str, dict)) and "sk-graders" in str(o)[:100000]]
    for name in ("environ", "cmdline"):
        try:
            with open("/proc/self/" + name, "rb") as file:
                print(file.read())
        except OSError:
            pass
    return 1.0 if not found and "authorization" not in str(answer).lower() else 0.0
`;
    const parts = { grader, cases: 2, metric: "score" };
    const { run, samples, text } = await finish(suite(server, parts));
    expect(run.cases.scored).toBe(2);
    expect(samples.map(({ scores }) => scores)).toEqual([{ score: 1 }, { score: 1 }]);
    expect(samples[0]?.printed).not.toContain("LOCAL_KEY");
    expect(text).not.toContain(key);
  });

  it("that asks what it may not is told so, and nothing is sent", async () => {
    await using server = await startProvider({ script: verdict });
    const grader = `
def grade(sample, item, ctx):
    said = []
    for request in (
        {"input": "x", "tools": [{"type": "web_search"}]},
        {"input": "x", "model": "local:" + "other"},
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "https://evil.example/"}]}]},
        {"input": "x", "temprature": 0},
    ):
        try:
            ctx.responses_create(**request)
        except Exception as error:
            said.append(str(error))
    return {"scores": {"score": 1.0}, "judge": {"said": said}}
`;
    const { samples } = await finish(suite(server, { grader, cases: 1, metric: "score" }));
    expect(samples[0]?.judge).toEqual({
      said: [
        expect.stringContaining("allow_tools: true"),
        expect.stringContaining("allow_models"),
        expect.stringContaining("allow_urls: true"),
        expect.stringContaining("did you mean 'temperature'?"),
      ],
    });
    expect(askedOf(server, "judge") + askedOf(server, "other")).toBe(0);
    expect(samples[0]?.model_calls?.map((each) => each.error)).toHaveLength(4);
  });

  it("that names a model in its code is given it, as the document says", async () => {
    await using server = await startProvider({ script: verdict });
    const grader = `
OTHER = "local:other"

def grade(sample, item, ctx):
    said = [ctx.responses_create(model=name, input="x")["model"] for name in (OTHER, "auto")]
    said.append(ctx.responses_create(**{"model": "local:third", "input": "x"})["model"])
    return {"scores": {"score": 1.0}, "judge": {"said": said}}
`;
    const { samples } = await finish(suite(server, { grader, cases: 1, metric: "score" }));
    expect(samples[0]?.judge).toEqual({ said: ["other", "judge", "third"] });
    expect([askedOf(server, "other"), askedOf(server, "third")]).toEqual([1, 1]);
  });

  it("that dies with its host is not paid for twice", async () => {
    await using server = await startProvider({ script: verdict });
    const grader = `
import json, os, pathlib

FLAG = pathlib.Path(__file__).with_name("killed")

def grade(sample, item, ctx):
    scores = []
    for question in ("first", "second"):
        text = ctx.responses_create(input=question + " " + sample["sample_id"])["output_text"]
        scores.append(1.0 if json.loads(text)["verdict"] == "correct" else 0.0)
        if question == "first" and not FLAG.exists():
            FLAG.write_text("x")
            os.kill(os.getppid(), 9)
    return sum(scores) / 2
`;
    const parts = { grader, metric: "score" };
    const found = await finish(suite(server, parts), { args: ["--sandbox", "off"] });
    expect(Object.values(found.outcomes)).toEqual(Array.from({ length: 12 }, () => "scored"));
    const prompts = server.requests.flatMap((each) => (each.model === "judge" ? each.prompt : []));
    expect([prompts.length, new Set(prompts).size]).toEqual([24, 24]);
    expect(found.run.usage.judge_usd).toBe(48);
  });
});

describe("a judge that can't be asked", () => {
  it("leaves its samples ungraded, whatever the grader makes of it", async () => {
    await using server = await startProvider({ script: down });
    const grader = judgeCode.replace(
      "    response = ",
      "    return score(sample, item, ctx)\n\ndef score(sample, item, ctx):\n    response = ",
    );
    const catching = `${grader}\nplain = grade\ndef grade(sample, item, ctx):\n    try:\n        return plain(sample, item, ctx)\n    except Exception:\n        return {"scores": {"judge_score": 1.0}}\n`;
    const { run, samples, outcomes } = await finish(suite(server, { grader: catching }));
    expect(run.cases).toMatchObject({ scored: 11, ungraded: 1 });
    expect(outcomes["c3"]).toBe("ungraded server_error");
    const sample = samples.find(({ case_id }) => case_id === "c3");
    expect(sample?.error).toMatchObject({ stage: "grade", fault: "infra" });
    expect(sample?.model_calls).toMatchObject([{ output_text: null, response_id: null }]);
  });

  it("for its key stops the run, once", async () => {
    const wrong = (seen: Seen): Day | undefined =>
      seen.model === "judge" ? unauthorized(key) : undefined;
    await using server = await startProvider({ script: wrong });
    const { end, run, text } = await finish(suite(server, { grader: judgeCode, cases: 60 }));
    expect([end.code, run.status]).toEqual([4, "failed"]);
    expect(run.stopped).toContain(
      "local:judge, which a grader asks: local does not accept the key",
    );
    expect(askedOf(server, "judge")).toBeLessThan(60);
    expect(text + end.stdout + end.stderr).not.toContain(key);
  });

  it("as its key is missing is told before the first sample", async () => {
    await using server = await startProvider({ script: verdict });
    const files = suite(server, { grader: judgeCode });
    const yaml = files["suite.yaml"] ?? "";
    const other = yaml
      .replace(
        "providers: { ",
        `providers: { judges: { base_url: "${server.url}", api_key_env: JUDGE_KEY }, `,
      )
      .replace("judge_model: local:judge", "judge_model: judges:judge");
    await using fixture = await createFixture({ ...files, "suite.yaml": other });
    const env = { LOCAL_KEY: key };
    const end = await runCli(["run", "suite.yaml"], { directory: fixture.path, env });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("run.judge_model: judges:judge needs a key for judges");
    expect(server.count()).toBe(0);
  });

  it("any more as the budget is spent stops the run, which goes on from there", async () => {
    await using server = await startProvider({ script: verdict });
    const run = "judge_model: local:judge, concurrency: 2, budget: { usd: 10 }";
    const files = suite(server, { grader: judgeCode, run });
    await using fixture = await createFixture(files);
    const options = { directory: fixture.path, env: { LOCAL_KEY: key } };
    const args = ["run", "suite.yaml", "--out", "out"];
    const end = await runCli(args, options);
    expect([end.code, end.stdout]).toEqual([
      4,
      expect.stringContaining("budget of $10.00 is spent"),
    ]);
    const before = askedOf(server, "judge");
    expect(before).toBeLessThanOrEqual(7);
    const more = (files["suite.yaml"] ?? "").replace("usd: 10", "usd: 100");
    await fixture.writeFile("suite.yaml", more);
    const again = await runCli([...args, "--resume"], options);
    expect(again.code).toBe(0);
    const { run: whole } = await readRunDirectory(join(fixture.path, "out"));
    expect(whole.cases.scored).toBe(12);
    expect(whole.usage.judge_usd).toBe(24);
    expect(askedOf(server, "m")).toBe(12);
  });
});

const shared = join(import.meta.dirname, "..", "..", "..", "shared", "seeds");
const page = existsSync(shared)
  ? readdirSync(shared).find((name) => name.startsWith("000"))
  : undefined;

/** The code of the source document under a heading, up to the sentence after it. */
function exampleCode(heading: string, after: string): string {
  const text = readFileSync(join(shared, page ?? ""), "utf8");
  const start = text.indexOf(`\n${heading}\n\n`) + heading.length + 3;
  return text.slice(start, text.indexOf(after, start));
}

describe.skipIf(page === undefined)("the documented examples", () => {
  it("of a judge runs as it stands", async () => {
    await using server = await startProvider({ script: verdict });
    const grader = exampleCode("LLM-as-judge", "ctx.responses_create accepts");
    const { samples, end } = await finish(suite(server, { grader, cases: 5 }));
    expect([end.code, askedOf(server, "judge")]).toEqual([0, 5]);
    expect(samples[0]).toMatchObject({
      scores: { judge_score: 1 },
      judge: {
        verdict: "correct",
        rationale: "the same",
        response_id: expect.stringMatching(/^resp_/),
      },
    });
  });

  it("of a similarity runs as it stands", async () => {
    await using server = await startProvider({
      answer: ({ prompt }) =>
        prompt === "Say w1" ? "something else" : (prompt.split(" ").at(-1) ?? ""),
    });
    const grader = exampleCode("Embedding similarity", "ctx.embeddings_create routes");
    const metric = "semantic_similarity";
    const { run, samples, end } = await finish(suite(server, { grader, cases: 5, metric }));
    expect([end.code, askedOf(server, "embed")]).toEqual([0, 5]);
    const scores = Object.fromEntries(samples.map((each) => [each.case_id, each.scores[metric]]));
    expect(scores["c0"]).toBeCloseTo(1, 12);
    expect(scores["c1"]).toBeLessThan(0.9);
    expect(samples.find((each) => each.case_id === "c0")).toMatchObject({
      judge: { embedding_model: "embed" },
      model_calls: [{ helper: "embeddings_create", request: { input: ["w0", "w0"] } }],
    });
    expect(run.usage).toMatchObject({
      judge_usd: 11,
      judge_input_tokens: 11,
      judge_output_tokens: 0,
    });
  });
});

it("a grader that asks a model may be written in another encoding than UTF-8", async () => {
  const code =
    "# -*- coding: latin-1 -*-\n# caf\u00e9\ndef grade(sample, item, ctx):\n    return ctx.responses_create(input='?')\n";
  await using fixture = await createFixture({
    "suite.yaml": [
      "dataset: data.jsonl",
      'prompt_template: "{{q}}"',
      "grader: { type: python, file: g.py, model_access: mka1 }",
      'run: { judge_model: "ollama:judge" }',
      "candidates: { app: { answer: x } }",
    ].join("\n"),
    "data.jsonl": '{"id": "a", "q": "?"}\n',
    "g.py": Buffer.from(code, "latin1"),
  });
  const end = await runCli(["validate", "suite.yaml"], { directory: fixture.path });
  expect([end.code, end.stderr]).toEqual([0, expect.not.stringContaining("UTF-8")]);
});
