import { appendFile, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/model/ports/store.ts";
import { Refusal } from "../../src/model/refusal.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { createSecrets } from "../../src/io/secrets/redact.ts";
import { createEncryptedRuns } from "../../src/store/encrypted-runs.ts";
import { visitSamples } from "../../src/store/run-reader.ts";
import { openRunStore } from "../../src/store/run-store.ts";

const open = (directory: string, resume = false, inputHash = "sha256:a") =>
  openRunStore(
    { directory, resume, inputHash, runId: "run_2", createdAt: "2026-11-21T00:00:00.000Z" },
    createSecrets({}),
  );

/** The code of the refusal; a store that is opened is released again. */
async function codeOf(opening: ReturnType<typeof openRunStore>): Promise<string> {
  const error: unknown = await opening.then(
    (store) => store.release(),
    (found: unknown) => found,
  );
  return error instanceof Refusal ? (error.problems[0]?.code ?? "") : "opened";
}

/** Paths of this process's open files in a directory. */
async function openFilesIn(directory: string): Promise<readonly string[]> {
  const links = (await readdir("/proc/self/fd")).map((fd) =>
    readlink(join("/proc/self/fd", fd)).catch(() => ""),
  );
  return (await Promise.all(links)).filter((path) => path.startsWith(directory)).toSorted();
}

const answer: Answer = {
  generated: {
    kind: "answered",
    outputText: "4",
    incomplete: false,
    transcript: null,
    responseId: null,
    usage: null,
  },
  latencyMs: 1,
  createdAt: "2026-11-21T00:00:00.000Z",
};

const sample = (id: string, error: Sample["error"] = null): Sample => ({
  id,
  object: "eval.sample",
  run_id: "run_1",
  task_id: "qa",
  model: "app",
  case_id: id,
  sample_index: 0,
  repeat: 0,
  dataset_row: {},
  prompt: "?",
  target: null,
  response_id: null,
  output_text: error ? null : "4",
  incomplete: false,
  transcript: null,
  extracted_output: null,
  scores: {},
  judge: null,
  printed: null,
  model_calls: null,
  status: error ? "failed" : "completed",
  error,
  usage: null,
  cached: false,
  latency_ms: 1,
  created_at: "2026-11-21T00:00:00.000Z",
  completed_at: "2026-11-21T00:00:00.000Z",
});
const outage = { stage: "generate", fault: "infra", type: "http_500", message: "…" } as const;

/** What a killed run leaves: its journals, and a lock of a process that is gone. */
async function interrupt(directory: string): Promise<void> {
  const store = await open(directory);
  await store.recordAnswer("sample_1", answer);
  await store.recordAnswer("sample_2", answer);
  await store.recordSample(sample("sample_1"));
  await store.recordSample(sample("sample_3", outage));
  await store.seal();
  await store.release();
  await appendFile(join(directory, "samples.jsonl"), '{"id":"sample_2","obj');
  await appendFile(join(directory, "generated.jsonl"), '{"sample_id":"sample_9"');
  await writeFile(join(directory, ".samples.jsonl.0a1b2c3d4e5f.tmp"), "half");
}

const secret = (id: string): Sample => ({ ...sample(id), target: "the target" });

/** Opens a run whose candidates could read its files; `encrypted`: the runs of one process. */
const openEncrypted = (directory: string, resume = false, encrypted = createEncryptedRuns()) =>
  openRunStore(
    {
      directory,
      resume,
      inputHash: "sha256:a",
      runId: "run_2",
      createdAt: "2026-11-21T00:00:00.000Z",
      makeKey: async (salt) => Buffer.from(salt),
    },
    createSecrets({}),
    encrypted,
  );

/** All files in a folder and in those inside, as one text. */
async function textsIn(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8"));
  return (await Promise.all(texts)).join("\n");
}

describe("a run whose candidates could read its files", () => {
  const graded = { kind: "graded", metrics: {}, notes: [], updates: [], printed: null } as const;
  const batch = { task: "qa", candidate: "app", given: "the target", samples: 1, graded };

  it("has no target in them until it ends, nor have the runs of its sides; and it can be resumed", async () => {
    await using fixture = await createFixture();
    const directory = fixture.getPath("out");
    const encrypted = createEncryptedRuns();
    const first = await openEncrypted(directory, false, encrypted);
    await first.recordSample(secret("sample_1"));
    await first.recordAnswer("sample_2", answer);
    await first.recordBatch(batch);
    const start = { directory: join(directory, "baseline"), resume: false, inputHash: "sha256:b" };
    const named = { runId: "run_3", createdAt: "2026-11-21T00:00:00.000Z" };
    const side = await openRunStore({ ...start, ...named }, createSecrets({}), encrypted);
    await side.recordSample(secret("sample_3"));
    await side.seal();
    await side.release();
    const reader = await first.openSamples();
    expect(await reader.read("sample_1")).toMatchObject({ target: "the target" });
    await reader.close();
    expect(await textsIn(directory)).not.toContain("the target");
    await first.seal();
    await first.release();
    await expect(Array.fromAsync(visitSamples(directory))).rejects.toThrow("has not ended");

    await appendFile(join(directory, "samples.jsonl"), '{"id":"sample_4","encrypted":"AAAA');
    const second = await openEncrypted(directory, true);
    expect([...second.finished.keys()]).toEqual(["sample_1"]);
    expect([...second.answers.keys()]).toEqual(["sample_2"]);
    expect([...second.batches.values()]).toEqual([batch]);
    await second.recordSample(secret("sample_2"));
    await second.seal();
    await second.reveal();
    await second.release();
    const samples = await Array.fromAsync(visitSamples(directory));
    expect(samples.map(({ id }) => id)).toEqual(["sample_1", "sample_2"]);
    const [ofSide] = await Array.fromAsync(visitSamples(join(directory, "baseline")));
    expect(ofSide?.target).toBe("the target");

    // It was stopped, and so has all its texts: they are encrypted again before candidates are asked.
    const third = await openEncrypted(directory, true);
    expect([...third.finished.keys()]).toEqual(["sample_1", "sample_2"]);
    expect(await textsIn(directory)).not.toContain("the target");
    await third.recordSample(secret("sample_5"));
    await third.seal();
    await third.reveal();
    await third.release();
    expect(await Array.fromAsync(visitSamples(directory))).toHaveLength(3);
  });

  it("is refused with other inputs before a line is decrypted", async () => {
    await using fixture = await createFixture();
    const directory = fixture.getPath("out");
    const store = await openEncrypted(directory);
    await store.recordSample(secret("sample_1"));
    await store.seal();
    await store.release();
    expect(await codeOf(open(directory, true, "sha256:b"))).toBe("resume_other_input");
  });
});

describe("a run directory", () => {
  it("that was interrupted gives back what was finished and what was paid for, and nothing torn", async () => {
    await using fixture = await createFixture();
    const directory = fixture.getPath("out");
    await interrupt(directory);
    const store = await open(directory, true);
    expect([...store.finished.keys()]).toEqual(["sample_1"]);
    expect([...store.answers.keys()]).toEqual(["sample_2"]);
    await store.recordSample(sample("sample_2"));
    await store.recordSample(sample("sample_3"));
    await store.seal();
    await store.release();
    const text = await readFile(join(directory, "samples.jsonl"), "utf8");
    const ids = text.split("\n").filter(Boolean);
    expect(ids.map((line) => (JSON.parse(line) as Sample).id).toSorted()).toEqual([
      "sample_1",
      "sample_2",
      "sample_3",
    ]);
    expect((await readdir(directory)).toSorted()).toEqual(["generated.jsonl", "samples.jsonl"]);
  });

  it.each<[string, Record<string, string>, boolean, string]>([
    ["nothing", {}, false, "opened"],
    ["something of the user's", { "notes.txt": "" }, false, "out_in_use"],
    ["an earlier run", { "generated.jsonl": "" }, false, "out_in_use"],
    ["nothing, to resume", {}, true, "resume_nothing"],
    ["something of the user's, to resume", { "notes.txt": "" }, true, "resume_nothing"],
    [
      "a finished run, to resume",
      { "run.json": "{}", "samples.jsonl": "" },
      true,
      "resume_finished",
    ],
    ["a finished run without samples, to resume", { "run.json": "{}" }, true, "resume_finished"],
    ["a run that died before its first line", { "samples.jsonl": "" }, true, "opened"],
    ["a run that died in its first line", { "generated.jsonl": '{"obj' }, true, "opened"],
    [
      "a run that died at the end of its first line",
      {
        "generated.jsonl": '{"object":"regrade.plan/1","run_id":"run_1","cre',
        "samples.jsonl": "",
      },
      true,
      "opened",
    ],
    ["a torn line of the user's", { "generated.jsonl": '{"my":"own"}' }, true, "resume_nothing"],
    ["a torn sample of no run", { "samples.jsonl": '{"id":"sample_1"' }, true, "resume_nothing"],
    [
      "a torn sample beside a torn plan",
      { "generated.jsonl": '{"obj', "samples.jsonl": '{"id":' },
      true,
      "resume_nothing",
    ],
    ["the lock of a run that died", { "run.lock": '{"pid":1,"life":"before"}' }, true, "opened"],
    [
      "the lock of a run that died, not to resume",
      { "run.lock": '{"pid":1,"life":"b"}' },
      false,
      "opened",
    ],
  ])("that holds %s", async (...[, files, resume, expected]) => {
    await using fixture = await createFixture({ out: files });
    const directory = fixture.getPath("out");
    expect(await codeOf(open(directory, resume))).toBe(expected);
    if (expected === "opened") return;
    // Refused means untouched.
    expect((await readdir(directory)).toSorted()).toEqual(Object.keys(files).toSorted());
  });

  it("of a run with other inputs is not resumed, and not kept locked", async () => {
    await using fixture = await createFixture();
    const directory = fixture.getPath("out");
    await interrupt(directory);
    expect(await codeOf(open(directory, true, "sha256:b"))).toBe("resume_other_input");
    expect(await codeOf(open(directory, true))).toBe("opened");
  });

  it.skipIf(process.platform !== "linux")(
    "leaves no file open, though the run ended before its samples were sealed",
    async () => {
      await using fixture = await createFixture();
      const directory = fixture.getPath("out");
      const store = await open(directory);
      await store.recordAnswer("sample_1", answer);
      expect(await openFilesIn(directory)).toEqual([
        join(directory, "generated.jsonl"),
        join(directory, "samples.jsonl"),
      ]);
      await store.release();
      expect(await openFilesIn(directory)).toEqual([]);
    },
  );

  it("that is in use is refused, to begin and to resume, until it is released", async () => {
    await using fixture = await createFixture();
    const directory = fixture.getPath("out");
    const store = await open(directory);
    expect(await codeOf(open(directory))).toBe("out_busy");
    expect(await codeOf(open(directory, true))).toBe("out_busy");
    await store.seal();
    await store.release();
    expect(await codeOf(open(directory, true))).toBe("opened");
  });
});
