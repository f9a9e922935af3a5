import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { openCandidate } from "../../src/candidate/open.ts";
import { indexRecordings } from "../../src/candidate/recordings.ts";
import type { ReplaySpec } from "../../src/candidate/recording.ts";
import type { GenerateRequest } from "../../src/model/models/candidate.ts";
import { openFile } from "../../src/io/files/files.ts";
import { answers, ask, complaints, tools } from "./tools.ts";

const specOf = (absolute: string, more: Partial<ReplaySpec> = {}): ReplaySpec => ({
  id: "old",
  kind: "replay",
  file: { path: "outputs.jsonl", absolute },
  model: undefined,
  output_field: "output_text",
  id_field: "case_id",
  ...more,
});

async function withFile<T>(
  content: string | Buffer,
  more: Partial<ReplaySpec>,
  use: (spec: ReplaySpec) => Promise<T>,
): Promise<T> {
  const fixture = await createFixture({ "outputs.jsonl": content });
  const result = await use(specOf(fixture.getPath("outputs.jsonl"), more));
  await fixture.rm();
  return result;
}

/** The outputs that a recording gives, or what became of the sample. */
const outputs = (
  content: string,
  requests: readonly GenerateRequest[],
  more: Partial<ReplaySpec> = {},
) =>
  withFile(content, more, async (spec) =>
    (await answers(spec, requests)).map((each) =>
      each.kind === "answered" ? each.outputText : `${each.kind} ${each.type}`,
    ),
  );
const wrong = (content: string | Buffer, more: Partial<ReplaySpec> = {}) =>
  withFile(content, more, (spec) => complaints(spec));
const sample = (fields: object) =>
  JSON.stringify({
    object: "eval.sample",
    task_id: "qa",
    model: "main",
    repeat: 0,
    error: null,
    ...fields,
  });

const failure = (stage: string, fault: string) => ({
  stage,
  fault,
  type: "timeout",
  message: "slow",
});

describe("recorded outputs", () => {
  it("are found by case, whatever their order, line ends and empty lines", async () => {
    const content =
      '\uFEFF{"case_id":"a","output_text":"A"}\r\n\r\n{"case_id":"b","output_text":"B \u00E9"}';
    expect(await outputs(content, [ask("b"), ask("a")])).toEqual(["B \u00E9", "A"]);
  });

  it("that are not there are nobody's fault", async () => {
    const content = '{"case_id":"a","output_text":"A"}\n';
    const [generated] = await withFile(content, {}, (spec) =>
      answers(spec, [ask("z", { repeat: 1 })]),
    );
    expect(generated).toEqual({
      kind: "unavailable",
      type: "no_recording",
      message: "outputs.jsonl has no recording of case 'z' (task qa, repeat 1)",
    });
  });

  it("that are not there, or without an answer, have failed where the base has one", async () => {
    const before = ["a", "b", "c"].map((id) => `{"case_id":"${id}","output_text":"x"}\n`).join("");
    await using base = await createFixture({ "base.jsonl": before });
    const file = { path: "base.jsonl", absolute: base.getPath("base.jsonl") };
    const names = { model: undefined, output_field: "output_text", id_field: "case_id" };
    const infra = '{"stage":"generate","fault":"infra","type":"timeout","message":"slow"}';
    const content = `{"case_id":"a","output_text":"A"}\n{"case_id":"b","output_text":null,"error":${infra}}\n`;
    const asked = ["a", "b", "c", "d"].map((id) => ask(id));
    const kinds = (answeredBefore: NonNullable<ReplaySpec["answeredBefore"]>) =>
      withFile(content, {}, async (spec) =>
        (await answers({ ...spec, answeredBefore }, asked)).map(({ kind }) => kind),
      );
    expect(await kinds({ file, ...names })).toEqual([
      "answered",
      "failed",
      "failed",
      "unavailable",
    ]);
    expect(await kinds("all")).toEqual(["answered", "failed", "failed", "failed"]);
    const gone = { file: { ...file, absolute: base.getPath("gone.jsonl") }, ...names };
    expect(await kinds(gone)).toEqual(["answered", "unavailable", "unavailable", "unavailable"]);
  });

  it("serve every task and repeat where they name none, and the most precise one is taken", async () => {
    const content = [
      '{"case_id":"a","output_text":"any"}',
      '{"case_id":"a","task_id":"qa","output_text":"task"}',
      '{"case_id":"a","repeat":2,"output_text":"repeat"}',
      '{"case_id":"a","task_id":"qa","repeat":1,"output_text":"both"}',
      '{"case_id":"b","repeat":1,"output_text":"b1"}',
    ].join("\n");
    const requests = [
      ask("a"),
      ask("a", { repeat: 1 }),
      ask("a", { repeat: 2 }),
      ask("a", { taskId: "x" }),
      ask("a", { taskId: "x", repeat: 2 }),
      ask("b", { repeat: 1 }),
      ask("b"),
    ];
    expect(await outputs(content, requests)).toEqual([
      "task",
      "both",
      "task",
      "any",
      "repeat",
      "b1",
      "unavailable no_recording",
    ]);
  });

  it("have fields of other names, ids that are numbers, and outputs that are", async () => {
    const content =
      '{"id":7,"task_id":"other","answers":{"new":51.0}}\n{"id":12345678901234567890,"answers":{"new":""}}\n';
    const more = { id_field: "id", output_field: "answers.new" };
    expect(
      await outputs(content, [ask("7", { taskId: "other" }), ask("12345678901234567890")], more),
    ).toEqual(["51.0", ""]);
  });

  it("may have their ids in a field called task_id", async () => {
    const content = '{"task_id":"HumanEval/0","solution":"return 1"}\n';
    const more = { id_field: "task_id", output_field: "solution" };
    expect(await outputs(content, [ask("HumanEval/0")], more)).toEqual(["return 1"]);
  });

  it("bring their usage and response id", async () => {
    const content =
      '{"case_id":"a","output_text":"A","response_id":"r1","usage":{"input_tokens":3,"output_tokens":4,"usd":0.0001}}\n{"case_id":"b","output_text":"B","usage":{"input_tokens":3,"output_tokens":4}}\n{"case_id":"c","output_text":"C","usage":{"input_tokens":3}}\n';
    const all = await withFile(content, {}, (spec) =>
      answers(spec, [ask("a"), ask("b"), ask("c")]),
    );
    expect(all).toMatchObject([
      { responseId: "r1", usage: { input_tokens: 3, output_tokens: 4, usd: 0.0001 } },
      { responseId: null, usage: { input_tokens: 3, output_tokens: 4, usd: null } },
      { usage: null },
    ]);
  });
});

describe("a run's own samples", () => {
  it("serve as they are: the last line of a sample wins, a torn last line is dropped", async () => {
    const content = [
      sample({
        case_id: "a",
        output_text: "first",
        usage: { input_tokens: 1 },
        dataset_row: { n: 1.0 },
      }),
      sample({ case_id: "b", output_text: "B" }),
      sample({ case_id: "a", output_text: "second" }),
      '{"object":"eval.sample","task_id":"qa","case_id":"b","out',
    ].join("\n");
    expect(await outputs(content, [ask("a"), ask("b"), ask("a", { repeat: 1 })])).toEqual([
      "second",
      "B",
      "unavailable no_recording",
    ]);
  });

  it("fail again where the candidate failed, and are missing where the surroundings did", async () => {
    const content = [
      sample({ case_id: "a", output_text: null, error: failure("generate", "candidate") }),
      sample({ case_id: "b", output_text: null, error: failure("generate", "infra") }),
      sample({ case_id: "c", output_text: "C", error: failure("grade", "grader") }),
      sample({ case_id: "d", output_text: "D", error: failure("extract", "infra") }),
    ].join("\n");
    expect(
      await outputs(
        `${content}\n`,
        ["a", "b", "c", "d"].map((id) => ask(id)),
      ),
    ).toEqual(["failed timeout", "unavailable timeout", "C", "D"]);
  });

  it("of several models need one to be named", async () => {
    const content = `${sample({ case_id: "a", output_text: "main's" })}\n${sample({ case_id: "a", model: "other", output_text: "other's" })}\n`;
    expect(await outputs(content, [ask("a")], { model: "other" })).toEqual(["other's"]);
    expect(await wrong(content)).toEqual(["replay_several_models outputs.jsonl"]);
    expect(await wrong(content, { model: "othr" })).toEqual(["replay_model_missing outputs.jsonl"]);
  });
});

describe("bad recordings", () => {
  it.each([
    [
      "that are no JSON",
      '{"case_id":"a","output_text":"A"}\noops\n',
      "replay_bad_line outputs.jsonl 2",
    ],
    [
      "that are torn, outside a journal",
      '{"case_id":"a","output_text":"A"}\n{"case',
      "replay_bad_line outputs.jsonl 2",
    ],
    ["that are lists", "[1]\n", "replay_bad_line outputs.jsonl 1"],
    ["without a case", '{"output_text":"A"}\n', "replay_field_missing outputs.jsonl 1"],
    ["without an output", '{"case_id":"a"}\n', "replay_field_missing outputs.jsonl 1"],
    [
      "with null for an output",
      '{"case_id":"a","output_text":null}\n',
      "replay_field_kind outputs.jsonl 1",
    ],
    [
      "with a list for an output",
      '{"case_id":"a","output_text":[]}\n',
      "replay_field_kind outputs.jsonl 1",
    ],
    [
      "with a transcript that nobody could write down again",
      `{"case_id":"a","output_text":"A","transcript":[{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}]}\n`,
      "replay_bad_line outputs.jsonl 1",
    ],
    ["with an empty id", '{"case_id":"","output_text":"A"}\n', "replay_field_kind outputs.jsonl 1"],
    [
      "with half a repeat",
      '{"case_id":"a","repeat":0.5,"output_text":"A"}\n',
      "replay_field_kind outputs.jsonl 1",
    ],
    [
      "twice",
      '{"case_id":"a","output_text":"A"}\n\n{"case_id":"a","output_text":"A"}\n',
      "replay_duplicate outputs.jsonl 3",
    ],
    ["in an empty file", "", "replay_empty outputs.jsonl"],
  ])("%s are named before the first sample", async (_, content, expected) => {
    expect(await wrong(content)).toEqual([expected]);
  });

  it("are named with the bytes that are no UTF-8", async () => {
    const content = Buffer.from('{"case_id":"caf\u00E9","output_text":"A"}\n', "latin1");
    expect(await wrong(content)).toEqual(["replay_bad_line outputs.jsonl 1"]);
  });

  it("name both lines of a duplicate", async () => {
    const content = '\n{"case_id":"a","output_text":"A"}\n{"case_id":"a","output_text":"B"}\n';
    const opened = await withFile(content, {}, (spec) => openCandidate(spec, tools));
    expect("problems" in opened && opened.problems[0]?.message).toContain("line 2 has it too");
  });

  it("are listed up to 20 and counted", async () => {
    const found = await wrong("oops\n".repeat(50));
    expect(found).toHaveLength(21);
    expect(found.at(-1)).toBe("dataset_more_problems outputs.jsonl");
  });

  it("may lie in a file that is missing", async () => {
    expect(await complaints(specOf("/nowhere/outputs.jsonl"))).toEqual(["file_missing"]);
  });

  it("never stand in for others when the file changes under a run", async () => {
    const answered = await withFile('{"case_id":"a","output_text":"A"}\n', {}, async (spec) => {
      const opened = await openCandidate(spec, tools);
      if ("problems" in opened) throw new Error("can't be opened");
      writeFileSync(spec.file.absolute, '{"case_id":"b","output_text":"B"}\n');
      const generated = await opened.candidate.generate(ask("a"), new AbortController().signal);
      await opened.candidate.close();
      return generated;
    });
    expect(answered).toMatchObject({ kind: "unavailable", type: "recording_changed" });
  });
});

describe("many recordings", () => {
  it(
    "are found without being held: 100,000 of 1 kB in an index of 5 MB, each block read once",
    { tags: "long", timeout: 60_000 },
    async () => {
      const text = "x".repeat(950);
      const lines = Array.from(
        { length: 100_000 },
        (_, i) => `{"case_id":"case-${i}","output_text":"${i} ${text}"}`,
      );
      await withFile(lines.join("\n"), {}, async (spec) => {
        const indexed = await indexRecordings(spec, tools);
        expect("index" in indexed && indexed.index.bytes()).toBeLessThan(5_000_000);
        let reads = 0;
        const counting: typeof openFile = async (path) => {
          const file = await openFile(path);
          return {
            close: file.close,
            read: (offset, length) => {
              reads += 1;
              return file.read(offset, length);
            },
          };
        };
        const requests = Array.from({ length: 100_000 }, (_, i) => ask(`case-${i}`));
        const all = await answers(spec, requests, { ...tools, openFile: counting });
        expect(
          all.every((each, i) => each.kind === "answered" && each.outputText.startsWith(`${i} x`)),
        ).toBe(true);
        expect(reads).toBeLessThan(2000);
      });
    },
  );

  it("may be longer than a block", async () => {
    const long = "y".repeat(300_000);
    const content = `{"case_id":"a","output_text":"${long}"}\n{"case_id":"b","output_text":"B"}\n`;
    expect(await outputs(content, [ask("b"), ask("a")])).toEqual(["B", long]);
  });
});

const gsm8k = fileURLToPath(
  new URL("../../../shared/data/gsm8k/model_solutions_300.jsonl", import.meta.url),
);
describe.skipIf(!existsSync(gsm8k))("GSM8K (../shared is absent: skipped)", () => {
  it.each(["6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"])(
    "gives the 300 recorded answers of %s",
    async (model) => {
      const requests = Array.from({ length: 300 }, (_, i) => ask(`gsm8k-${i}`));
      const all = await answers(specOf(gsm8k, { id_field: "id", output_field: model }), requests);
      expect(
        all.filter((each) => each.kind === "answered" && /\bA: /.test(each.outputText)).length,
      ).toBeGreaterThan(280);
      expect(all.every(({ kind }) => kind === "answered")).toBe(true);
    },
  );
});
