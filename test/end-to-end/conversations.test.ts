import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { jsonLines, parseLines, regrade } from "../support/cli.ts";
import { startProvider, type Seen } from "../support/provider/server.ts";

const rows = Array.from({ length: 12 }, (_, i) => ({
  id: `c${i}`,
  turns: [`q${i}`, "then?"],
  lang: "da",
  label: "yes",
}));

/** A model that looks a word up, and does as it is told or as the word says. */
function answering({ body }: Seen) {
  const text = JSON.stringify(body);
  if (!text.includes("then?")) return { kind: "answer" as const, text: "ok" };
  if (!text.includes("call_look")) {
    const call = { id: "call_look", name: "look", arguments: {} };
    return { kind: "answer" as const, toolCalls: [call] };
  }
  return {
    kind: "answer" as const,
    text: text.includes("Be good, in da.") && text.includes("allowed") ? "yes" : "no",
  };
}

const suite = (url: string, { word = "good", result = "allowed" } = {}): string => `name: talk
dataset: rows.jsonl
messages_template: { turns: "{{turns}}" }
tool_results: { look: ${result} }
target_template: "{{label}}"
grader: exact_match
providers: { local: { base_url: "${url}", api: chat } }
candidates: { m: { model: "local:m", instructions: "Be ${word}, in {{lang}}.", tools: [{ type: function, name: look }] } }
`;

function said({ case_id, messages, output_text }: Sample): readonly unknown[] {
  return [case_id, messages, output_text];
}

async function samplesIn(folder: string, run: string): Promise<readonly Sample[]> {
  return parseLines(
    await readFile(join(folder, run, "samples.jsonl"), "utf8"),
  ) as readonly Sample[];
}

async function runIn(folder: string, run: string): Promise<Run> {
  return JSON.parse(await readFile(join(folder, run, "run.json"), "utf8")) as Run;
}

it("runs a proven drop of conversations again, each side with its own instructions", async () => {
  await using provider = await startProvider({ script: answering });
  const { url } = provider;
  await using fixture = await createFixture({
    "rows.jsonl": jsonLines(rows),
    "suite.yaml": suite(url),
  });
  const argv = ["run", "suite.yaml", "--no-cache"];
  const base = await regrade([...argv, "--baseline", "none", "--out", "base"], {
    in: fixture.path,
  });
  expect(base.code, base.stderr).toBe(0);
  const before = provider.count();
  expect(before).toBe(12 * 3);
  await writeFile(join(fixture.path, "suite.yaml"), suite(url, { word: "bad" }));
  const head = await regrade([...argv, "--baseline", "base", "--out", "head"], {
    in: fixture.path,
  });
  expect(head.code, head.stderr).toBe(1);
  expect((await runIn(fixture.path, "head")).confirmation?.rounds).toMatchObject([
    { outcome: "run", samples: 24 },
  ]);
  const again = provider.requests.slice(before + 12 * 3).map(({ body }) => JSON.stringify(body));
  expect(again.filter((each) => each.includes("Be good, in da."))).toHaveLength(12 * 3);
  expect(again.filter((each) => each.includes("Be bad, in da."))).toHaveLength(12 * 3);
});

it("keeps conversations for later runs, and asks again where a tool's result is another", async () => {
  await using provider = await startProvider({ script: answering });
  const { url } = provider;
  await using fixture = await createFixture({
    "rows.jsonl": jsonLines(rows),
    "suite.yaml": suite(url),
  });
  const argv = ["run", "suite.yaml", "--baseline", "none", "--out"];
  await regrade([...argv, "one"], { in: fixture.path });
  await regrade([...argv, "two"], { in: fixture.path });
  expect(provider.count()).toBe(36);
  const [one, two] = [await samplesIn(fixture.path, "one"), await samplesIn(fixture.path, "two")];
  expect(two.every(({ cached }) => cached)).toBe(true);
  expect(new Set(two.map((each) => JSON.stringify(said(each))))).toEqual(
    new Set(one.map((each) => JSON.stringify(said(each)))),
  );
  await writeFile(join(fixture.path, "suite.yaml"), suite(url, { result: "denied" }));
  await regrade([...argv, "three"], { in: fixture.path });
  expect(provider.count()).toBe(72);
  expect((await runIn(fixture.path, "three")).metrics[0]?.value).toBe(0);
});

it("judges a change by the base's recorded results, and by its own apart: neither takes the other's answers", async () => {
  await using provider = await startProvider({ script: answering });
  const { url } = provider;
  const base = { "rows.jsonl": jsonLines(rows), "suite.yaml": suite(url, { result: "denied" }) };
  await using fixture = await createFixture({
    base,
    head: { ...base, "suite.yaml": suite(url) },
  });
  const argv = [
    "run",
    "head/suite.yaml",
    "--policy-from",
    "base",
    "--baseline",
    "none",
    "--no-cache",
    "--out",
    "run",
  ];
  const end = await regrade(argv, { in: fixture.path });
  const run = await runIn(fixture.path, "run");
  expect(run.metrics[0]?.value, end.stderr).toBe(0);
  expect(run.policy?.changed).toContainEqual(
    expect.objectContaining({
      part: "dataset",
      effect: "changed",
      note: "12 of the base's cases are gone or changed",
    }),
  );
  expect(provider.count()).toBe(72);
});
