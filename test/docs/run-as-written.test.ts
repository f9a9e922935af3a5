import { existsSync, globSync } from "node:fs";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { cleanEnvironment, jsonLines, readRunDirectory, regrade } from "../support/cli.ts";
import { serveHuggingFace, type StandIn } from "../support/huggingface/server.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";
import {
  beside,
  commands,
  commandsElsewhere,
  elsewhere,
  hubFile,
  hubToken,
  type Beside,
} from "./beside-examples.ts";
import { isWorkflow, pages, type Block } from "./blocks.ts";

/**
 * Each manifest, or part of one, that the docs show is run as it stands, with what it needs beside it. A model of a provider is
 * one on the loopback, and so is Hugging Face.
 */

/** The README's ten lines. */
const readmeSuite = "README.md yaml 1";

const examples = pages.flatMap(({ blocks }) =>
  blocks.filter((block) => block.language === "yaml" && !isWorkflow(block)),
);
const unmarked = examples.filter(({ mark }) => mark === undefined);

let hub: StandIn;
let model: Provider;
let answering: Beside = {};
beforeAll(async () => {
  const rows = [
    { question: "2+2?", correct_answer_num: "1" },
    { question: "3+3?", correct_answer_num: "2" },
  ];
  hub = await serveHuggingFace({
    datasets: { "facebook/belebele": { splits: { "ukr_Cyrl/test": rows }, gated: hubToken } },
    files: { [hubFile]: jsonLines(rows) },
  });
  model = await startProvider({
    script: (seen) => answering.model?.(seen),
    answer: () => "billing",
  });
});
afterAll(async () => {
  await model.close();
  await hub[Symbol.asyncDispose]();
});

it("has what stands beside each example, or says where it is run", () => {
  const named = [...Object.keys(beside), ...Object.keys(elsewhere)];
  expect(named.toSorted()).toEqual(unmarked.map(({ id }) => id).toSorted());
  for (const place of Object.values({ ...elsewhere, ...commandsElsewhere }))
    expect(existsSync(place.replace(/[,:].*/, "")), place).toBe(true);
});

describe("an example of the docs runs as it stands", () => {
  it.each(unmarked.filter(({ id }) => id in beside).map((block) => ({ id: block.id, block })))(
    "$id",
    async ({ id, block }) => {
      const found = beside[id] ?? {};
      const { path = "suite.yaml", programs } = found;
      answering = found;
      await using fixture = await createFixture({
        "rows.jsonl": jsonLines(found.rows ?? tickets),
        ...found.files,
        [path]: suiteAround(block, found),
      });
      const env = {
        HOUSE_KEY: "house-key-1234",
        HF_TOKEN: hubToken,
        ANTHROPIC_API_KEY: "sk-ant-1234",
        GRAPH_TOKEN: "graph-token-1234",
        ...hub.env,
        REGRADE_TEST_HOSTS: hub.host,
        ...(programs !== undefined && { PATH: await programsIn(fixture.getPath(programs)) }),
      };
      const argv = ["run", path, "--baseline", "none", "--out", "run"];
      const end = await regrade(argv, { in: fixture.path, env });
      expect(end.code, end.stderr + end.stdout).toBe(0);
      const { run, samples } = await readRunDirectory(join(fixture.path, "run"));
      expect(run.cases.scored, end.stderr).toBeGreaterThan(0);
      if (!block.text.includes("from:")) expect(run.cases.scored, end.stderr).toBe(samples.length);
      for (const [metric, value] of Object.entries(found.metrics ?? {}))
        expect(run.metrics.find((each) => each.metric === metric)?.value, metric).toBe(value);
    },
  );
});

describe("commands of the docs run as they stand", () => {
  const lines = pages.flatMap(({ blocks }) => blocks.filter(({ language }) => language === "sh"));

  it("but for those of other programs, and those that another test runs", () => {
    const others = lines.filter(({ id, mark }) => mark === undefined && !commands.includes(id));
    expect(others.map(({ id }) => id).toSorted()).toEqual(
      Object.keys(commandsElsewhere).toSorted(),
    );
  });

  it.each(commands)("%s", async (id) => {
    const readme = examples.find((block) => block.id === readmeSuite);
    const isFirst = id.startsWith("README.md");
    await using fixture = await createFixture({
      ...(!isFirst && beside[readmeSuite]?.files),
      ...(!isFirst && {
        "evals/support.yaml": readme === undefined ? "" : suiteAround(readme, {}),
      }),
    });
    answering = {};
    const run = (command: string) =>
      regrade(wordsOf(command, fixture.path), {
        in: fixture.path,
        env: { HOUSE_KEY: "house-key-1234" },
      });
    if (!isFirst) await run("regrade run evals/support.yaml --out runs/today");
    const block = lines.find((each) => each.id === id)?.text ?? "";
    for (const command of block.trim().split("\n")) {
      if (command.startsWith("regrade view")) continue;
      const end = await run(command);
      expect(end.code, `${command}\n${end.stderr}`).toBe(0);
    }
  });
});

/** A shell's words, but for what no example has: quotes. Models are on the loopback. */
function wordsOf(command: string, folder: string): readonly string[] {
  const words = onLoopback(command.replace(/\s#.*$/, ""))
    .trim()
    .split(/\s+/);
  return words
    .slice(1)
    .flatMap((word) => (word.includes("*") ? globSync(word, { cwd: folder }) : [word]));
}

const tickets = [
  { id: "t1", question: "I was charged twice", answer: "billing" },
  { id: "t2", question: "It is blue", answer: "other" },
];

/** The example, its models on the loopback, and before it the keys that it leaves to the rest of a suite. */
function suiteAround(block: Block, { suite = {}, prices }: Beside): string {
  const own = parse(block.text) as Record<string, unknown>;
  const others: Record<string, unknown> = {
    name: "docs",
    dataset: "rows.jsonl",
    prompt_template: "{{question}}",
    target_template: "{{answer}}",
    grader: "exact_match",
    candidates: { app: { answer: "billing" } },
    gate: "none",
    ...suite,
    providers: {
      house: {
        base_url: model.url,
        api: "chat",
        api_key_env: "HOUSE_KEY",
        ...(prices !== undefined && { prices }),
      },
    },
  };
  if ("messages_template" in own || "messages_template" in suite) delete others["prompt_template"];
  if ("graders" in own || "graders" in suite) delete others["grader"];
  if ("tasks" in own || "uses" in own || "from" in own) {
    for (const key of ["dataset", "prompt_template", "target_template", "grader"])
      delete others[key];
  }
  if ("from" in own) for (const key of ["candidates", "providers"]) delete others[key];
  const kept = Object.entries(others).filter(([key]) => !(key in own));
  const lines = kept.map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return lines.join("") + onLoopback(block.text);
}

/** A text whose models and data sets are on the loopback, since a test has neither a key nor a network. */
function onLoopback(text: string): string {
  return text
    .replaceAll(/\bopenai:gpt-[\w.-]+|\bollama:[\w.:-]+/g, "house:m")
    .replaceAll("https://huggingface.co/", `${hub.url}/`);
}

/** A PATH that begins with a folder, whose files are made programs. */
async function programsIn(folder: string): Promise<string> {
  for (const name of await readdir(folder)) await chmod(join(folder, name), 0o755);
  return `${folder}:${cleanEnvironment(folder)["PATH"]}`;
}
