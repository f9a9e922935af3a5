import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import {
  expectRefusal,
  jsonLines,
  readIfThere,
  readRunDirectory,
  regrade,
  until,
} from "../support/cli.ts";

/** Macro F1 as the hosted product's documentation has it, word for word. */
const macroF1 = `from collections import defaultdict

def grade_batch(samples):
    labels = sorted({
        s.get("target")
        for s in samples
        if s.get("target") is not None
    })

    per_label = []
    for label in labels:
        tp = fp = fn = 0
        for sample in samples:
            pred = sample.get("extracted_output")
            target = sample.get("target")
            if pred == label and target == label:
                tp += 1
            elif pred == label and target != label:
                fp += 1
            elif pred != label and target == label:
                fn += 1

        precision = tp / (tp + fp) if tp + fp else 0.0
        recall = tp / (tp + fn) if tp + fn else 0.0
        score = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        per_label.append(score)

    return {
        "metrics": {
            "macro_f1": sum(per_label) / len(per_label) if per_label else 0.0
        },
        "samples": [
            {
                "sample_id": s["sample_id"],
                "scores": {
                    "correct": 1.0 if s.get("extracted_output") == s.get("target") else 0.0
                }
            }
            for s in samples
        ]
    }
`;

/** The preprocessors of the same documentation. */
const rowTransform = `def transform(row):
    row["question"] = row["question"].strip()
    row["answer"] = str(row["answer"]).strip()
    return row
`;
const batchTransform = `def transform_batch(rows):
    out = []
    for row in rows:
        if row.get("skip"):
            continue
        row["difficulty"] = row.get("difficulty") or "unknown"
        out.append(row)
    return out
`;

const labels = ["positive", "neutral", "negative"] as const;

interface Parts {
  readonly cases?: number;
  readonly grader?: string;
  readonly metrics?: string;
  readonly gate?: string;
  readonly candidates?: string;
  readonly preprocess?: string;
  readonly rows?: string;
  readonly rowsFile?: string;
}

/** Texts to sort into three classes; every fifth answer says neutral. */
function files(parts: Parts = {}): Record<string, string> {
  const rows = Array.from({ length: parts.cases ?? 60 }, (_, i) => ({
    id: `c${i}`,
    question: ` text ${i} `,
    answer: labels[i % 3],
  }));
  const outputs = rows.map(({ id, answer }, i) => ({
    case_id: id,
    output_text: i % 5 === 0 ? "neutral" : answer,
  }));
  return {
    "suite.yaml": [
      "name: classes",
      "dataset: data.jsonl",
      ...(parts.preprocess === undefined ? [] : [`preprocess: ${parts.preprocess}`]),
      'prompt_template: "{{question}}"',
      'target_template: "{{answer}}"',
      "output_extraction: { type: label_set, labels: [positive, neutral, negative] }",
      "grader: { type: python, contract: batch, file: grader.py, timeout_seconds: 60 }",
      ...(parts.metrics === undefined ? [] : [`metrics: ${parts.metrics}`]),
      `candidates: ${parts.candidates ?? "{ app: { replay: outputs.jsonl } }"}`,
      `gate: ${parts.gate ?? "{ rules: [{ metric: macro_f1, min: 0.5 }] }"}`,
      "",
    ].join("\n"),
    "data.jsonl": parts.rows ?? jsonLines(rows),
    "outputs.jsonl": jsonLines(outputs),
    "grader.py": parts.grader ?? macroF1,
    "rows.py": parts.rowsFile ?? rowTransform,
  };
}

const run = ["run", "suite.yaml", "--out", "out"];

/** The macro F1 of the answers above, reckoned by hand: tp, fp, fn by label. */
function expectedMacroF1(cases: number): number {
  const all = Array.from({ length: cases }, (_, i) => {
    const target = labels[i % 3];
    return { target, answer: i % 5 === 0 ? "neutral" : target };
  });
  const scores = labels.map((label) => {
    const tp = all.filter((each) => each.answer === label && each.target === label).length;
    const fp = all.filter((each) => each.answer === label && each.target !== label).length;
    const fn = all.filter((each) => each.answer !== label && each.target === label).length;
    return (2 * tp) / (2 * tp + fp + fn);
  });
  return scores.reduce((sum, each) => sum + each, 0) / labels.length;
}

async function runFiles(parts: Parts) {
  await using fixture = await createFixture(files(parts));
  const end = await regrade(run, { in: fixture.path });
  return { end, left: await readRunDirectory(fixture.getPath("out")) };
}

describe("macro F1, as documented", () => {
  it("is a metric over all samples, and `correct` a score of each", { tags: "smoke" }, async () => {
    const { end, left } = await runFiles({});
    expect(end.code, end.stderr).toBe(0);
    const [metric] = left.run.metrics;
    expect(metric).toMatchObject({ metric: "macro_f1", aggregation: "returned", n: 60, ci: null });
    expect(metric?.value).toBeCloseTo(expectedMacroF1(60), 12);
    expect(left.samples.every(({ scores }) => "correct" in scores)).toBe(true);
    expect(left.scores.map(({ scores }) => scores)).toEqual(
      left.samples.toSorted((a, b) => a.sample_index - b.sample_index).map(({ scores }) => scores),
    );
  });

  it("is gated beside the score, which has an interval", async () => {
    const metrics =
      "[{ id: macro_f1, range: [0, 1] }, { id: correct, range: [0, 1], scale: binary }]";
    const { end, left } = await runFiles({
      metrics,
      gate: "{ rules: [{ metric: macro_f1, min: 0.95 }, { metric: correct, min: 0.8 }] }",
    });
    expect(end.code).toBe(1);
    expect(left.run.gate.rules.map(({ metric, outcome }) => [metric, outcome])).toEqual([
      ["macro_f1", "missed"],
      ["correct", "met"],
    ]);
    expect(left.run.metrics.map(({ metric, ci_method }) => [metric, ci_method])).toEqual([
      ["macro_f1", null],
      ["correct", "wilson"],
    ]);
  });

  it("is dropped where only the score is declared", async () => {
    const { left } = await runFiles({
      metrics: "[{ id: correct, range: [0, 1] }]",
      gate: "{ rules: [{ metric: correct, min: 0.5 }] }",
    });
    expect(left.run.metrics.map(({ metric }) => metric)).toEqual(["correct"]);
    expect(left.summary).toContain("macro");
    expect(left.run.gate.reasons.join()).toContain(
      'dropped of what grade_batch returned: "macro_f1"',
    );
  });

  it(
    "is compared with a baseline: a drop is proven by swapping both sides within cases, and blocks",
    { tags: "long" },
    async () => {
      await using fixture = await createFixture(
        files({ gate: "{}", metrics: "[{ id: macro_f1, range: [0, 1] }]" }),
      );
      await regrade([...run.slice(0, 2), "--out", "base"], { in: fixture.path });
      const worse = (await readIfThere(fixture.getPath("outputs.jsonl"))).replaceAll(
        "negative",
        "neutral",
      );
      await fixture.writeFile("outputs.jsonl", worse);
      const end = await regrade([...run, "--baseline", "base"], { in: fixture.path });
      expect(end.code, end.stderr).toBe(1);
      const [rule] = (await readRunDirectory(fixture.getPath("out"))).run.gate.rules;
      expect(rule).toMatchObject({
        outcome: "missed",
        code: "drop_proven",
        test: "arm_swap_seeded",
      });
      const again = await regrade(["compare", "base", "out"], { in: fixture.path });
      expect(again.code, again.stderr).toBe(1);
    },
  );
});

describe("a grade_batch that fails", () => {
  it.each([
    ["raises", "def grade_batch(samples):\n    raise ValueError('no labels')\n", "ValueError"],
    ["returns nothing", "def grade_batch(samples):\n    return None\n", ""],
    ["dies", "import os\ndef grade_batch(samples):\n    os._exit(0)\n", ""],
  ])("because it %s counts as wrong, and says so", async (_, grader, words) => {
    const { end, left } = await runFiles({
      grader,
      metrics: "[{ id: macro_f1, range: [0, 1] }]",
      gate: "{}",
    });
    expect(end.code, end.stderr).toBe(4);
    expect(left.run.metrics[0]?.value).toBe(0);
    expect(left.run.batches).toMatchObject([{ outcome: "invalid", samples: 60 }]);
    expect(left.run.gate.reasons.join()).toContain("grade_batch gave no valid result");
    expect(
      left.samples.every(({ error }) => error?.stage === "grade" && error.message.includes(words)),
    ).toBe(true);
  });

  it("of which the file has no such function refuses the suite", async () => {
    await using fixture = await createFixture(
      files({ grader: "def grade(sample, item):\n    return 1.0\n" }),
    );
    expectRefusal(await regrade(run, { in: fixture.path }), 2);
  });
});

describe("a run that is killed", () => {
  const waiting = `import os, time
${macroF1}
_grade = grade_batch

def grade_batch(samples):
    while not os.path.exists(os.path.join(os.path.dirname(__file__), "go")):
        time.sleep(0.02)
    return _grade(samples)
`;
  const candidates = "{ a: { replay: outputs.jsonl }, b: { replay: outputs.jsonl } }";

  it("while its batches are graded goes on with them, and ends as if nothing had happened", async () => {
    await using fixture = await createFixture(files({ grader: waiting, candidates }));
    const killed = await regrade(run, {
      in: fixture.path,
      meanwhile: async ({ kill }) => {
        await until(
          "all samples",
          async () =>
            (await readIfThere(fixture.getPath("out/samples.jsonl"))).split("\n").length > 120,
        );
        kill("SIGKILL");
      },
    });
    expect(killed.signal).toBe("SIGKILL");
    await fixture.writeFile("go", "");
    const end = await regrade([...run, "--resume"], { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    const resumed = await readRunDirectory(fixture.getPath("out"));
    expect(resumed.samples).toHaveLength(120);
    const calm = await regrade(["run", "suite.yaml", "--out", "calm"], { in: fixture.path });
    expect(calm.code, calm.stderr).toBe(0);
    const { scoresText } = await readRunDirectory(fixture.getPath("calm"));
    expect(resumed.scoresText).toBe(scoresText);
  });
});

describe("preprocessors, as documented", () => {
  it("take a row at a time", async () => {
    const { end, left } = await runFiles({ preprocess: "{ type: python, file: rows.py }" });
    expect(end.code, end.stderr).toBe(0);
    expect(left.samples).toHaveLength(60);
    const prompts = new Map(left.samples.map(({ case_id, prompt }) => [case_id, prompt]));
    expect(prompts.get("c7")).toBe("text 7");
  });

  it("take all rows, and leave some out", async () => {
    const rows = jsonLines([
      { id: "c0", question: "a", answer: "neutral" },
      { id: "c1", question: "b", answer: "neutral", skip: true },
      { id: "c2", question: "c", answer: "negative", difficulty: "easy" },
    ]);
    const { end, left } = await runFiles({
      preprocess: "{ type: python, contract: batch, file: rows.py }",
      rowsFile: batchTransform,
      rows,
    });
    expect(end.code, end.stderr).toBe(0);
    const found = left.samples.map(({ case_id, dataset_row }) => [
      case_id,
      dataset_row["difficulty"],
    ]);
    expect(Object.fromEntries(found)).toEqual({ c0: "unknown", c2: "easy" });
  });

  it("may be inline, drop and multiply rows", async () => {
    const source = [
      "def process_doc(row):",
      "    n = int(row['id'][1:])",
      "    if n % 2: return None",
      "    return [dict(row, id=row['id'] + s) for s in 'ab']",
    ].join("\\n");
    const { left } = await runFiles({
      preprocess: `{ type: python, source: "${source}" }`,
      cases: 6,
      candidates: "{ app: { answer: x } }",
      gate: "none",
    });
    const ids = left.scores.map(({ case_id }) => case_id);
    expect(ids).toEqual(["c0a", "c0b", "c2a", "c2b", "c4a", "c4b"]);
  });

  it.each([["run"], ["validate"]])(
    "that fail refuse the suite before its first sample, and name the row (%s)",
    async (command) => {
      await using fixture = await createFixture(
        files({
          preprocess: "{ type: python, file: rows.py }",
          rowsFile:
            "def transform(row):\n    if row['id'] == 'c3': raise KeyError('question')\n    return row\n",
        }),
      );
      const args = command === "run" ? run : ["validate", "suite.yaml"];
      const end = await regrade(args, { in: fixture.path });
      expectRefusal(end, 2);
      expect(end.stderr).toContain("data.jsonl:4");
      expect(end.stderr).toContain("row 4");
      expect(end.stderr).toContain("KeyError");
      expect(await readIfThere(fixture.getPath("out/samples.jsonl"))).toBe("");
    },
  );
});
