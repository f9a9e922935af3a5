import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { jsonLines } from "../support/cli.ts";
import { gave, leftBy, runFixture } from "../support/run-fixture.ts";

const python = { gradeBatch: () => gave({}) };
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const rows = [1, 2, 3].map((n) => ({ id: `c${n}`, q: `q${n}`, a: `a${n}`, image: "images/a.png" }));

interface Project {
  readonly keys: readonly string[];
  readonly recorded?: object;
}

function files({ keys, recorded = { output_text: "x" } }: Project) {
  return {
    "suite.yaml": [
      "name: chat",
      "dataset: data.jsonl",
      'target_template: "{{a}}"',
      "grader: { type: python, contract: batch, file: g.py }",
      "candidates: { app: { replay: outputs.jsonl } }",
      "gate: none",
      ...keys,
    ].join("\n"),
    "data.jsonl": jsonLines(rows),
    "images/a.png": png,
    "outputs.jsonl": jsonLines(rows.map(({ id }) => Object.assign({ case_id: id }, recorded))),
    "g.py": "",
  };
}

async function runOf(project: Project, image: Buffer = png) {
  await using fixture = await createFixture(files(project));
  await writeFile(join(fixture.path, "images/a.png"), image);
  const { warnings } = await runFixture(fixture, { python });
  const { samples, run } = await leftBy(fixture);
  const [first] = samples.toSorted((a, b) => a.sample_index - b.sample_index);
  if (first === undefined) throw new TypeError("there is no sample");
  return { sample: first, fingerprint: run.suite.tasks["chat"]?.fingerprint, warnings };
}

const text = 'messages_template: [{ role: system, content: S }, { role: user, content: "{{q}}?" }]';
const pictures =
  'messages_template: [{ role: user, content: [{ type: text, text: "{{q}}" }, { type: image, file: "{{image}}" }] }]';

describe("few-shot examples of messages", () => {
  it("stand behind the instructions as questions and answers, without the case that is asked", async () => {
    const { sample } = await runOf({ keys: [text, "num_fewshot: 1"] });
    expect(sample.messages).toEqual([
      { role: "system", content: "S" },
      { role: "user", content: "q2?" },
      { role: "assistant", content: "a2" },
      { role: "user", content: "q1?" },
    ]);
    expect(sample.prompt).toBe("[system]\nS\n\n[user]\nq2?\n\n[assistant]\na2\n\n[user]\nq1?");
  });

  it("may ask in words of their own, and are then one message of the user", async () => {
    const keys = [text, 'fewshot: { count: 1, prompt_template: "Q {{q}}" }'];
    expect((await runOf({ keys })).sample.messages?.[1]).toEqual({ role: "user", content: "Q q2" });
  });
});

describe("images", () => {
  it("are named in the sample with what they are, and not with where this machine has them", async () => {
    const { sample } = await runOf({ keys: [pictures] });
    expect(sample.messages?.[0]?.content).toEqual([
      { type: "text", text: "q1" },
      {
        type: "image",
        file: "images/a.png",
        media_type: "image/png",
        bytes: 70,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(sample.prompt).toMatch(
      /^\[user\]\nq1\n\[image: images\/a\.png, image\/png, 70 bytes, sha256 \w{16}\]$/,
    );
  });

  it("are part of the data: another picture under the same name is another data set, and the same prompt", async () => {
    const before = await runOf({ keys: [pictures] });
    const after = await runOf({ keys: [pictures] }, Buffer.concat([png, Buffer.from("x")]));
    expect(after.fingerprint?.dataset).not.toBe(before.fingerprint?.dataset);
    expect(after.fingerprint?.prompt).toBe(before.fingerprint?.prompt);
  });
});

describe("what is asked", () => {
  it("has a fingerprint of its own, and recorded results of tools are part of the data", async () => {
    const plain = await runOf({ keys: ['prompt_template: "{{q}}?"'] });
    const messages = await runOf({ keys: [text] });
    const tools = await runOf({ keys: [text, "tool_results: { f: x }"] });
    expect(messages.fingerprint?.prompt).not.toBe(plain.fingerprint?.prompt);
    expect(messages.fingerprint?.dataset).toBe(plain.fingerprint?.dataset);
    expect(tools.fingerprint?.prompt).toBe(messages.fingerprint?.prompt);
    expect(tools.fingerprint?.dataset).not.toBe(messages.fingerprint?.dataset);
  });
});

it("takes calls of tools of a recording that has nothing else, and extracts from them", async () => {
  const recorded = { output_text: null, tool_calls: [{ name: "f", arguments: { city: "Oslo" } }] };
  const keys = [
    text,
    "output_extraction: { type: json, from: tool_calls, path: /0/arguments/city }",
  ];
  const { sample } = await runOf({ keys, recorded });
  expect(sample).toMatchObject({
    output_text: "",
    extracted_output: "Oslo",
    transcript: [{ type: "tool_call", id: "call_1", name: "f", arguments: '{"city":"Oslo"}' }],
  });
  const none = await runOf({ keys });
  expect(none.sample).toMatchObject({ output_text: "x", extracted_output: null });
});
