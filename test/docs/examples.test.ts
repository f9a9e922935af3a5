import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { parseLines, regrade, repository } from "../support/cli.ts";

const readme = await readFile("docs/suite.md", "utf8");
const verdictPage = spaced(await readFile("docs/verdict.md", "utf8"));
const picture = await readFile("docs/images/quickstart.svg", "utf8");

it("gives a suite on its page that works as it stands, and says of its break what the page quotes", async () => {
  await using fixture = await createFixture(filesIn(readme));
  const commands = commandsIn(readme);
  expect(commands.length).toBeGreaterThan(2);
  for (const command of commands) {
    const end = await regrade(command.split(" ").slice(1), { in: fixture.path });
    expect(end.code, `${command}\n${end.stderr}`).toBe(0);
  }
  const app = join(fixture.path, "app.py");
  await writeFile(app, (await readFile(app, "utf8")).replace('"crash"', '"Crash"'));
  const end = await regrade(["run", "evals/support.yaml"], { in: fixture.path });
  expect(end.code, end.stderr).toBe(3);
  const quoted = /the run ends as inconclusive, with "([^"]+)"/.exec(spaced(readme))?.[1];
  expect(spaced(end.stdout)).toContain(quoted ?? "a quotation");
});

it("gives those who leave OpenAI's Evals a suite that works as it stands", async () => {
  const page = await readFile("docs/openai-evals.md", "utf8");
  await using fixture = await createFixture(filesIn(page));
  for (const command of commandsIn(page)) {
    const end = await regrade(command.split(" ").slice(1), { in: fixture.path });
    expect(end.code, `${command}\n${end.stderr}`).toBe(0);
  }
});

it("gives those who come from the hosted product commands that work as they stand", async () => {
  const page = await readFile("docs/import.md", "utf8");
  const row = { question: "2+2?", answer: "4" };
  const task = {
    id: "qa",
    dataset: { file_id: "file_dataset123" },
    prompt_template: "{{question}}",
    target_template: "{{answer}}",
    metrics: [{ id: "score", range: [0, 1] }],
    grader: { type: "python", file_id: "file_grader123" },
  };
  const sample = {
    task_id: "qa",
    model: "openai:gpt-5.4-mini",
    sample_index: 0,
    dataset_row: row,
    output_text: "4",
    extracted_output: "4",
    scores: { score: 1 },
    status: "completed",
  };
  await using fixture = await createFixture({
    "version.json": JSON.stringify({ schema_version: "2026-05-27", tasks: [task] }),
    "samples.jsonl": `${JSON.stringify(sample)}\n`,
    "evals/data/qa.jsonl": `${JSON.stringify(row)}\n`,
    "evals/graders/qa.py": "def grade(sample, item):\n    return 1.0\n",
  });
  for (const command of commandsIn(page)) {
    const end = await regrade(command.split(" ").slice(1), {
      in: fixture.path,
      env: { OPENAI_API_KEY: "sk-test" },
    });
    expect(end.code, `${command}\n${end.stderr}`).toBe(0);
  }
  const run: Run = JSON.parse(await fixture.readFile("evals/runs/qa/run.json", "utf8"));
  expect(run.cases.scored).toBe(1);
});

it("convinces in 30 seconds: the README is short, and its ten lines are a suite that validates", async () => {
  const short = await readFile("README.md", "utf8");
  expect(short.split("\n").length).toBeLessThanOrEqual(140);
  const [, suite = ""] = /^```yaml\n(# evals\/support\.yaml\n[^]*?)^```$/m.exec(short) ?? [];
  const { "evals/tickets.jsonl": rows = "", "app.py": app = "" } = filesIn(readme);
  await using fixture = await createFixture({
    "evals/support.yaml": suite,
    "evals/tickets.jsonl": rows,
    "app.py": app,
  });
  const end = await regrade(["validate", "--strict", "evals/support.yaml"], { in: fixture.path });
  expect(end.code, end.stderr).toBe(0);
  const run = await regrade(["run", "evals/support.yaml", "--baseline", "none"], {
    in: fixture.path,
  });
  expect(run.code, run.stderr).toBe(0);
});

it("gates a change of an agent's system prompt in the example of one, without a model", async () => {
  await using fixture = await createFixture("examples/agent");
  const run = ["run", "suite.yaml", "--baseline", "none", "--out"];
  const good = await regrade([...run, "good"], { in: fixture.path });
  expect(good.code, good.stderr).toBe(0);
  const prompt = fixture.getPath("prompts/system.md");
  const [kept = ""] = (await readFile(prompt, "utf8")).split(/(?<=\.) /);
  await writeFile(prompt, kept);
  const weak = await regrade([...run, "weak"], { in: fixture.path });
  expect(weak.code, weak.stderr).toBe(1);
  const figures = await Promise.all(
    ["good", "weak"].map(async (name) => {
      const found = JSON.parse(await readFile(fixture.getPath(`${name}/run.json`), "utf8")) as Run;
      const right = found.metrics.find(
        ({ metric, candidate }) => metric === "right" && candidate === "with_graph",
      );
      return right?.value;
    }),
  );
  expect(figures).toEqual([1, 0.4]);
  const page = await readFile(fixture.getPath("README.md"), "utf8");
  expect(spaced(page)).toContain("from 100 % to 40 %");
});

it(
  "says what a context is worth in the example of k-eval, and that a run without its tools says nothing",
  { tags: "long" },
  async () => {
    await using fixture = await createFixture("examples");
    const judge = spawn("python3", ["-u", fixture.getPath("k-eval/judge.py"), "0"]);
    try {
      const [said] = (await once(judge.stdout, "data")) as [Buffer];
      const port = /\d+/.exec(said.toString())?.[0] ?? "";
      const suite = fixture.getPath("k-eval/suite.yaml");
      const text = (await readFile(suite, "utf8")).replace("8017", port);
      await writeFile(suite, text);
      const run = ["run", "k-eval/suite.yaml", "--baseline", "none", "--out"];
      const good = await regrade([...run, "good"], { in: fixture.path });
      expect(good.code, good.stderr).toBe(0);
      const found = JSON.parse(await readFile(fixture.getPath("good/run.json"), "utf8")) as Run;
      expect(
        found.metrics
          .filter(({ metric }) => metric === "completeness")
          .map(({ candidate, value }) => [candidate, value]),
      ).toEqual([
        ["baseline", 2.6],
        ["with-graph", 5],
      ]);
      await writeFile(suite, text.replace(", look it up with your tools", ""));
      const idle = await regrade([...run, "idle"], { in: fixture.path });
      expect(idle.code).not.toBe(0);
      expect(idle.stdout + idle.stderr).toMatch(/no (?:call|tool)/i);
    } finally {
      judge.kill();
    }
  },
);

it("shows the quickstart in picture and example as it is", { tags: "long" }, async () => {
  await using fixture = await createFixture({});
  const suite = join(repository, "examples/quickstart/suite.yaml");
  const out = join(fixture.path, "run");
  const ran = await regrade(["run", suite, "--json", "--quiet", "--out", out], { in: repository });
  expect(ran.code, ran.stderr).toBe(1);
  const run = parseLines(ran.stdout)[0] as Run;
  const rule = run.gate.rules[0];
  expect(rule).toMatchObject({ n: 152, broke: 19, fixed: 2, outcome: "missed" });
  expect(verdictPage).toContain(`mid-p 127/2²¹ = ${rule?.p?.toFixed(5)}`);
  for (const bound of rule?.delta_ci ?? [])
    expect(verdictPage).toContain((100 * bound).toFixed(1).replace("-", "−"));
  expect(verdictPage).toContain(`= ${(100 * (rule?.mde ?? 0)).toFixed(1)} points`);
  const base = join(repository, "examples/quickstart/baseline");
  const shown = await regrade(["compare", base, out], { in: repository });
  const words = spaced(picture.replaceAll(/<[^>]*>/g, " "));
  expect(words).toContain(spaced(shown.stdout.split("\n")[0] ?? "a first line"));
});

/** The README's files: each stands after a comment that names it. */
function filesIn(text: string): Record<string, string> {
  const found = text.matchAll(/^<!-- file: (\S+) -->\n```\w+\n([^]*?)^```$/gm);
  return Object.fromEntries([...found].map(([, path, content]) => [path ?? "", content ?? ""]));
}

function commandsIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^<!-- commands -->\n```sh\n([^]*?)^```$/gm)];
  return blocks.flatMap(([, lines]) => (lines ?? "").trim().split("\n"));
}

function spaced(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
