import { readdir, readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { resultFormats } from "../../src/model/results.ts";
import { regrade } from "../support/cli.ts";

/** The pages about results, and what they have people write: each block as it stands there. */

const page = (name: string): Promise<string> => readFile(`docs/results/${name}`, "utf8");

function blocks(text: string, language: string): readonly string[] {
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"));
  return [...found].map(([, block]) => block ?? "");
}

describe.each([
  { name: "jsonl.md", language: "json", file: "out.jsonl" },
  { name: "csv.md", language: "csv", file: "out.csv" },
])("docs/results/$name", ({ name, language, file }) => {
  it("has rows and commands that work as they stand", async () => {
    const text = await page(name);
    await using fixture = await createFixture({ [file]: blocks(text, language)[0] ?? "" });
    const commands = (blocks(text, "sh")[0] ?? "").trim().split("\n");
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      const end = await regrade(command.split(" ").slice(1), { in: fixture.path });
      expect(end.code, `${command}\n${end.stderr}`).toBe(0);
    }
  });
});

it("has manifests that are valid", async () => {
  const manifests = [
    ...blocks(await page("jsonl.md"), "yaml"),
    ...blocks(await page("README.md"), "yaml"),
  ];
  const suites = manifests.filter((text) => text.includes("from:"));
  expect(suites).toHaveLength(2);
  for (const suite of suites) {
    // As many cases as the examples' `min_cases` asks for.
    const rows = Array.from({ length: 50 }, (_, n) => {
      const row = { question_id: `q${n}`, question: `${n}?`, passage: "" };
      return `${JSON.stringify({ ...row, completion: "!", score: 1 })}\n`;
    });
    await using fixture = await createFixture({
      "evals/own.yaml": suite
        .replace("../out.json,", "../out.jsonl,")
        .replace("format: promptfoo", "format: jsonl")
        .replace("id: pass", "id: score")
        .replaceAll("metric: pass", "metric: score"),
      "out.jsonl": rows.join(""),
    });
    const end = await regrade(["validate", "evals/own.yaml"], { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
  }
});

it("has a page for each format", async () => {
  const readme = await page("README.md");
  const files = await readdir("docs/results");
  for (const format of resultFormats) {
    expect(readme).toContain(`\`${format}\``);
    expect(files).toContain(`${format}.md`);
  }
  for (const file of files) if (file !== "README.md") expect(readme).toContain(`](${file})`);
});
