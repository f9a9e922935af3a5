import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import { brief, imagine, problemsOf, shortForm, suiteOf } from "../resolve-text.ts";

type Changes = Readonly<Record<string, Json | undefined>>;

const controls = { timeout_seconds: 120, max_retries: 2, max_empty_retries: 0 };

async function firstModel(changes: Changes) {
  const { suite, warnings } = await suiteOf(shortForm(changes));
  const [model] = suite.candidates;
  if (model?.kind !== "model") throw new Error("no model");
  return { ...model, warnings };
}

describe("model candidates", () => {
  it.each([
    ["a slot's string", { candidates: { main: "openai:gpt-4.1-mini" } }, ["main"]],
    ["a slot's object", { candidates: { main: { model: "openai:gpt-4.1-mini" } } }, ["main"]],
    ["a list", { candidates: ["openai:a", "groq:b"] }, ["openai:a", "groq:b"]],
    ["models", { candidates: undefined, models: ["openai:a"] }, ["openai:a"]],
  ])("are taken as %s", async (_, changes, ids) => {
    const { suite, warnings } = await suiteOf(shortForm(changes));
    expect(suite.candidates.map(({ id, kind }) => [id, kind])).toEqual(
      ids.map((id) => [id, "model"]),
    );
    expect(warnings).toEqual([]);
  });

  it.each([
    ["openai:gpt-4.1-mini", "openai", "gpt-4.1-mini"],
    ["ollama:llama3.1:8b", "ollama", "llama3.1:8b"],
    ["openrouter:meta/llama-3:free", "openrouter", "meta/llama-3:free"],
    ["mka1:meetkai:functionary", "mka1", "meetkai:functionary"],
  ])("%s is read up to the first colon", async (model, provider, name) => {
    expect(await firstModel({ candidates: { a: model } })).toMatchObject({
      model,
      name,
      provider: { id: provider, builtin: true },
      generation: controls,
    });
  });

  it.each([
    ["no provider", "gpt-4.1-mini", "model_without_provider", "openai:gpt-4.1-mini"],
    ["no model", "openai:", "model_without_provider", "openai"],
    ["an empty provider", ":gpt", "model_without_provider", "openai:gpt"],
    ["an unknown provider", "opnai:gpt", "provider_unknown", "Did you mean openai?"],
    ["a provider like nothing known", "zzzzzz:gpt", "provider_unknown", "providers: { zzzzzz:"],
    ["a name that every object has", "constructor:x", "provider_unknown", "Declare it"],
  ])("with %s are refused with a way out", async (...[, model, code, hint]) => {
    const problems = await problemsOf(shortForm({ candidates: { a: model } }));
    expect(brief(problems)).toEqual([`${code} candidates.a`]);
    expect(problems[0]?.hint).toContain(hint);
  });

  it("keep their kinds apart: a model is no command", async () => {
    const candidates = { a: { model: "openai:a", command: ["x"] } };
    expect(brief(await problemsOf(shortForm({ candidates })))).toEqual([
      "keys_exclusive candidates.a.model",
    ]);
  });
});

describe("settings of model calls", () => {
  const run = {
    generation: { temperature: 0, max_output_tokens: 512, stop: "END", max_retries: 5 },
  };

  it("come from the run, and a candidate's own go before", async () => {
    const own = { model: "openai:a", temperature: 1, max_gen_toks: 64, timeout_seconds: 9 };
    expect((await firstModel({ candidates: { a: own }, run })).generation).toEqual({
      temperature: 1,
      max_output_tokens: 64,
      stop: ["END"],
      timeout_seconds: 9,
      max_retries: 5,
      max_empty_retries: 0,
    });
  });

  it.each([
    ["max_gen_toks", { max_gen_toks: 5 }, { max_output_tokens: 5 }],
    ["until as a text", { until: "x" }, { stop: ["x"] }],
    ["until as a list", { until: ["x", "y"] }, { stop: ["x", "y"] }],
    ["both names with one value", { until: ["x"], stop: "x" }, { stop: ["x"] }],
    [
      "both names of the limit with one value",
      { max_gen_toks: 5, max_output_tokens: 5 },
      { max_output_tokens: 5 },
    ],
    ["no stop sequence", { stop: [] }, { stop: [] }],
  ])("have lm-eval's names: %s", async (_, own, expected) => {
    const { generation } = await firstModel({ candidates: { a: { model: "groq:a", ...own } } });
    expect(generation).toEqual({ ...controls, ...expected });
  });

  it.each([
    [
      "two limits in the run",
      { run: { generation: { max_gen_toks: 5, max_output_tokens: 6 } } },
      "setting_conflict run.generation.max_gen_toks",
    ],
    [
      "two stops in a candidate",
      { candidates: { a: { model: "groq:a", until: "x", stop: ["y"] } } },
      "setting_conflict candidates.a.until",
    ],
    [
      "extra_body and a setting",
      { candidates: { a: { model: "groq:a", temperature: 0, extra_body: { temperature: 1 } } } },
      "setting_conflict candidates.a",
    ],
    [
      "extra_body by another name",
      { run: { generation: { max_output_tokens: 5, extra_body: { max_tokens: 6 } } } },
      "setting_conflict candidates.a",
    ],
  ])("that contradict each other are refused: %s", async (_, changes, expected) => {
    const text = shortForm({ candidates: { a: "groq:a" }, ...changes });
    expect(brief(await problemsOf(text))).toEqual([expected]);
  });

  it.each([
    ["timeout_seconds", 0.5, 3601],
    ["max_retries", -1, 11],
    ["max_empty_retries", -1, 11],
    ["temperature", -0.1, 2.1],
    ["top_p", -0.1, 1.1],
    ["presence_penalty", -2.1, 2.1],
    ["max_output_tokens", 0, undefined],
    ["repetition_penalty", 0, undefined],
  ])("%s stays in its range, in the run and in a candidate", async (key, low, high) => {
    for (const value of [low, high]) {
      if (value === undefined) continue;
      const inRun = { candidates: { a: "groq:a" }, run: { generation: { [key]: value } } };
      const inCandidate = { candidates: { a: { model: "groq:a", [key]: value } } };
      expect(brief(await problemsOf(shortForm(inRun)))).toEqual([
        `value_range run.generation.${key}`,
      ]);
      expect(brief(await problemsOf(shortForm(inCandidate)))).toEqual([
        `value_range candidates.a.${key}`,
      ]);
    }
  });

  it("an empty stop sequence is refused: it would cut every answer to nothing", async () => {
    for (const stop of ["", ["x", ""]]) {
      const candidates = { a: { model: "groq:a", stop } };
      const [problem] = await problemsOf(shortForm({ candidates }));
      expect(problem?.code).toBe("value_empty");
    }
  });

  it.each([
    ["openai", { top_k: 5, min_p: 0.1 }, ["top_k, min_p; OpenAI takes only"]],
    ["openai", { extra_body: { seed: 1 } }, ["extra_body; OpenAI takes only"]],
    ["openai", { presence_penalty: 1 }, ["presence_penalty; the Responses API has no such field"]],
    ["groq", { max_tool_calls: 1, truncation: "auto" }, ["max_tool_calls, truncation; Chat Comp"]],
    [
      "openai",
      { use_cache: true, frequency_penalty: 1 },
      ["use_cache; OpenAI", "frequency_penalty; the Responses"],
    ],
    ["openai", { extra_body: {}, stop: "x", service_tier: "flex", truncation: "auto" }, []],
    ["groq", { top_k: 5, presence_penalty: 1, extra_body: { seed: 1 } }, []],
    ["mka1", { top_k: 5, presence_penalty: 1, max_tool_calls: 1 }, []],
  ])("of %s that are not sent are named: %j", async (provider, own, expected) => {
    const { warnings } = await firstModel({
      candidates: { a: { model: `${provider}:m`, ...own } },
    });
    expect(warnings.map(({ code }) => code)).toEqual(expected.map(() => "settings_not_sent"));
    for (const [i, words] of expected.entries()) {
      expect(warnings[i]?.message).toContain(`not sent to ${provider}:m: ${words}`);
      expect(warnings[i]?.place?.path).toBe("candidates.a");
    }
  });

  it("that the provider will refuse are told before the run", async () => {
    const settings = { generation: { temperature: 0, reasoning: { effort: "low" } } };
    const { warnings } = await firstModel({
      candidates: { a: "openai:gpt-5.4-mini" },
      run: settings,
    });
    expect(brief(warnings)).toEqual(["settings_refused candidates.a"]);
    expect(warnings[0]?.message).toContain(
      "openai:gpt-5.4-mini will refuse temperature, reasoning.effort: low",
    );
  });

  it("takes unsafe fields out of extra_body, and names them", async () => {
    const extra = { seed: 1, model: "other", Messages: [], stream: true };
    const { generation, warnings } = await firstModel({
      candidates: { a: { model: "groq:a", extra_body: extra } },
    });
    expect(generation.extra_body).toEqual({ seed: 1 });
    expect(brief(warnings)).toEqual(["body_fields_unsafe candidates.a.extra_body"]);
    expect(warnings[0]?.message).toContain("model, Messages, stream");
  });

  it("without a model to use them are said to be idle", async () => {
    const { warnings } = await suiteOf(shortForm({ run }));
    expect(brief(warnings)).toEqual(["setting_idle run.generation"]);
  });

  it("of another kind of candidate are unknown keys", async () => {
    const candidates = { a: { command: ["x"], temperature: 0 } };
    expect(brief(await problemsOf(shortForm({ candidates })))).toEqual([
      "key_unknown candidates.a.temperature",
    ]);
  });
});

describe("the budget", () => {
  it.each([
    [{ usd: 0 }, "value_range run.budget.usd"],
    [{ tokens: 0 }, "value_range run.budget.tokens"],
    [{ tokens: 1.5 }, "value_type run.budget.tokens"],
    [{ minutes: 0 }, "value_range run.budget.minutes"],
    [{ dollars: 5 }, "key_unknown run.budget.dollars"],
  ])("%j is refused", async (budget, expected) => {
    expect(brief(await problemsOf(shortForm({ run: { budget } })))).toEqual([expected]);
  });

  it("has the parts that are declared, and no others", async () => {
    const { suite } = await suiteOf(shortForm({ run: { budget: { usd: 0.5 } } }));
    expect(suite.budget).toEqual({ usd: 0.5, tokens: undefined, minutes: undefined });
  });
});

describe("worker candidates", () => {
  it("have a command's keys and defaults", async () => {
    const candidates = { a: { worker: ["python3", "w.py"], pass: ["id"] } };
    expect((await suiteOf(shortForm({ candidates }))).suite.candidates).toEqual([
      {
        id: "a",
        kind: "worker",
        worker: ["python3", "w.py"],
        inputs: [],
        env: [],
        pass: ["id"],
        timeout_seconds: 120,
      },
    ]);
  });

  it("keep their inputs inside the repository", async () => {
    const candidates = { a: { worker: ["x"], inputs: ["../../**"] } };
    expect(brief(await problemsOf(shortForm({ candidates }), imagine()))).toEqual([
      "path_outside candidates.a.inputs[0]",
    ]);
  });
});
