import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, beforeAll, expect, it } from "vitest";
import { builtinProviders } from "../../src/model/models/providers.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { parseLines, regrade } from "../support/cli.ts";
import { priceTable } from "../support/price-table.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";

const page = await readFile("docs/candidates.md", "utf8");
const candidates = [...page.matchAll(/^<!-- candidate: (\S+) -->\n```yaml\n([^]*?)^```$/gm)];
const files = [...page.matchAll(/^<!-- file: (\S+) -->\n```\w+\n([^]*?)^```$/gm)];

/** What the examples are asked; the short form of a suite. */
const task = `name: tickets
dataset: tickets.jsonl
prompt_template: "Billing or other? {{text}}"
target_template: "{{label}}"
grader: exact_match
`;
const tickets = [
  { id: "t1", text: "I was charged twice", label: "billing", channel: "mail" },
  { id: "t2", text: "It is blue", label: "other", channel: "chat" },
];

let model: Provider;
const app = createServer((request, response) => {
  request.setEncoding("utf8").on("data", (text: string) => {
    const asked: unknown = JSON.parse(text);
    const isWhole = JSON.stringify(asked).includes("channel");
    const isAllowed = request.headers.authorization === "Bearer app-key-1234";
    response.writeHead(isWhole && isAllowed ? 200 : 400);
    response.end(JSON.stringify({ result: { text: labelOf(text) } }));
  });
});

beforeAll(async () => {
  model = await startProvider({ answer: ({ prompt }) => labelOf(prompt) });
  await new Promise<void>((listening) => app.listen(0, "127.0.0.1", listening));
});

afterAll(async () => {
  await model.close();
  app.close();
});

it.each(candidates.map(([, kind = "", yaml = ""]) => ({ kind, yaml })))(
  "gives an example of a $kind that works as it stands",
  async ({ kind, yaml }) => {
    const server = kind === "model" ? Number(new URL(model.url).port) : portOf();
    await using fixture = await createFixture({
      ...Object.fromEntries(files.map(([, path = "", text = ""]) => [path, text])),
      "tickets.jsonl": tickets.map((row) => `${JSON.stringify(row)}\n`).join(""),
      "suite.yaml": task + yaml.replace(":8000", `:${server}`),
    });
    const argv = ["run", "suite.yaml", "--baseline", "none", "--out", "run"];
    const env = { APP_KEY: "app-key-1234", HOUSE_KEY: "house-key-1234" };
    const end = await regrade(argv, { in: fixture.path, env });
    expect(end.code, end.stderr + end.stdout).toBe(0);
    const samples = parseLines(
      await readFile(join(fixture.path, "run/samples.jsonl"), "utf8"),
    ) as Sample[];
    expect(samples.map((sample) => sample.scores)).toEqual([
      { exact_match: 1 },
      { exact_match: 1 },
    ]);
  },
);

it("has an example of every kind", () => {
  expect(candidates.map(([, kind]) => kind)).toEqual([
    "model",
    "command",
    "worker",
    "http",
    "replay",
  ]);
});

it("names every built-in provider with its key and its API, and the day of the prices", () => {
  for (const [id, { api, api_key_env: key }] of Object.entries(builtinProviders)) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${id}\` |`)) ?? "";
    expect(row, id).toContain(key === undefined ? "none" : `\`${key}\``);
    expect(row, id).toContain(api === "chat" ? "Chat Completions" : "Responses");
  }
  const day = new Date(priceTable.asOf).toLocaleDateString("en-GB", { dateStyle: "long" });
  expect(page.replaceAll(/\s+/g, " ")).toContain(`those of ${day}`);
});

function labelOf(text: string): string {
  return text.includes("charged") ? "billing" : "other";
}

function portOf(): number {
  const address = app.address() as AddressInfo | null;
  return address?.port ?? 0;
}
