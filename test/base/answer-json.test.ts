import { expect, it } from "vitest";
import { parseAnswer } from "../../src/base/answer-json.ts";

it.each<[string, string, string]>([
  ["200 lists", `${"[".repeat(200)}${"]".repeat(200)}`, "json"],
  ["201 lists", `${"[".repeat(201)}${"]".repeat(201)}`, "malformed"],
  ["200 objects", `${'{"a":'.repeat(200)}1${"}".repeat(200)}`, "json"],
  ["201 lists and objects", `${'[{"a":'.repeat(100)}[]${"}]".repeat(100)}`, "malformed"],
  ["many lists side by side", `[${"[],".repeat(300)}[]]`, "json"],
  ["many brackets in a text", `["${"[".repeat(300)}"]`, "json"],
])("%s in an answer, up to 200 levels", (_, text, kind) => {
  expect(parseAnswer(text).kind).toBe(kind);
});
