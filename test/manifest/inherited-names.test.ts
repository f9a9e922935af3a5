import { writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { parse, stringify } from "yaml";
import { describe, expect } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import { isWorkflow, pages } from "../docs/blocks.ts";
import { runCliHere } from "../support/cli-here.ts";
import { itSome } from "../support/rows.ts";

/** Every object of JavaScript has something by this name. */
const name = "constructor";

/** A value with the name in place of one text, one number, one key and so on: once for each of them. */
function* withName(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries())
      for (const one of withName(each)) yield value.with(i, one);
  } else if (isJsonObject(value)) {
    const entries = Object.entries(value);
    for (const [i, [key, field]] of entries.entries()) {
      yield Object.fromEntries(entries.with(i, [name, field]));
      for (const one of withName(field)) yield Object.fromEntries(entries.with(i, [key, one]));
    }
  } else yield name;
}

function whole(part: JsonObject): JsonObject {
  if (["tasks", "from", "uses"].some((key) => key in part)) return part;
  const grader = "graders" in part ? {} : { grader: "exact_match" };
  const prompt = "messages_template" in part ? {} : { prompt_template: "{{question}}" };
  return { dataset: "rows.jsonl", ...prompt, ...grader, ...part };
}

const examples = pages.flatMap(({ name: page, blocks }) =>
  blocks
    .filter((block) => block.language === "yaml" && !isWorkflow(block))
    .map(({ text }, i): readonly [string, number, JsonObject] => [
      page,
      i,
      parse(text) as JsonObject,
    ]),
);

describe(`a manifest that has '${name}' somewhere`, () => {
  itSome(examples)("is right or refused, and no bug: %s, example %i", async (_page, _i, part) => {
    const rows = `{"id":"1","question":"q","answer":"a"}\n`;
    await using fixture = await createFixture({ "rows.jsonl": rows });
    const { PATH = "" } = process.env;
    const start = { directory: fixture.path, env: { PATH, HOME: fixture.path } };
    const bugs: string[] = [];
    for (const manifest of withName(whole(part))) {
      await writeFile(fixture.getPath("suite.yaml"), stringify(manifest));
      const end = await runCliHere({ argv: ["validate", "suite.yaml"], ...start });
      const said = end.stdout + end.stderr;
      if (end.code === 70 || said.includes("[native code]")) bugs.push(said);
    }
    expect(bugs).toEqual([]);
  });
});
