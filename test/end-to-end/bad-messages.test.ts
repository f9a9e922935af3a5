import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { parseLines, regrade } from "../support/cli.ts";
import { startProvider } from "../support/provider/server.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const hi = [{ role: "user", content: "hi" }];
const image = (file: string) => [{ role: "user", content: [{ type: "image", file }] }];
const row = '"{{messages}}"';

/** A suite each: what it asks with, its rows, and what `validate` says. */
const suites: Readonly<
  Record<string, readonly [asks: string, rows: readonly object[], said: readonly string[]]>
> = {
  good: [row, [{ messages: hi }, { messages: image("a.png") }], []],
  mixed: [
    row,
    [{ messages: hi }, { question: "hi" }, { messages: "hi" }],
    [
      "(row 2) can't be asked: there is no 'messages'; a list of messages is needed",
      "(row 3) can't be asked: 'messages' is a text; a list of messages is needed",
    ],
  ],
  role: [
    row,
    [{ messages: [{ role: "bot", content: "x" }] }],
    ['messages[0] has the role "bot"; allowed are system, developer, user, assistant, tool'],
  ],
  turns: [
    '{ turns: "{{turns}}" }',
    [{ turns: Array(200).fill("x") }],
    ["'turns' has 200 turns; at most 50 are allowed"],
  ],
  absent: [
    row,
    [{ messages: image("none.png") }],
    ['the image "none.png" is not there (looked for beside the data)'],
  ],
  text: [
    row,
    [{ messages: image("text.png") }],
    ['the image "text.png" is no image; an image is a PNG, JPEG, GIF or WebP file'],
  ],
  large: [row, [{ messages: image("large.png") }], ["an image has at most 20 MB"]],
  outside: [
    row,
    [{ messages: image("../../secret.png") }],
    ['the image "../../secret.png" is not inside the repository'],
  ],
  results: [
    `"{{messages}}"\ntool_results: "{{results}}"`,
    [{ messages: hi, results: { f: [{}] } }],
    ["'results.f' is neither a text nor a list of"],
  ],
  many: [
    row,
    Array.from({ length: 25 }, (_, n) => ({ n })),
    ["and 5 more rows that can't be asked"],
  ],
};

it("names every row that can't be asked as messages, before anything is asked", async () => {
  await using fixture = await createFixture({ repo: {} });
  const repo = join(fixture.path, "repo");
  await mkdir(join(repo, ".git"));
  await writeFile(join(repo, "a.png"), png);
  await writeFile(join(fixture.path, "secret.png"), png);
  await writeFile(join(repo, "text.png"), "hello");
  await writeFile(join(repo, "large.png"), Buffer.concat([png, Buffer.alloc(20_000_000)]));
  for (const [name, [asks, rows]] of Object.entries(suites)) {
    await writeFile(
      join(repo, `${name}.jsonl`),
      rows.map((each) => `${JSON.stringify(each)}\n`).join(""),
    );
    const suite = `name: ${name}\ndataset: ${name}.jsonl\nmessages_template: ${asks}\ngrader: json_valid\ncandidates: { app: { command: [python3, none.py] } }\n`;
    await writeFile(join(repo, `${name}.yaml`), suite);
  }
  const names = Object.keys(suites).map((name) => `${name}.yaml`);
  const end = await regrade(["validate", ...names], { in: repo });
  expect(end.code).toBe(2);
  const told = `${end.stdout}${end.stderr}`;
  for (const [name, [, , said]] of Object.entries(suites)) {
    const own = told.split("\n").filter((line) => line.includes(`${name}.yaml:`));
    for (const words of said) expect(own.join("\n"), name).toContain(words);
    if (said.length === 0) expect(own.join("\n"), name).not.toContain("can't be asked");
  }
});

it("warns of a list of messages in a prompt, which stays the text that it was", async () => {
  await using fixture = await createFixture({
    "rows.jsonl": `${JSON.stringify({ chat: hi })}\n`,
    "app.py": "import sys; print(sys.stdin.read())",
    "suite.yaml":
      'name: s\ndataset: rows.jsonl\nprompt_template: "{{chat}}"\ngrader: json_valid\ncandidates: { app: { command: [python3, app.py] } }\n',
  });
  const argv = ["run", "suite.yaml", "--baseline", "none", "--out", "run"];
  const end = await regrade(argv, { in: fixture.path });
  expect(end.stderr).toContain("'{{chat}}' is a list of messages in the first row");
  const [sample] = parseLines(
    await readFile(join(fixture.path, "run/samples.jsonl"), "utf8"),
  ) as readonly Sample[];
  expect(sample).toMatchObject({ prompt: JSON.stringify(hi), output_text: JSON.stringify(hi) });
  expect(sample).not.toHaveProperty("messages");
});

it("fails a case whose model refuses in the middle, keeps what was said, and renders instructions for each case", async () => {
  await using provider = await startProvider({
    script: ({ prompt }) =>
      prompt === "how?"
        ? { kind: "answer", refusal: "I won't say." }
        : { kind: "answer", text: "yes" },
  });
  await using fixture = await createFixture({
    "rows.jsonl": `${JSON.stringify({ id: "a", turns: ["may I?", "how?", "why?"], lang: "Danish", label: "x" })}\n`,
    "suite.yaml": `name: s
dataset: rows.jsonl
messages_template: { turns: "{{turns}}" }
target_template: "{{label}}"
grader: exact_match
providers: { local: { base_url: "${provider.url}", api: chat } }
candidates: { m: { model: "local:m", instructions: "Speak {{lang}}." } }
`,
  });
  const argv = ["run", "suite.yaml", "--baseline", "none", "--out", "run"];
  await regrade(argv, { in: fixture.path });
  const [sample] = parseLines(
    await readFile(join(fixture.path, "run/samples.jsonl"), "utf8"),
  ) as readonly Sample[];
  expect(sample).toMatchObject({
    output_text: null,
    error: { stage: "generate", fault: "candidate", type: "refusal", message: "I won't say." },
    messages: [
      { role: "user", content: "may I?" },
      { role: "assistant", content: "yes" },
      { role: "user", content: "how?" },
    ],
  });
  expect(provider.requests).toHaveLength(2);
  expect(provider.requests[1]?.body).toMatchObject({
    messages: [
      { role: "system", content: "Speak Danish." },
      { role: "user" },
      { role: "assistant" },
      { role: "user", content: "how?" },
    ],
  });
  const path = join(fixture.path, "suite.yaml");
  await writeFile(
    path,
    (await readFile(path, "utf8")).replace("Speak {{lang}}", "Say {{label}}, or {{row}}"),
  );
  const told = await regrade(["validate", "suite.yaml"], { in: fixture.path });
  expect(told.code).toBe(2);
  expect(told.stderr).toContain(
    "`instructions` tell the candidate 'label', which the target is made of",
  );
  expect(told.stderr).toContain("`instructions` tell the candidate the whole row");
});
