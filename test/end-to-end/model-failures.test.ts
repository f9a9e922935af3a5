import { createFixture } from "fs-fixture";
import { describe, expect } from "vitest";
import { good, serverError, type Day } from "../support/provider/days.ts";
import { startProvider } from "../support/provider/server.ts";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";
import { itSome } from "../support/rows.ts";

/** Every way that a call of a grader to a model fails, and what the run says of it: the table of docs/graders.md. */

interface Failure {
  /** What the grader does. */
  readonly does: string;
  /** Keys of the grader beside its file. */
  readonly grader?: string;
  readonly run?: string;
  readonly day?: Day;
  readonly symptom: string;
  readonly said: readonly string[];
  /** What the samples count as: `invalid` is the grader's fault, `ungraded` nobody's. */
  readonly counts: "invalid" | "ungraded" | "scored";
}

const ask = "ctx.responses_create(input='x')";
const modelBacked = "contract: model_backed";
const both = "judge_model: local:judge, embedding_model: local:embed";

function status(code: number, message: string): Day {
  const error = { message, type: "invalid_request_error" };
  return { kind: "status", status: code, body: { error } };
}

const refused: Readonly<Record<string, Omit<Failure, "symptom" | "counts">>> = {
  "no judge": {
    does: ask,
    run: "embedding_model: local:embed",
    said: ["the run has no judge_model"],
  },
  "no model for embeddings": {
    does: "ctx.embeddings_create(input='x')",
    run: "judge_model: local:judge",
    said: ["the run has no embedding_model"],
  },
  "a grader without access": {
    does: ask,
    grader: "contract: sample",
    said: ["needs a grader with contract: model_backed"],
  },
  "a tool": {
    does: "ctx.responses_create(input='x', tools=[{'type': 'web_search'}])",
    said: ["allow_tools: true"],
  },
  "an address": {
    does: "ctx.responses_create(input=[{'role': 'user', 'content': [{'type': 'input_image', 'image_url': 'https://x.org/a'}]}])",
    said: ["allow_urls: true"],
  },
  "an argument without its name": {
    does: "ctx.responses_create('x')",
    said: ["takes its arguments by name"],
  },
  "no input": { does: "ctx.responses_create(messages='x')", said: ["needs input"] },
  "too many calls": {
    does: `[${ask} for _ in range(3)]`,
    grader: `${modelBacked}, max_model_calls: 2`,
    said: ["was called 2 times, which max_model_calls allows"],
  },
  "another model": {
    does: "ctx.responses_create(model='local:' + 'other', input='x')",
    said: ["'local:other' is no model of this run"],
  },
  "a request that the provider rejects": {
    does: ask,
    day: status(400, "Unsupported parameter: temperature"),
    said: ["local rejected the request (400: Unsupported parameter: temperature)"],
  },
};

const others: Readonly<Record<string, Failure>> = {
  "a refusal that becomes a score": {
    does: "ctx.responses_create(input='x', tools=[{'type': 'web_search'}])\n    except Exception:\n        return 0.0",
    symptom: "model_refused",
    said: ["the grader gave a score in all 3 samples though a model had refused its call"],
    counts: "scored",
  },
  "a provider's error": {
    does: ask,
    day: serverError(500, { "retry-after-ms": "1" }),
    symptom: "model_silent",
    said: ["no model answered the grader in all 3 samples", "regrade rerun-failed"],
    counts: "ungraded",
  },
  "a slow model": {
    does: ask,
    grader: `${modelBacked}, timeout_seconds: 1`,
    day: { kind: "silence" },
    symptom: "model_silent",
    said: ["had not answered in all 3 samples when the grader's time was over", "timeout_seconds"],
    counts: "ungraded",
  },
  "an exception of a library, of what the model said": {
    does: `json.loads(${ask}['output_text'])`,
    day: good("It is fine."),
    symptom: "never_scored",
    said: [
      "the grader raised in all 3 samples",
      "(grader.py:4, in grade; raised in json/decoder.py:",
    ],
    counts: "invalid",
  },
  "a judge's error": {
    does: "",
    grader: "judge",
    day: serverError(500, { "retry-after-ms": "1" }),
    symptom: "model_silent",
    said: ["no model answered the grader"],
    counts: "ungraded",
  },
  "a judge's rejected request": {
    does: "",
    grader: "judge",
    day: status(400, "no json_schema here"),
    symptom: "judge_failed",
    said: ["the judge could not be asked in all 3 samples", "no json_schema here"],
    counts: "ungraded",
  },
  "a judge's prose": {
    does: "",
    grader: "judge",
    day: good("It is fine."),
    symptom: "judge_failed",
    said: ["the judge gave no verdict in all 3 samples", "structured output"],
    counts: "ungraded",
  },
};

function graderOf({ grader = modelBacked }: Pick<Failure, "grader">): readonly string[] {
  if (grader === "judge") return ["grader: { type: judge, rubric: fine }"];
  return [
    `grader: { type: python, file: grader.py, ${grader} }`,
    "metrics: [{ id: score, range: [0, 1] }]",
  ];
}

async function play(failure: Failure) {
  await using provider = await startProvider({
    script: ({ model }) => (model === "judge" ? (failure.day ?? good("{}")) : undefined),
  });
  const body = failure.does.includes("except") ? `try: ${failure.does}` : `r = ${failure.does}`;
  await using fixture = await createFixture({
    "rows.jsonl": jsonLines(["a", "b", "c"].map((id) => ({ id, word: id }))),
    "grader.py": `import json\n\ndef grade(sample, item, ctx):\n    ${body}\n    return 1.0\n`,
    "suite.yaml": [
      "name: s",
      "dataset: rows.jsonl",
      'prompt_template: "Say {{word}}"',
      'target_template: "{{word}}"',
      ...graderOf(failure),
      `providers: { local: { base_url: "${provider.url}", api: responses } }`,
      "candidates: { main: local:m }",
      `run: { ${failure.run ?? both}, generation: { max_retries: 0 } }`,
      "",
    ].join("\n"),
  });
  const argv = ["run", "suite.yaml", "--out", "out", "--no-cache"];
  const end = await regrade(argv, { in: fixture.path });
  return { end, ...(await readRunDirectory(fixture.getPath("out"))) };
}

const all = {
  ...Object.fromEntries(
    Object.entries(refused).map(([name, failure]): [string, Failure] => [
      name,
      {
        ...failure,
        symptom: "model_refused",
        counts: "invalid",
        said: ["a call of the grader to a model was refused in all 3 samples", ...failure.said],
      },
    ]),
  ),
  ...others,
};

describe("a model call of a grader that fails is told by its true reason", () => {
  itSome(Object.entries(all))("%s", async (_, failure) => {
    const { end, run } = await play(failure);
    expect(
      run.diagnoses?.map(({ symptom }) => symptom),
      end.stderr,
    ).toContain(failure.symptom);
    for (const words of failure.said) expect(end.stderr).toContain(words);
    expect(run.cases[failure.counts]).toBe(3);
  });
});
