import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import { validate } from "../../src/manifest/suite-schema.generated.mjs";
import { readArguments } from "../../src/cli/program.ts";

/** What the docs show is what the program takes: parts of manifests by the schema, command lines by the argument reader. */

const names = (await readdir("docs")).filter((name) => name.endsWith(".md"));
const pages = await Promise.all(
  ["README.md", "llms.txt", "skills/regrade/SKILL.md", ...names.map((name) => `docs/${name}`)].map(
    async (name) => ({ name, text: await readFile(name, "utf8") }),
  ),
);

/** Keys of a workflow, or of a step of one. */
const ofWorkflows = ["on", "jobs", "steps", "env", "permissions", "with", "concurrency"];

function manifestParts(text: string): readonly JsonObject[] {
  return [...text.matchAll(/^```yaml\n([^]*?)^```$/gm)].flatMap(([, block = ""]) => {
    const value = parse(block) as Json;
    if (!isJsonObject(value) || ofWorkflows.some((key) => key in value)) return [];
    return [value];
  });
}

/** A part, such as `gate: …` alone, with what a suite needs beside it. */
function whole(part: JsonObject): JsonObject {
  if (["tasks", "from", "uses"].some((key) => key in part)) return part;
  return {
    dataset: "rows.jsonl",
    ...(!("messages_template" in part) && { prompt_template: "{{question}}" }),
    ...(!("graders" in part) && { grader: "exact_match" }),
    ...part,
  };
}

describe("examples of manifests in the docs", () => {
  const parts = pages.flatMap(({ name, text }) =>
    manifestParts(text).map((part, i) => ({ name, i, part })),
  );

  it("are found", () => expect(parts.length).toBeGreaterThan(40));

  it.each(parts)("$name ($i) has keys that the schema takes", ({ part }) => {
    const isValid = validate(whole(part));
    expect(isValid ? [] : (validate.errors ?? []), JSON.stringify(part)).toEqual([]);
  });
});

/** A command that can be typed as it stands: no placeholder, and without comment, pipe and redirection. */
function commandsIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
  const inline = [...text.matchAll(/`(regrade [^`\n]+)`/g)].map(([, command = ""]) => command);
  return [...blocks, ...inline]
    .map((line) => line.replace(/\s+#\s.*$|\s[|>].*$/, "").trim())
    .filter((line) => /^regrade [a-z-]+ /.test(line) && !/[A-Z]{4}|…|\.\.\.|[<[{]/.test(line));
}

function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}

describe("commands in the docs", () => {
  const commands = pages.flatMap(({ name, text }) =>
    [...new Set(commandsIn(text))].map((command) => ({ name, command })),
  );

  it("are found", () => expect(commands.length).toBeGreaterThan(30));

  it.each(commands)("$name: $command", async ({ command }) => {
    const complaints: string[] = [];
    const read = await readArguments(wordsOf(command).slice(1), {
      version: "0",
      write: () => undefined,
      complain: (text) => complaints.push(text),
    });
    expect(complaints).toEqual([]);
    expect(read.kind).toBe("command");
  });
});
