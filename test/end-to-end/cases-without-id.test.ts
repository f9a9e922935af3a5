import { writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { PageIndex } from "../../src/model/page.ts";
import { jsonLines, regrade } from "../support/cli.ts";
import { unpack } from "../support/page/unpack.ts";

/** A case without an id is named by a hash: where it broke, its row's fields tell which it is. */

const app = (broken: string): string =>
  `import sys\ntext = sys.stdin.read()\nprint("wrong" if "${broken}" in text else text)\n`;

const rows = Array.from({ length: 40 }, (_, i) => ({
  topic: i < 12 ? `cats | <b>${i}</b>` : `dogs ${i}`,
}));

const suite = (more: string): string =>
  `name: animals
dataset: rows.jsonl
prompt_template: "{{topic}}"
target_template: "{{topic}}"
grader: exact_match
candidates: { app: { command: [python3, -S, app.py] } }
gate: { max_drop: 0.02, confirm: never }
${more}`;

interface BrokenRun {
  readonly said: string;
  readonly page: string;
  readonly report: string;
}

async function brokenRun(more: string): Promise<BrokenRun> {
  await using fixture = await createFixture({
    "suite.yaml": suite(more),
    "rows.jsonl": jsonLines(rows),
    "app.py": app("nothing"),
  });
  const run = (argv: readonly string[]) =>
    regrade(["run", "suite.yaml", ...argv], { in: fixture.path });
  expect((await run(["--baseline", "none", "--out", "base"])).code).toBe(0);
  await writeFile(fixture.getPath("app.py"), app("cats"));
  const end = await run(["--baseline", "base", "--out", "head", "--report"]);
  expect(end.code, end.stderr).toBe(1);
  const [page, report] = await Promise.all([
    fixture.readFile("head/summary.md", "utf8"),
    fixture.readFile("head/report.html", "utf8"),
  ]);
  return { said: end.stdout, page, report };
}

it("shows the row of such a case in terminal, summary and report", { tags: "long" }, async () => {
  const { said, page, report } = await brokenRun("");
  const [shown] = (unpack(report, "index") as PageIndex).runs;
  expect(shown?.cases.rows["0"]).toMatch(/^topic=cats \| <b>\d+<\/b>$/);
  expect(said).toMatch(/broken +12 cases: [0-9a-f]{16} \(topic=cats \| <b>\d+<\/b>\)/);
  expect(page).toMatch(/[0-9a-f]{16}\S* \(topic=cats/);
  const lines = page.split("\n").filter((line) => line.includes("(topic="));
  expect(lines.length).toBeGreaterThan(11);
  for (const line of lines) expect(line).not.toMatch(/<b>|[^\\]\| <|[^\\]\| &lt;/);
});

it("shows none where only ids may be shown", async () => {
  const { said, page } = await brokenRun("publish: { content: ids }\n");
  expect(said + page).not.toContain("topic=");
  expect(page).toMatch(/[0-9a-f]{16}/);
});
