import { createFixture, type FsFixture } from "fs-fixture";
import { regrade } from "../cli.ts";

/** Cases by what becomes of them; `c` is followed by two digits. */
const fates: readonly (readonly [from: number, to: number, fate: string])[] = [
  [0, 9, "late"],
  [10, 14, "rude"],
  [15, 16, "fixed"],
  [17, 18, "failing"],
  [19, 19, "raises"],
  [20, 20, "unrecorded"],
  [21, 22, "dull"],
  [23, 59, "same"],
];

const answers: Readonly<Record<string, readonly [before: string, now: string]>> = {
  late: ["in time", "too late"],
  rude: ["in time", "go away"],
  fixed: ["too late", "in time"],
  failing: ["too late", "too late"],
  raises: ["in time", "raise"],
  unrecorded: ["in time", "in time"],
  dull: ["in time", "in time."],
  same: ["in time", "in time"],
};

const grader = `def grade(sample, item):
    said = sample["output_text"]
    if said == "raise":
        raise ValueError("what is this?\\n" * 40 + "the last line")
    style = 0.4 if said.endswith(".") else 0.8
    return {"scores": {"right": float(said.rstrip(".") == item["a"]), "style": style},
            "judge": {"reason": {"too late": "it comes too late", "go away": "it is rude"}.get(said, "fine")}}
`;

interface Row {
  readonly id: string;
  readonly fate: string;
  readonly language: string;
}

function rows(isBase: boolean): readonly Row[] {
  const all = fates.flatMap(([from, to, fate]) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i).map((i) => ({
      id: `c${String(i).padStart(2, "0")}`,
      fate,
      language: ["de", "en", "fr"][i % 3] ?? "",
    })),
  );
  return isBase ? all : all.concat({ id: "fresh", fate: "same", language: "en" });
}

function files(isBase: boolean): Readonly<Record<string, string>> {
  const side = isBase ? "base" : "head";
  const all = rows(isBase);
  const outputs = (candidate: string) =>
    all
      .filter(({ fate }) => isBase || fate !== "unrecorded")
      .flatMap(({ id, fate }) =>
        [0, 1].map((repeat) => ({
          case_id: id,
          repeat,
          // The other candidate is as it was, and of one case one repeat alone is wrong.
          output_text:
            answers[fate]?.[
              isBase || candidate === "other" || (id === "c09" && repeat === 0) ? 0 : 1
            ],
          latency_ms:
            500 + 10 * Number.parseInt(id.slice(1), 10) + (isBase || fate !== "rude" ? 0 : 4000),
          usage: { input_tokens: 100, output_tokens: 20, usd: isBase ? 0.001 : 0.0015 },
          transcript: [
            { type: "tool_call", id: "t1", name: "look_up", arguments: { order: id } },
            { type: "tool_result", id: "t1", output: { state: "shipped" } },
          ],
        })),
      );
  return {
    [`${side}-qa.jsonl`]: lines(
      all.map(({ id, language }) => ({
        id,
        q: `When does order ${id} come?`,
        a: "in time",
        language,
      })),
    ),
    [`${side}-app.jsonl`]: lines(outputs("app")),
    [`${side}-other.jsonl`]: lines(outputs("other")),
    "grade.py": grader,
    [`${side}.yaml`]: [
      "name: orders",
      `dataset: { file: ${side}-qa.jsonl, id_field: id }`,
      'prompt_template: "{{q}}"',
      'target_template: "{{a}}"',
      "grader: { type: python, file: grade.py }",
      "repeats: 2",
      "slices: [language]",
      "metrics:",
      "  - { id: right, aggregation: mean, higher_is_better: true, range: [0, 1], scale: binary }",
      "  - { id: style, aggregation: mean, higher_is_better: true, range: [0, 1], scale: graded }",
      `candidates: { app: { replay: ${side}-app.jsonl }, other: { replay: ${side}-other.jsonl } }`,
      "gate:",
      "  max_error_rate: 0.2",
      "  rules:",
      "    - { metric: right, max_drop: 0.02 }",
      "    - { metric: right, must_pass: [c00] }",
      "    - { metric: style, max_drop: 0.02, level: warn }",
      "",
    ].join("\n"),
  };
}

/** A run of two candidates with a case of each fate, beside its baseline; its page is `head/report.html`. */
export async function makeRichRun(): Promise<FsFixture> {
  const fixture = await createFixture({ ...files(true), ...files(false) });
  const start = { in: fixture.path };
  for (const [i, name] of ["earlier", "later", "base"].entries()) {
    const argv = i === 0 ? [] : ["--baseline", ["earlier", "later"][i - 1] ?? ""];
    const ran = await regrade(["run", "base.yaml", "--out", name, "--quiet", ...argv], start);
    if (ran.code !== 0 && ran.code !== 1) throw new Error(ran.stderr);
  }
  const head = await regrade(
    ["run", "head.yaml", "--out", "head", "--baseline", "base", "--report", "--quiet"],
    start,
  );
  if (head.code !== 1) throw new Error(`${head.stdout}\n${head.stderr}`);
  return fixture;
}

function lines(all: readonly object[]): string {
  return all.map((one) => JSON.stringify(one)).join("\n");
}
