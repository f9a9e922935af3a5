import { expect, it } from "vitest";
import { assertionNames } from "../../../src/grading/held/names.ts";
import { agentSample, graded } from "./graded.ts";

const answer = (text: string) => ({ output_text: text, extracted_output: text });

// As waza's own program says, which lowers each letter by itself.
it.each([
  ["contains", "ΟΔΟΣ", "ΟΔΟΣΑΝ", 1],
  ["contains", "οδος", "ΟΔΟΣ", 0],
  ["contains", "οδοσ", "ΟΔΟΣ", 1],
  ["contains", "istanbul", "İstanbul", 1],
  ["contains", "İSTANBUL", "istanbul", 1],
  ["contains", "STRASSE", "straße", 0],
  ["contains", "É", "caf\u00e9", 1],
  ["contains", "É", "cafe\u0301", 0],
  ["contains", "K", "\u212A", 1],
  ["contains_cs", "İ", "i", 0],
  ["contains_any", "ΟΔΟΣ", "οδοσαν", 1],
])("%s %j in %j gives %d", async (...[key, word, text, score]) => {
  const told = await graded("text", { [key]: [word] }, answer(text));
  expect(told).toMatchObject({ scores: { text: score } });
});

const files = { "a.txt": "hello\nworld\n", "dir/b.txt": "" };

it.each([
  ["  hello  ", 1],
  ["+ hello ", 1],
  ["- hello", 0.5],
  ["--hello", 1],
  ["++hello", 0.5],
  ["   ", 1],
  ["hello\nworld", 1],
])("the fragment %j of a diff is read without the space around it", async (fragment, score) => {
  const options = { expected_files: [{ path: "a.txt", contains: [fragment] }] };
  const told = await graded("diff", options, agentSample({ files }));
  expect(told).toMatchObject({ scores: { diff: score } });
});

it("a diff says that a folder is no file", async () => {
  const options = { expected_files: [{ path: "dir", contains: ["x"] }] };
  const told = await graded("diff", options, agentSample({ files }));
  expect(told).toMatchObject({
    scores: { diff: 0 },
    judge: {
      feedback: expect.stringContaining("Failed to read workspace file dir: it is a directory"),
    },
  });
});

it("assertions see events of the agent alone", () => {
  const transcript = [
    { type: "session", runtime: "copilot" },
    { type: "message", role: "assistant", text: "x" },
    { type: "end", reason: "done" },
  ];
  const names = assertionNames(Object({ output_text: "", transcript }));
  expect(names["transcript"]).toEqual([{ type: "assistant.message", content: "x" }]);
  expect(assertionNames(Object({ output_text: "", transcript: [{ type: "end" }] }))).toMatchObject({
    transcript: [],
  });
});
