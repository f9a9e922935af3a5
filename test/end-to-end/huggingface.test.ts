import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { jsonLines, readRunDirectory, regrade, repository } from "../support/cli.ts";
import { revision, serveHuggingFace, type StandInOptions } from "../support/huggingface/server.ts";

/** Data sets of Hugging Face and files behind addresses, as a user's runs read them. */

const data = join(repository, "../shared/data");
const seeds = join(repository, "../shared/seeds");

const passages = (config: string) =>
  Array.from({ length: 130 }, (_, i) => ({
    link: `https://en.wikinews.org/wiki/${i}`,
    question_number: 1 + (i % 2),
    flores_passage: `Уривок ${i} (${config})`,
    question: `Питання ${i}?`,
    mc_answer1: "a",
    mc_answer2: "b",
    mc_answer3: "c",
    mc_answer4: "d",
    correct_answer_num: String(1 + (i % 4)),
    dialect: config,
    ds: "2023-05-03",
  }));

const belebele: StandInOptions = {
  datasets: {
    "facebook/belebele": {
      splits: { "acm_Arab/test": passages("acm_Arab"), "ukr_Cyrl/test": passages("ukr_Cyrl") },
    },
  },
};

/** A documented example, as it stands: from its heading to the next one. */
function documented(heading: string, next: string): string | undefined {
  const page = join(seeds, "001_6775649954dfcdaa.txt");
  if (!existsSync(page)) return undefined;
  const text = readFileSync(page, "utf8");
  const start = text.indexOf("{", text.indexOf(heading));
  return text.slice(start, text.indexOf(`\n${next}`, start)).trim();
}

const answersTwo = { candidates: { two: { command: ["echo", "2"] } } };

const questions = (split: string) =>
  Array.from({ length: 5 }, (_, i) => ({ question: `${split} ${i}?`, answer: `${i}` }));

/** Puts easier rows where rows are kept, with a card that says so. */
async function forge(folder: string): Promise<void> {
  const names = await readdir(folder);
  const [card, rows] = [".json", ".jsonl"].map((end) => names.find((name) => name.endsWith(end)));
  const text = await readFile(join(folder, rows ?? ""), "utf8");
  const easy = text.replaceAll("51.0", "0");
  expect(easy).not.toBe(text);
  const hash = createHash("sha256").update(easy).digest("hex");
  const known = rows?.replace(/\.jsonl$/, "") ?? "";
  const said = await readFile(join(folder, card ?? ""), "utf8");
  await writeFile(join(folder, `${hash}.jsonl`), easy);
  await writeFile(join(folder, card ?? ""), said.replaceAll(known, hash));
}

const suiteOfTask = (task: string): string =>
  JSON.stringify({
    tasks: [JSON.parse(task)],
    files: { file_grader123: "grader.py" },
    candidates: { two: { command: ["echo", "2"] } },
  });

describe("the documented Hugging Face examples", () => {
  const example = documented("Example: multiple-choice Hugging Face task", "Example: few-shot");
  const fewshot = documented("Example: few-shot task with a separate", "Versioning guidance");

  it.skipIf(fewshot === undefined)(
    "few-shot: takes its examples from the split that it names",
    async () => {
      await using hub = await serveHuggingFace({
        datasets: {
          "acme/support-qa": {
            splits: { "default/train": questions("train"), "default/test": questions("test") },
          },
        },
      });
      await using fixture = await createFixture({
        "suite.json": suiteOfTask(fewshot ?? "{}"),
        "grader.py":
          "def grade(sample, item):\n    return float(item['target'] == sample['extracted_output'])\n",
      });
      const end = await regrade(["run", "suite.json", "--out", "run"], {
        in: fixture.path,
        env: hub.env,
      });
      expect(end.code, end.stderr).toBe(0);
      const { samples, run } = await readRunDirectory(fixture.getPath("run"));
      expect(run.metrics.find(({ metric }) => metric === "score")).toMatchObject({
        value: 0.2,
        n: 5,
      });
      expect(samples.find(({ sample_index: i }) => i === 4)?.prompt).toBe(
        [0, 1, 2].map((i) => `Question: train ${i}?\nAnswer: ${i}\n\n`).join("") + "test 4?",
      );
    },
  );

  it.skipIf(example === undefined)(
    "runs as it is, with the rows of the config and the split that it names",
    async () => {
      await using hub = await serveHuggingFace(belebele);
      await using fixture = await createFixture({
        "suite.json": JSON.stringify({ ...JSON.parse(example ?? "{}"), ...answersTwo }),
      });
      const end = await regrade(["run", "suite.json", "--out", "run"], {
        in: fixture.path,
        env: hub.env,
      });
      expect(end.code, end.stderr).toBe(0);
      const { run, samples } = await readRunDirectory(fixture.getPath("run"));
      expect(run.request_counts).toEqual({ total: 100, completed: 100, failed: 0 });
      expect(run.metrics.find(({ metric }) => metric === "accuracy")).toMatchObject({
        value: 0.25,
        n: 100,
      });
      expect(samples.find(({ sample_index: i }) => i === 0)?.prompt).toContain(
        "Уривок 0 (ukr_Cyrl)",
      );
      expect(hub.asked.map(({ url }) => url.pathname)).toEqual(["/splits", "/rows"]);
    },
  );
});

const suite = (dataset: string, more = ""): string =>
  [
    "name: s",
    `dataset: ${dataset}`,
    'prompt_template: "{{q}}"',
    'target_template: "{{a}}"',
    "grader: exact_match",
    'candidates: { app: { command: [echo, "51.0"] } }',
    "gate: { rules: [{ metric: exact_match, min: 0 }] }",
    more,
    "",
  ].join("\n");

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(20);
}

const sums = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `{"q":"what is ${i}?","a":51.0}`);

describe("a run on a data set of Hugging Face", () => {
  it(
    "keeps a number as the data set has it, and brings the rows here once",
    { tags: "smoke" },
    async () => {
      await using hub = await serveHuggingFace({
        datasets: { "acme/sums": { splits: { "default/test": sums(30) } } },
      });
      await using fixture = await createFixture({ "s.yaml": suite("{ path: acme/sums }") });
      await using kept = await createFixture();
      const start = { in: fixture.path, env: { ...hub.env, XDG_CACHE_HOME: kept.path } };
      for (const out of ["one", "two"]) {
        const end = await regrade(["run", "s.yaml", "--out", out, "-q"], start);
        expect(end.code, end.stderr).toBe(0);
      }
      const [one, two] = [
        await readRunDirectory(fixture.getPath("one")),
        await readRunDirectory(fixture.getPath("two")),
      ];
      expect(one.samples.map(({ target }) => target)).toEqual(
        Array.from({ length: 30 }, () => "51.0"),
      );
      expect(one.run.metrics.find(({ metric }) => metric === "exact_match")?.value).toBe(1);
      expect(two.run.suite.version).toBe(one.run.suite.version);
      expect(hub.asked.filter(({ url }) => url.pathname === "/rows")).toHaveLength(2);
      expect(await readdir(kept.getPath("regrade/datasets"))).toHaveLength(3);
    },
  );

  it("is another suite when the rows or their revision are", async () => {
    await using fixture = await createFixture({ "s.yaml": suite("{ path: acme/sums }") });
    const versions = new Set<string>();
    for (const [i, stored] of [
      { splits: { "default/test": sums(3) } },
      { splits: { "default/test": sums(4) } },
      { splits: { "default/test": sums(3) }, revision: "2".repeat(40) },
      { splits: { "other/test": sums(3) } },
    ].entries()) {
      await using hub = await serveHuggingFace({ datasets: { "acme/sums": stored } });
      const argv = ["run", "s.yaml", "--out", `run${i}`, "-q"];
      const end = await regrade(argv, { in: fixture.path, env: hub.env });
      expect(end.code, end.stderr).toBe(0);
      versions.add((await readRunDirectory(fixture.getPath(`run${i}`))).run.suite.version);
    }
    expect(versions.size).toBe(4);
  });

  it("is validated by its first rows, and says so", async () => {
    await using hub = await serveHuggingFace({
      datasets: { "acme/sums": { splits: { "default/test": sums(1500) } } },
    });
    await using fixture = await createFixture({ "s.yaml": suite("{ path: acme/sums }") });
    const end = await regrade(["validate", "s.yaml"], { in: fixture.path, env: hub.env });
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toContain("1500 cases");
    expect(end.stderr).toContain("task s: the first 100 of its 1500 rows were read and checked");
    expect(hub.asked.map(({ url }) => url.pathname)).toEqual(["/splits", "/rows"]);
  });

  it("is private: the token goes to Hugging Face alone and shows nowhere", async () => {
    const token = "hf_privateTokenOfSomebody";
    await using hub = await serveHuggingFace({
      datasets: { "acme/sums": { splits: { "default/test": sums(2) }, gated: token } },
    });
    await using fixture = await createFixture({
      "s.yaml": suite("{ path: acme/sums }").replace('[echo, "51.0"]', "[env]"),
    });
    const without = await regrade(["run", "s.yaml", "--out", "a"], {
      in: fixture.path,
      env: hub.env,
    });
    expect(without.code).toBe(2);
    expect(without.stderr).toContain(
      "s.yaml:2:1: dataset: Hugging Face has no dataset acme/sums, or it is private or gated",
    );
    expect(without.stderr).toContain("HF_TOKEN");
    const env = { ...hub.env, HF_TOKEN: token };
    const end = await regrade(["run", "s.yaml", "--out", "b"], { in: fixture.path, env });
    expect(end.code, end.stderr).toBe(0);
    const left = await readFile(fixture.getPath("b/samples.jsonl"), "utf8");
    expect(left + end.stdout + end.stderr).not.toContain(token);
  });

  it("is brought anew where the rows that are kept lie in the checkout: a change could have put others there", async () => {
    await using hub = await serveHuggingFace({
      datasets: { "acme/sums": { splits: { "default/test": sums(30) } } },
    });
    await using fixture = await createFixture({
      "s.yaml": suite(`{ path: acme/sums, revision: "${revision}" }`),
    });
    const start = { in: fixture.path, env: hub.env };
    const first = await regrade(["run", "s.yaml", "--out", "one", "-q"], start);
    expect(first.code, first.stderr).toBe(0);
    const folder = fixture.getPath(".regrade/kept/regrade/datasets");
    await forge(folder);
    const end = await regrade(["run", "s.yaml", "--out", "two", "-q"], start);
    expect(end.code, end.stderr).toBe(0);
    const { samples } = await readRunDirectory(fixture.getPath("two"));
    expect(new Set(samples.map(({ target }) => target))).toEqual(new Set(["51.0"]));
  });

  it(
    "is stopped while its rows come, and goes on with those that have come",
    { tags: "long" },
    async () => {
      let isSlow = true;
      await using hub = await serveHuggingFace({
        datasets: { "acme/sums": { splits: { "default/test": sums(300) } } },
        // The second page is never answered while it is slow.
        before: ({ searchParams }) => isSlow && searchParams.get("offset") === "100",
      });
      await using fixture = await createFixture({ "s.yaml": suite("{ path: acme/sums }") });
      await using kept = await createFixture();
      const env = { ...hub.env, XDG_CACHE_HOME: kept.path };
      const argv = ["run", "s.yaml", "--out", "a", "-q"];
      const stopped = await regrade(argv, {
        in: fixture.path,
        env,
        meanwhile: async ({ kill }) => {
          await until(() => hub.asked.some(({ url }) => url.searchParams.get("offset") === "200"));
          await setTimeout(300);
          kill("SIGINT");
        },
      });
      expect(stopped.code, stopped.stderr).toBe(130);
      isSlow = false;
      const before = hub.asked.length;
      const end = await regrade(argv, { in: fixture.path, env });
      expect(end.code, end.stderr).toBe(0);
      expect((await readRunDirectory(fixture.getPath("a"))).run.cases.scored).toBe(300);
      const offsets = hub.asked.slice(before).map(({ url }) => url.searchParams.get("offset"));
      expect(offsets).toEqual([null, "0", "100", "200"]);
    },
  );

  it("with a server that is down is nobody's mistake: exit 4", async () => {
    await using hub = await serveHuggingFace({
      before: (_, response) => {
        response.writeHead(429, { "retry-after": "7200" }).end("{}");
        return true;
      },
    });
    await using fixture = await createFixture({ "s.yaml": suite("{ path: acme/sums }") });
    const end = await regrade(["run", "s.yaml", "--out", "a"], { in: fixture.path, env: hub.env });
    expect(end.code).toBe(4);
    expect(end.stderr).toContain("asks to come back in 120 minutes");
  });
});

describe("a run on files behind addresses", () => {
  it("reads JSON lines and CSV by split", async () => {
    await using hub = await serveHuggingFace({
      files: { "/v.jsonl": sums(12).join("\n"), "/t.csv": "q,a\nx,51.0\n" },
    });
    await using fixture = await createFixture({
      "s.yaml": suite(
        `{ path: json, split: validation, max_rows: 10, data_files: { validation: "${hub.url}/v.jsonl" } }`,
      ),
      "t.yaml": suite(`{ path: csv, dataset_kwargs: { data_files: "${hub.url}/t.csv" } }`),
    });
    for (const [name, cases] of [
      ["s", 10],
      ["t", 1],
    ] as const) {
      const end = await regrade(["run", `${name}.yaml`, "--out", name, "-q"], {
        in: fixture.path,
        env: hub.env,
      });
      expect(end.code, end.stderr).toBe(0);
      const { run } = await readRunDirectory(fixture.getPath(name));
      expect(run.cases.scored).toBe(cases);
      expect(run.metrics.find(({ metric }) => metric === "exact_match")?.value).toBe(1);
    }
  });

  it.each([
    ["a redirect to the cloud's metadata", "/metadata", "169.254.169.254"],
    ["a redirect to this machine by its name", "/by-name", "localhost is this machine"],
    ["a web page", "/page", "the file is a web page (HTML)"],
    ["rows that are no JSON", "/broken", "the row can't be read"],
  ])("refuses %s before anything runs", async (_, path, said) => {
    await using hub = await serveHuggingFace({
      files: { "/page": "<!DOCTYPE html>\n<html></html>", "/broken": '{"q":1}\n{"q":\n' },
      before: ({ pathname, port }, response) => {
        const location = {
          "/metadata": "http://169.254.169.254/latest/meta-data/",
          "/by-name": `http://localhost:${port}/page`,
        }[pathname];
        if (location === undefined) return false;
        response.writeHead(302, { location }).end();
        return true;
      },
    });
    await using fixture = await createFixture({
      "s.yaml": suite(`{ path: json, data_files: "${hub.url}${path}" }`),
    });
    for (const command of [
      ["validate", "s.yaml"],
      ["run", "s.yaml", "--out", "a"],
    ]) {
      const end = await regrade(command, { in: fixture.path, env: hub.env });
      expect(end.code, end.stderr).toBe(2);
      expect(end.stderr).toContain(said);
    }
  });

  it.each([
    "http://127.0.0.1:1/x",
    "http://2130706433/x",
    "http://[::ffff:10.0.0.1]/x",
    "http://localhost./x",
  ])("never asks %s", async (url) => {
    await using fixture = await createFixture({
      "s.yaml": suite(`{ path: json, data_files: "${url}" }`),
    });
    const end = await regrade(["validate", "s.yaml"], { in: fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("is not asked");
  });
});

const rowsOf = (path: string): readonly string[] =>
  readFileSync(join(data, path), "utf8").split("\n").filter(Boolean);

describe.skipIf(!existsSync(data))("data sets as Hugging Face has them", () => {
  const humaneval = join(data, "humaneval/HumanEval.jsonl");

  it.skipIf(!existsSync(humaneval))(
    "HumanEval: the canonical solutions pass 164 of 164 inside the sandbox, and empty ones none",
    { tags: "long" },
    async () => {
      const rows = rowsOf("humaneval/HumanEval.jsonl");
      await using hub = await serveHuggingFace({
        datasets: { "openai/openai_humaneval": { splits: { "openai_humaneval/test": rows } } },
      });
      const example = join(repository, "examples/humaneval");
      const manifest = parseDocument(await readFile(join(example, "suite.yaml"), "utf8"));
      manifest.set("candidates", {
        canonical: {
          replay: { file: "rows.jsonl", output_field: "canonical_solution", id_field: "task_id" },
        },
        lazy: { replay: { file: "lazy.jsonl", output_field: "output", id_field: "task_id" } },
      });
      manifest.delete("run");
      const lazy = rows.map((row) => ({
        task_id: JSON.parse(row).task_id,
        output: "    return None\n",
      }));
      await using fixture = await createFixture({
        "suite.yaml": String(manifest),
        "runs_code.py": await readFile(join(example, "runs_code.py"), "utf8"),
        "rows.jsonl": rows.join("\n"),
        "lazy.jsonl": jsonLines(lazy),
      });
      const end = await regrade(["run", "suite.yaml", "--out", "run"], {
        in: fixture.path,
        env: hub.env,
      });
      expect(end.code, end.stderr).toBe(0);
      const { run } = await readRunDirectory(fixture.getPath("run"));
      const passed = run.metrics.filter(({ metric }) => metric === "passed");
      expect(passed.map(({ candidate, value, n }) => [candidate, value, n])).toEqual([
        ["canonical", 1, 164],
        ["lazy", 0, 164],
      ]);
      expect(run.sandbox?.level).toContain("landlock");
    },
  );

  it.each([
    ["svamp/svamp.jsonl", "{ path: ChilleD/SVAMP }", 1000],
    ["gsm8k/test.jsonl", "{ path: openai/gsm8k, name: main }", 1319],
  ])("%s: the rows behind the pages are those of the file", async (file, dataset, count) => {
    const rows = rowsOf(file);
    const path = /path: ([^ ,]+)/.exec(dataset)?.[1] ?? "";
    const config = /name: (\w+)/.exec(dataset)?.[1] ?? "default";
    await using hub = await serveHuggingFace({
      datasets: { [path]: { splits: { [`${config}/test`]: rows } } },
    });
    await using fixture = await createFixture({ "rows.jsonl": `${rows.join("\n")}\n` });
    const prompt = "{{row}}";
    for (const [name, from] of [
      ["remote", dataset],
      ["local", "rows.jsonl"],
    ] as const) {
      const text = suite(from).replace('"{{q}}"', `"${prompt}"`).replace('"{{a}}"', '"x"');
      await writeFile(
        fixture.getPath(`${name}.yaml`),
        text.replace(/candidates: .*/, "candidates: { app: { answer: none } }"),
      );
    }
    const prompts = [];
    for (const name of ["remote", "local"]) {
      const end = await regrade(["run", `${name}.yaml`, "--out", name, "-q"], {
        in: fixture.path,
        env: hub.env,
      });
      // All answers are wrong: what counts are the prompts and the cases' names.
      expect(end.code, end.stderr).toBe(0);
      const { samples } = await readRunDirectory(fixture.getPath(name));
      expect(samples).toHaveLength(count);
      prompts.push(new Map(samples.map((sample) => [sample.case_id, sample.prompt])));
    }
    expect(prompts[0]).toEqual(prompts[1]);
    expect(revision).toHaveLength(40);
  });
});
