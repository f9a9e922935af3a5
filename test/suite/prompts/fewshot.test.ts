import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { formatProblem, Refusal } from "../../../src/model/refusal.ts";
import { jsonLines } from "../../support/cli.ts";
import { gave, leftBy, runFixture } from "../../support/run-fixture.ts";

const python = { gradeBatch: () => gave({}) };

interface Project {
  readonly keys: readonly string[];
  readonly rows?: readonly object[];
  readonly train?: readonly object[];
}

const numbered = [1, 2, 3, 4].map((n) => ({ id: `c${n}`, q: `q${n}`, a: `a${n}` }));

function files({ keys, rows = numbered, train = [] }: Project) {
  return {
    "suite.yaml": [
      "name: shots",
      "dataset: data.jsonl",
      'prompt_template: "{{q}}?"',
      'target_template: "{{a}}"',
      "grader: { type: python, contract: batch, file: g.py }",
      "candidates: { app: { replay: outputs.jsonl } }",
      "gate: none",
      ...keys,
    ].join("\n"),
    "data.jsonl": jsonLines(rows),
    "train.jsonl": jsonLines(train),
    "outputs.jsonl": jsonLines(rows.map((_, i) => ({ case_id: `c${i + 1}`, output_text: "x" }))),
    "g.py": "",
  };
}

async function promptsOf(project: Project) {
  await using fixture = await createFixture(files(project));
  const { warnings } = await runFixture(fixture, { python });
  const { samples, run } = await leftBy(fixture);
  const fingerprint = run.suite.tasks["shots"]?.fingerprint;
  return { prompts: samples.map(({ prompt }) => prompt), fingerprint, warnings };
}

async function refused(project: Project): Promise<string> {
  await using fixture = await createFixture(files(project));
  const error: unknown = await runFixture(fixture, { python }).catch((thrown: unknown) => thrown);
  if (!(error instanceof Refusal)) throw new TypeError("it was not refused");
  return error.problems
    .map((each) => formatProblem(each))
    .join("\n")
    .replaceAll(fixture.path, "");
}

function seeded(seed: number): readonly string[] {
  return [`fewshot: { count: 1, strategy: random, seed: ${seed} }`];
}

describe("examples from the task's own cases", () => {
  it("are the first ones, without the case that is asked", async () => {
    const { prompts } = await promptsOf({ keys: ["num_fewshot: 2"] });
    expect(prompts).toEqual([
      "q2?\na2\n\nq3?\na3\n\nq1?",
      "q1?\na1\n\nq3?\na3\n\nq2?",
      "q1?\na1\n\nq2?\na2\n\nq3?",
      "q1?\na1\n\nq2?\na2\n\nq4?",
    ]);
  });

  it("never show a case its own answer by a twin", async () => {
    const twin = { id: "c5", q: "q1", a: "a1" };
    const { prompts } = await promptsOf({ keys: ["num_fewshot: 1"], rows: [...numbered, twin] });
    expect(prompts[0]).toBe("q2?\na2\n\nq1?");
    expect(prompts[4]).toBe("q2?\na2\n\nq1?");
  });

  it("are the same random ones in every run, and others by another seed", async () => {
    const seen = await Promise.all(
      [1, 1, 2, 3, 4].map((seed) => promptsOf({ keys: seeded(seed) })),
    );
    expect(seen[0]).toEqual(seen[1]);
    expect(new Set(seen.map(({ prompts }) => prompts.join())).size).toBeGreaterThan(1);
    expect(seen[0]?.prompts).toMatchInlineSnapshot(`
      [
        "q2?
      a2

      q1?",
        "q1?
      a1

      q2?",
        "q1?
      a1

      q3?",
        "q1?
      a1

      q4?",
      ]
    `);
  });

  it("are what the preprocessor made of the rows", async () => {
    const keys = ["num_fewshot: 1", "preprocess: { type: python, source: x }"];
    await using fixture = await createFixture(
      files({ keys: [...keys], rows: numbered.map(({ id, q, a }) => ({ id, q: `${q}q`, a })) }),
    );
    await runFixture(fixture, {
      python: {
        ...python,
        row: (text) => ({ kind: "rows", rows: [text.replace('"q":', '"k":')] }),
      },
    });
    const { samples } = await leftBy(fixture);
    expect(samples[1]?.prompt).toBe("?\na1\n\n?");
  });
});

describe("examples from a dataset of their own", () => {
  const train = [
    { id: "same", q: "t1", a: "b1" },
    { id: "same", q: "t2", a: "b2" },
  ];

  it("are taken in its order, by templates of their own", async () => {
    const keys = [
      "fewshot:",
      "  count: 2",
      "  dataset: train.jsonl",
      '  prompt_template: "Q {{q}}"',
      '  target_template: "A {{a}}"',
      '  example_template: "{{prompt}} => {{target}}"',
      '  separator: " ; "',
    ];
    const { prompts } = await promptsOf({ keys, train });
    expect(prompts[0]).toBe("Q t1 => A b1 ; Q t2 => A b2 ; q1?");
  });

  it("show the same rows as cases where it is the same file", async () => {
    const keys = ["fewshot: { count: 3, dataset: { file: data.jsonl, id_field: null } }"];
    const { prompts } = await promptsOf({ keys });
    expect(prompts[0]).toBe("q2?\na2\n\nq3?\na3\n\nq4?\na4\n\nq1?");
  });

  it("never show a case its own answer where they are a copy of the cases, with other names and more in each row", async () => {
    const copy = numbered.map(({ q, a }, i) => ({ name: `n${i}`, q: ` ${q.toUpperCase()}`, a }));
    const keys = ["fewshot: { count: 3, dataset: train.jsonl }"];
    const { prompts } = await promptsOf({ keys, train: copy });
    for (const [i, prompt] of prompts.entries()) {
      expect(prompt).not.toContain(`a${i + 1}`);
      expect(prompt.match(/\n(a\d)\n/g)).toHaveLength(3);
    }
  });

  it("tell of fields that its rows have not", async () => {
    const keys = ['fewshot: { count: 1, dataset: train.jsonl, prompt_template: "{{question}}" }'];
    const { warnings } = await promptsOf({ keys, train });
    expect(warnings.map(({ code, place }) => `${code} ${place?.path}`)).toContain(
      "template_unknown_field fewshot.prompt_template",
    );
  });

  it("change the prompt's fingerprint only where other examples are shown", async () => {
    const keys = ["fewshot: { count: 1, dataset: train.jsonl }"];
    const before = await promptsOf({ keys, train });
    const longer = await promptsOf({ keys, train: [...train, { q: "t3", a: "b3" }] });
    const other = await promptsOf({ keys, train: train.toReversed() });
    expect(longer.fingerprint).toEqual(before.fingerprint);
    expect(other.fingerprint).toEqual({ ...before.fingerprint, prompt: other.fingerprint?.prompt });
    expect(other.fingerprint?.prompt).not.toBe(before.fingerprint?.prompt);
  });
});

describe("more examples than rows are refused before anything is asked", () => {
  it.each([
    [
      "the task's own",
      { keys: ["num_fewshot: 4"] },
      /num_fewshot: 4 examples are to go before each prompt, and beside the case that is asked the dataset has 3 different rows\n {2}Ask for 3 or fewer/,
    ],
    [
      "rows that are all alike",
      {
        keys: ["num_fewshot: 1"],
        rows: [
          { id: "c1", q: "x" },
          { id: "c2", q: "x" },
        ],
      },
      /the dataset has 0 different rows\n {2}Name a dataset with more rows/,
    ],
    [
      "another dataset's",
      { keys: ["fewshot: { count: 2, dataset: train.jsonl }"], train: [{ q: "x", a: "y" }] },
      /fewshot: 2 examples are to go before each prompt, and their dataset has 1 row\n {2}Ask for 1 or fewer/,
    ],
    [
      "an empty file",
      { keys: ["fewshot: { count: 2, dataset: train.jsonl }"] },
      /train\.jsonl: the file is empty/,
    ],
  ])("%s", async (_, project, expected) => {
    expect(await refused(project)).toMatch(expected);
  });
});
