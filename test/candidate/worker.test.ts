import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { openCandidate } from "../../src/candidate/open.ts";
import type { Candidate, Generated } from "../../src/model/models/candidate.ts";
import type { CandidateSpec } from "../../src/model/definition/candidate-spec.ts";
import { answers, ask, complaints, tools } from "./tools.ts";
import { patience } from "../support/patience.ts";

const worker = (mood: string, more: object = {}): CandidateSpec => ({
  id: "app",
  kind: "worker",
  worker: ["python3", "worker.py", mood],
  inputs: [],
  env: [],
  pass: [],
  timeout_seconds: 20,
  ...more,
});
const asks = (prompts: readonly string[]) => prompts.map((prompt, i) => ask(`c${i}`, { prompt }));
const told = (generated: Generated): string =>
  generated.kind === "answered" ? generated.outputText : `${generated.kind} ${generated.type}`;
const tell = async (mood: string, prompts: readonly string[], more: object = {}) =>
  (await answers(worker(mood, more), asks(prompts))).map(told);

async function open(spec: CandidateSpec): Promise<Candidate> {
  const opened = await openCandidate(spec, tools);
  if ("problems" in opened) throw new Error("can't be opened");
  return opened.candidate;
}

describe.skipIf(process.platform === "win32")("a worker as a candidate", () => {
  it("answers one prompt after the other from one process", async () => {
    await using fixture = await createFixture();
    const mark = fixture.getPath("mark");
    const spec = worker("echo", { worker: ["python3", "worker.py", "echo", mark] });
    expect((await answers(spec, asks(["a", "b\nc", "\u2028é"]))).map(told)).toEqual([
      "a",
      "b\nc",
      "\u2028é",
    ]);
    const marks = await readFile(mark, "utf8");
    expect(marks.match(/start/g)).toHaveLength(1);
    // It was told that there is no more, and went by itself.
    expect(marks).toMatch(/end\n$/);
  });

  it("gives text, usage, transcript and all that a model gives", async () => {
    expect(await answers(worker("full"), asks(["hi"]))).toEqual([
      {
        kind: "answered",
        outputText: "HI",
        responseId: "r-1",
        incomplete: true,
        transcript: [{ role: "tool" }],
        usage: {
          input_tokens: 3,
          output_tokens: 2,
          cached_tokens: 0,
          reasoning_tokens: 0,
          usd: 0.5,
        },
      },
    ]);
  });

  it("gets its fields with their numbers as they were written, and an id that tells nothing", async () => {
    const request = ask("the answer is billing", { fields: { id: JSON.rawJSON("1.0") } });
    const [generated] = await answers(worker("fields"), [request]);
    expect(generated && told(generated)).toMatch(
      /^\{"id":"req_[0-9a-f]{24}","prompt":"P","fields":\{"id":1.0\}\}$/,
    );
  });

  it("gets a small environment and no token of the runner", async () => {
    const [names] = await tell("environment", ["x"]);
    expect(names).toContain("PATH");
    expect(names).not.toContain("GITHUB_TOKEN");
  });

  it.each([
    ["error", ["failed worker_error", "failed worker_error"]],
    ["shapeless", ["failed malformed_answer", "failed malformed_answer"]],
    ["deep", ["failed malformed_answer", "failed malformed_answer"]],
    ["noise", ["failed noise", "failed noise"]],
    ["banner", ["failed unasked|failed noise", "failed unasked|failed noise"]],
    ["out-of-turn", ["failed out_of_turn", "failed out_of_turn"]],
    ["floods", ["failed output_too_large"]],
    ["talks", ["1", "2"]],
  ])("in the mood '%s' harms the sample in hand alone", async (mood, expected) => {
    const found = await tell(mood, ["1", "2"].slice(0, expected.length));
    for (const [i, each] of found.entries()) expect(expected[i]?.split("|")).toContain(each);
    expect(found).toHaveLength(expected.length);
  });

  it.each(["twice", "twice-late"])(
    "that answers %s never has the second answer taken for the next sample's",
    async (mood) => {
      const opened = await open(worker(mood));
      const found = [];
      for (const [i, request] of asks(["1", "2", "3", "4"]).entries()) {
        // However late it is read: the next request fails, and a fresh process goes on.
        if (i === 1) await sleep(mood === "twice" ? 50 : 0);
        found.push(told(await opened.generate(request, new AbortController().signal)));
      }
      await opened.close();
      expect(found.map((each) => each.replace(/unasked|out_of_turn/, "late"))).toEqual([
        "1",
        "failed late",
        "3",
        "failed late",
      ]);
    },
  );

  it("that dies costs one sample, which has its last words, and begins again", async () => {
    const all = await answers(worker("dies"), asks(["a", "die", "b", "die by kill", "c"]));
    expect(all.map(told)).toEqual(["a", "failed exit_code", "b", "failed signal", "c"]);
    expect(all[1]).toMatchObject({ message: expect.stringContaining("CUDA out of memory") });
    expect(all[1]).toMatchObject({ message: expect.stringContaining("exit code 9") });
  });

  it("that ends well between two requests goes on in a fresh process, and nothing is lost", async () => {
    expect(await tell("renews", ["1", "2", "3", "4", "5"])).toEqual(["1", "2", "3", "4", "5"]);
  });

  it(
    "that hangs is ended at the time-out, and says what it was doing",
    { tags: "long" },
    async () => {
      const all = await answers(worker("hangs", { timeout_seconds: 5 }), asks(["a", "hang", "b"]));
      expect(all.map(told)).toEqual(["a", "failed timeout", "b"]);
      expect(all[1]).toMatchObject({ message: expect.stringContaining("waiting for a lock") });
    },
  );

  it("that can't work fails its samples in seconds and is not started for ever", async () => {
    await using fixture = await createFixture();
    const mark = fixture.getPath("mark");
    const spec = worker("", { worker: ["python3", "worker.py", "dead-on-arrival", mark] });
    const given = { ...tools, clock: { ...tools.clock, sleep: async () => undefined } };
    const prompts = Array.from({ length: 60 }, (_, i) => `${i}`);
    const all = await answers(spec, asks(prompts), given);
    expect(new Set(all.map(told))).toEqual(new Set(["failed exit_code"]));
    expect(all.at(-1)).toMatchObject({ message: expect.stringContaining("no module named") });
    expect((await readFile(mark, "utf8")).match(/start/g)).toHaveLength(20);
  });

  it("that can't be started is nobody's fault, and stops being tried too", async () => {
    let starts = 0;
    const clock = { ...tools.clock, sleep: async () => undefined };
    const spawnWorker: typeof tools.spawnWorker = async () => {
      starts += 1;
      return { kind: "not_started", type: "not_started", message: "no such file" };
    };
    const all = await answers(worker("echo"), asks(Array.from({ length: 30 }, () => "x")), {
      ...tools,
      clock,
      spawnWorker,
    });
    expect(new Set(all.map(told))).toEqual(new Set(["unavailable not_started"]));
    expect(starts).toBe(20);
  });

  it("runs in as many processes as are asked at once", async () => {
    const opened = await open(worker("slow"));
    const { signal } = new AbortController();
    const all = await Promise.all(
      asks(["1", "2", "3"]).map((request) => opened.generate(request, signal)),
    );
    const again = await opened.generate(ask("c9"), signal);
    await opened.close();
    const processes = all.map(told);
    expect(new Set(processes).size).toBe(3);
    expect(processes).toContain(told(again));
    await sleep(50);
    for (const pid of processes) expect(await isRunning(Number(pid))).toBe(false);
  });

  it("that does not listen is gone at the end, and its child too", async () => {
    await using fixture = await createFixture();
    const mark = fixture.getPath("mark");
    const spec = worker("", { worker: ["python3", "worker.py", "stubborn", mark] });
    const start = performance.now();
    await answers(spec, asks(["a"]));
    expect((performance.now() - start) / 1000).toBeLessThan(await patience(8));
    const pids = (await readFile(mark, "utf8")).match(/\d+/g) ?? [];
    await sleep(100);
    for (const pid of pids) expect(await isRunning(Number(pid))).toBe(false);
  });

  it("is not blamed for a run that was stopped", async () => {
    const opened = await open(worker("hangs"));
    const stop = new AbortController();
    const asked = opened.generate(ask("c1", { prompt: "hang" }), stop.signal);
    await sleep(200);
    stop.abort();
    expect(await asked).toMatchObject({ kind: "unavailable", type: "cancelled" });
    expect(await opened.generate(ask("c2"), stop.signal)).toMatchObject({ kind: "unavailable" });
    await opened.close();
  });

  it("is checked before the first sample, all at once", async () => {
    const place = "evals/suite.yaml candidates.app";
    const spec = worker("", { worker: ["no-such-program"], env: ["GONE"], inputs: ["gone/**"] });
    expect(await complaints(spec)).toEqual([
      `program_missing ${place}.worker`,
      `env_missing ${place}.env`,
      `inputs_unmatched ${place}.inputs`,
    ]);
  });

  it("may be remembered only where it declares its inputs, and then by their content and its variables", async () => {
    expect((await open(worker("echo"))).cacheKey).toBeUndefined();
    const keyWith = async (token: string, more: object = {}) => {
      const environment = { ...tools.environment, MODEL: token };
      const spec = worker("echo", { inputs: ["worker.py"], env: ["MODEL"], ...more });
      const opened = await openCandidate(spec, { ...tools, environment });
      return "candidate" in opened ? JSON.stringify(opened.candidate.cacheKey?.(ask("c1"))) : "";
    };
    expect(await keyWith("a")).toContain("worker.py");
    expect(await keyWith("a")).not.toBe(await keyWith("b"));
    // How long it may take is not what it answers; a run that goes on still has to be the same.
    expect(await keyWith("a", { timeout_seconds: 99 })).toBe(await keyWith("a"));
  });
});

/** A process that has ended may wait, as a zombie, for a parent that collects it. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone) Z");
  return !/\) [ZX]/.test(status);
}
