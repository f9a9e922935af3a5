import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { regrade } from "../support/cli.ts";
import { recordProject, startProject, type Project } from "../support/github/project.ts";
import { runAction, type ActionEnd, type Running } from "../support/github/run-action.ts";
import { runOf } from "../support/github/run-of.ts";
import { startGitHub, type GitHub } from "../support/github/server.ts";
import { serverError } from "../support/provider/days.ts";
import { unzip } from "../support/github/unzip.ts";
import { makeZip } from "../support/github/zip.ts";
import { startProvider } from "../support/provider/server.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** Re-runs of a workflow run: dist/main.mjs as a process for each attempt, beside what the others have left on the stand-in. */

const cases = 60;

/** Answers wrong what `WRONG` lists: another luck in every attempt. Each call leaves a line on stderr. */
const luckyApp = `import json, os, re, sys
wrong = set(os.environ.get("WRONG", "").split())
for line in sys.stdin:
    asked = json.loads(line)
    a, b = re.search(r"(\\d+)\\+(\\d+)", asked["prompt"]).groups()
    text = "no" if a in wrong else str(int(a) + int(b))
    print(json.dumps({"id": asked["id"], "output_text": text}), flush=True)
`;

const candidate = "{ app: { worker: [python3, -S, app.py], env: [WRONG] } }";

/** The numbers from one to before the other. */
const from = (first: number, end: number): readonly number[] =>
  Array.from({ length: end - first }, (_, i) => first + i);

/** A project whose main branch has one run, and a branch with a change. */
const project = recordProject(
  {
    ...suiteFiles({ cases, candidates: candidate, gate: "{ max_drop: 0.02, confirm: never }" }),
    "evals/app.py": luckyApp,
  },
  async (at) => {
    await at.push("main", { env: { WRONG: "none" } });
    await at.commit("change", { "notes.txt": "a change" });
  },
);

/** The same workflow run again and again: each attempt answers these cases wrong. */
function rerunning(at: Project): (wrong: readonly number[]) => Promise<ActionEnd> {
  let attempt = 0;
  return async (wrong) => {
    attempt += 1;
    if (attempt > 1) at.github.artifacts.nextAttempt();
    const env = { WRONG: wrong.join(" ") || "none", GITHUB_RUN_ATTEMPT: String(attempt) };
    return at.pull("change", { runId: 900, env });
  };
}

const localKey = { LOCAL_KEY: "sk-local-key-of-the-test" };

const localProvider = (url: string): string =>
  `providers: { local: { base_url: "${url}", api: chat, api_key_env: LOCAL_KEY } }`;

const verdictOf = (end: ActionEnd): string | undefined => end.outputs["verdict"];

async function samplesOf(end: ActionEnd): Promise<readonly { case_id: string; repeat: number }[]> {
  const text = await readFile(join(end.outputs["run-path"] ?? "", "samples.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { case_id: string; repeat: number });
}

describe("a re-run of the same commit", () => {
  it(
    "does not go on from what another job put in the place of an attempt",
    { tags: "long" },
    async () => {
      await using at = await project();
      const { artifacts } = at.github;
      const left = (run: string) =>
        artifacts.all.find((each) => each.run === run && each.name.startsWith("regrade-attempt~"));
      await at.pull("change", { runId: 901, env: { WRONG: "none" } });
      const attempt = rerunning(at);
      expect(verdictOf(await attempt(from(0, 12)))).toBe("fail");
      const [lucky, own] = [left("run-901"), left("run-900")];
      artifacts.nextAttempt();
      const forged = own && artifacts.create(own);
      if (forged) Object.assign(forged, { content: lucky?.content, digest: lucky?.digest });
      const second = await attempt([]);
      expect(verdictOf(second), second.stdout).toBe("inconclusive");
      expect(second.stdout).toContain("another job has uploaded one of the same name");
    },
  );

  it(
    "adds its samples: one lucky attempt does not turn a drop green",
    { tags: "long" },
    async () => {
      await using at = await project();
      const attempt = rerunning(at);
      const first = await attempt(from(0, 12));
      expect(verdictOf(first), first.stdout).toBe("fail");
      expect(first.stdout).toContain("a re-run of this job adds its samples to those in");
      const kept = at.github.artifacts.all.findLast(({ name }) =>
        name.startsWith("regrade-attempt~"),
      );
      const until = Date.parse(kept?.expiresAt ?? "") - Date.parse(kept?.createdAt ?? "");
      expect(Math.round(until / 86_400_000)).toBe(14);
      const second = await attempt([3]);
      const run = runOf(second);
      expect(verdictOf(second), second.stdout).toBe("fail");
      expect(run.gate.rules[0]).toMatchObject({
        code: "drop_proven",
        test: "sign_flip_exact",
        broke: 12,
      });
      // 12 and 1 wrong of 60 each.
      expect(run.metrics[0]?.value).toBeCloseTo(1 - 13 / 120, 12);
      expect(run.attempts).toMatchObject({
        number: 2,
        earlier: [{ number: 1, run_id: runOf(first).id }],
        unread: null,
        decided: [],
      });
      expect(run.gate.reasons.join("\n")).toContain(
        "the samples of attempt 1 count beside its own",
      );
      const samples = await samplesOf(second);
      expect(samples).toHaveLength(2 * cases);
      expect(samples.filter(({ repeat }) => repeat === 1)).toHaveLength(cases);
      // The third goes on with the second, which holds the first.
      const third = await attempt([]);
      expect(runOf(third).metrics[0]?.value).toBeCloseTo(1 - 13 / 180, 12);
      expect(runOf(third).attempts?.earlier.map(({ number }) => number)).toEqual([1, 2]);
      expect(third.otherFileCommands).toBe("");
    },
  );

  it("is judged the same by 'regrade compare', byte for byte", { tags: "long" }, async () => {
    await using at = await project();
    const attempt = rerunning(at);
    await attempt(from(0, 9));
    const end = await attempt(from(4, 8));
    await using fixture = await createFixture({});
    const path = end.outputs["run-path"] ?? "";
    const run = runOf(end);
    const found = await regrade(["compare", await baseOf(at, fixture.path), path, "--json"], {
      in: fixture.path,
    });
    const again = JSON.parse(found.stdout) as Run;
    expect(JSON.stringify(again.gate)).toBe(JSON.stringify(run.gate));
    expect(JSON.stringify(again.metrics)).toBe(JSON.stringify(run.metrics));
    // As a baseline, too, all of its attempts count.
    const turned = await regrade(["compare", path, join(fixture.path, "base"), "--json"], {
      in: fixture.path,
    });
    const [rule] = (JSON.parse(turned.stdout) as Run).gate.rules;
    expect(rule?.baseline).toBeCloseTo(1 - 13 / 120, 12);
  });

  it("gives an unchanged candidate that failed by chance a way to green: more evidence", async () => {
    await using at = await startProject({
      ...suiteFiles({
        cases,
        candidates: candidate,
        gate: "{ max_drop: 0.05, confirm: never }",
      }),
      "evals/app.py": luckyApp,
    });
    await at.push("main", { env: { WRONG: from(50, 56).join(" ") } });
    await at.commit("change", { "notes.txt": "a change" });
    const attempt = rerunning(at);
    const first = await attempt([...from(0, 16), ...from(50, 53)]);
    expect(verdictOf(first), first.stdout).toBe("fail");
    await attempt([...from(20, 22), ...from(50, 52)]);
    const third = await attempt(from(50, 54));
    expect(verdictOf(third), third.stdout).toBe("pass");
    expect(third.code).toBe(0);
  });

  it(
    "does not undo a drop that was confirmed, and says which attempt decided",
    { tags: "long" },
    async () => {
      let isWorse = true;
      await using provider = await startProvider({
        answer: ({ prompt }) => {
          const a = Number(/(\d+)\+1/.exec(prompt)?.[1] ?? "0");
          return isWorse && prompt.startsWith("Say") && a < 12 ? "no" : String(a + 1);
        },
      });
      const files = suiteFiles({
        cases,
        candidates: "{ main: 'local:m' }",
        gate: "{ max_drop: 0.02 }",
        more: [localProvider(provider.url)],
      });
      await using at = await startProject(files);
      await at.push("main", { env: localKey });
      const manifest = files["evals/qa.yaml"] ?? "";
      await at.commit("change", { "evals/qa.yaml": manifest.replace("What is", "Say") });
      const attempt = (number: number): Promise<ActionEnd> =>
        at.pull("change", {
          runId: 900,
          env: { ...localKey, GITHUB_RUN_ATTEMPT: String(number) },
        });
      const first = await attempt(1);
      expect(runOf(first).gate.rules[0], first.stdout).toMatchObject({
        code: "drop_proven",
        confirmation: { outcome: "confirmed" },
      });
      isWorse = false;
      for (const number of [2, 3]) {
        at.github.artifacts.nextAttempt();
        const again = await attempt(number);
        expect(verdictOf(again), again.stdout).toBe("fail");
        const [rule] = runOf(again).gate.rules;
        expect(rule).toMatchObject({ outcome: "missed", decided_in: 1 });
        expect(rule?.reason).toContain("decided in attempt 1 of this run");
      }
    },
  );

  it(
    "is judged by both policies again, where the change alters how it is judged",
    { tags: "long" },
    async () => {
      await using at = await project();
      const manifest = await readFile(join(await at.workTree("change"), "evals/qa.yaml"), "utf8");
      await at.commit("change", { "evals/qa.yaml": manifest.replace("0.02", "0.5") });
      const attempt = rerunning(at);
      const first = await attempt(from(0, 12));
      expect(runOf(first).policy, first.stdout).toMatchObject({
        base: { verdict: "fail" },
        head: { verdict: "pass" },
      });
      const second = await attempt([]);
      expect(verdictOf(second), second.stdout).toBe("fail");
      const own = JSON.parse(
        await readFile(join(second.outputs["run-path"] ?? "", "own-policy/run.json"), "utf8"),
      ) as Run;
      expect(own.attempts?.earlier).toHaveLength(1);
      for (const run of [runOf(second), own]) {
        expect(run.request_counts.total).toBe(2 * cases);
        expect(run.metrics[0]?.value).toBeCloseTo(0.9, 12);
      }
    },
  );

  it(
    "that was stopped is gone on with by the next, which keeps what both have",
    { tags: "long" },
    async () => {
      await using github = await startGitHub();
      const slow = "{ app: { worker: [python3, -S, app.py], env: [WRONG, SECONDS] } }";
      const app = luckyApp.replace(
        "    print(",
        "    time.sleep(float(os.environ['SECONDS']))\n    print(",
      );
      await using fixture = await createFixture({
        ...suiteFiles({ cases: 24, candidates: slow, more: ["run: { concurrency: 2 }"] }),
        "evals/app.py": app.replace("import json", "import time, json"),
      });
      const run = (
        env: Record<string, string>,
        meanwhile?: (running: Running) => Promise<void>,
      ): Promise<ActionEnd> =>
        runAction({
          workspace: fixture.path,
          github,
          inputs: { suite: "evals/qa.yaml" },
          env: { SECONDS: "0", ...env },
          ...(meanwhile && { meanwhile }),
        });
      await run({ WRONG: "0 1 2", GITHUB_RUN_ATTEMPT: "1" });
      github.artifacts.nextAttempt();
      const stopped = await run(
        { WRONG: "3", GITHUB_RUN_ATTEMPT: "2", SECONDS: "0.3" },
        async ({ child, printed }) => {
          await printed("24 samples");
          await new Promise((wait) => setTimeout(wait, 1500));
          child.kill("SIGKILL");
        },
      );
      expect(stopped.code).not.toBe(0);
      expect(stopped.post.stdout).toContain("goes on from");
      github.artifacts.nextAttempt();
      const third = await run({ WRONG: "3", GITHUB_RUN_ATTEMPT: "3" });
      expect(runOf(third).request_counts.total).toBe(48);
      expect(runOf(third).metrics[0]?.value).toBeCloseTo(1 - 4 / 48, 12);
      expect(runOf(third).attempts).toMatchObject({ number: 3, earlier: [{ number: 1 }] });
    },
  );

  it("hands all attempts to a batch grader", async () => {
    await using github = await startGitHub();
    const grader = "{ type: python, contract: batch, file: grader.py }";
    const more = ["metrics: [{ id: share, range: [0, 1] }, { id: ok, range: [0, 1] }]"];
    const gate = "{ rules: [{ metric: share, min: 0.9 }] }";
    await using fixture = await createFixture({
      ...suiteFiles({ cases: 20, candidates: candidate, grader, gate, more }),
      "evals/app.py": luckyApp,
      "evals/grader.py": batchGrader,
    });
    const attempt = (number: number, wrong: string): Promise<ActionEnd> =>
      runAction({
        workspace: fixture.path,
        github,
        inputs: { suite: "evals/qa.yaml" },
        env: { GITHUB_RUN_ATTEMPT: String(number), WRONG: wrong },
      });
    const first = await attempt(1, "0 1 2 3");
    expect(verdictOf(first), first.stdout).toBe("fail");
    github.artifacts.nextAttempt();
    const second = runOf(await attempt(2, "none"));
    expect(second.batches).toMatchObject([{ samples: 40, metrics: { share: 0.9 } }]);
    expect(second.metrics.map(({ metric, value }) => [metric, value]).slice(0, 2)).toEqual([
      ["share", 0.9],
      ["ok", 0.9],
    ]);
    expect(second.gate.verdict).toBe("pass");
  });

  it("learns nothing from a recording, which says the same again", async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture(suiteFiles({ cases, answer: oftenWrong }));
    const inputs = { suite: "evals/qa.yaml" };
    const first = await runAction({ workspace: fixture.path, github, inputs });
    github.artifacts.nextAttempt();
    const env = { GITHUB_RUN_ATTEMPT: "2" };
    const second = await runAction({ workspace: fixture.path, github, inputs, env });
    expect(await samplesOf(second)).toHaveLength(cases);
    expect(runOf(second).metrics).toEqual(runOf(first).metrics);
    expect(runOf(second).gate.rules).toEqual(runOf(first).gate.rules);
  });
});

/** The share of right answers, of all samples together, and each by itself. */
const batchGrader = `def grade_batch(samples):
    ok = [float(s["extracted_output"] == s["target"]) for s in samples]
    scores = [
        {"sample_id": s["sample_id"], "scores": {"ok": each}} for s, each in zip(samples, ok)
    ]
    return {"metrics": {"share": sum(ok) / len(ok)}, "samples": scores}
`;

const oftenWrong = (i: number): string | undefined => (i < 20 ? "wrong" : undefined);

async function baseOf(at: Project, folder: string): Promise<string> {
  const found = at.github.artifacts.all.find(({ name }) => name.startsWith("regrade-qa~scores-"));
  if (found?.content === undefined) throw new Error("main has left no scores");
  const directory = join(folder, "base");
  await mkdir(directory);
  for (const [name, content] of Object.entries(unzip(found.content)))
    await writeFile(join(directory, name), content);
  return directory;
}

describe("a re-run after failures of transport", () => {
  it("asks those again, and one more of every other case; no more than the first attempt asked", async () => {
    let isDown = true;
    await using provider = await startProvider({
      answer: ({ prompt }) => {
        const [, a = "0"] = /(\d+)\+1/.exec(prompt) ?? [];
        return String(Number(a) + 1);
      },
      script: ({ prompt }) => (isDown && /is \d\+/.test(prompt) ? serverError(503) : undefined),
    });
    await using github = await startGitHub();
    const model = "{ main: { model: 'local:m', max_retries: 0 } }";
    await using fixture = await createFixture(
      suiteFiles({ cases: 40, candidates: model, more: [localProvider(provider.url)] }),
    );
    const inputs = { suite: "evals/qa.yaml" };
    const first = await runAction({ workspace: fixture.path, github, inputs, env: localKey });
    expect(verdictOf(first), first.stdout).toBe("error");
    expect(runOf(first).cases).toMatchObject({ scored: 30, ungraded: 10 });
    expect(provider.count()).toBe(40);
    isDown = false;
    github.artifacts.nextAttempt();
    const again = { ...localKey, GITHUB_RUN_ATTEMPT: "2" };
    const second = await runAction({ workspace: fixture.path, github, inputs, env: again });
    expect(verdictOf(second), second.stdout).toBe("pass");
    // Ten that had no answer, thirty once more: the cache, which holds these, is not asked.
    expect(provider.count()).toBe(80);
    const samples = await samplesOf(second);
    expect(samples).toHaveLength(70);
    expect(samples.filter(({ repeat }) => repeat === 1)).toHaveLength(30);
    expect(runOf(second).cases).toMatchObject({ scored: 40, ungraded: 0 });
    expect(runOf(second).usage.cached).toBe(0);
    const rerun = await regrade(["rerun-failed", second.outputs["run-path"] ?? ""], {
      in: fixture.path,
    });
    expect(rerun.code).toBe(2);
    expect(rerun.stderr).toContain("holds the samples of several attempts at a workflow run");
  });
});

describe("earlier attempts that can't be read", () => {
  const faults: readonly (readonly [string, (github: GitHub) => () => void])[] = [
    [
      "the listing is refused",
      ({ trouble }) => {
        trouble.artifactService = "refuses";
        return () => (trouble.artifactService = "none");
      },
    ],
    ["what was kept for it was not uploaded", lose],
    [
      "other bytes than were uploaded",
      (github) => spoil(github, { bytes: garbled, digest: false }),
    ],
    ["a damaged zip", (github) => spoil(github, { bytes: garbled, digest: true })],
    ["half a run.json", (github) => spoil(github, { bytes: halved, digest: true })],
    ["a torn sample in the midst", (github) => spoil(github, { bytes: torn, digest: true })],
  ];

  itSome(faults)("are no pass: %s", async (_name, breakIt) => {
    await using at = await project();
    const attempt = rerunning(at);
    const first = await attempt(from(0, 12));
    expect(verdictOf(first)).toBe("fail");
    const mend = breakIt(at.github);
    const second = await attempt([]);
    expect(verdictOf(second), second.stdout).toBe("inconclusive");
    expect(runOf(second).gate.reasons[0]).toMatch(
      /^What earlier attempts of this workflow run showed is not known: .*re-run again, or push a commit\.$/s,
    );
    // When GitHub is well again, the attempt after it knows the first one.
    mend();
    const third = await attempt([]);
    expect(runOf(third).attempts?.earlier.map(({ number }) => number)).toContain(1);
    expect(runOf(third).attempts?.unread).toBeNull();
    expect(verdictOf(third)).toBe("fail");
  });

  it("that left nothing, as they were refused, are in nobody's way", { tags: "long" }, async () => {
    await using at = await project();
    const attempt = rerunning(at);
    const suite = await readFile(join(await at.workTree("change"), "evals/qa.yaml"), "utf8");
    await at.commit("change", { "evals/qa.yaml": `${suite}no_such_key: 1\n` });
    expect((await attempt([])).code).toBe(2);
    await at.commit("change", { "evals/qa.yaml": suite });
    const second = await attempt([]);
    expect(verdictOf(second), second.stdout).toBe("pass");
  });
});

function lose({ artifacts }: GitHub): () => void {
  const lost = artifacts.all.filter(({ name }) => name.startsWith("regrade-attempt~"));
  const contents = lost.map(({ content }) => content);
  for (const artifact of lost) artifact.content = undefined;
  return () => {
    for (const [i, artifact] of lost.entries()) artifact.content = contents[i];
  };
}

/** Changes what the storage gives out of what an attempt left, with or without its digest. */
function spoil(
  { artifacts }: GitHub,
  { bytes, digest }: { bytes: (zip: Buffer) => Buffer; digest: boolean },
): () => void {
  const left = artifacts.all.findLast(({ name }) => name.startsWith("regrade-attempt~"));
  const stored = left?.content;
  if (left === undefined || stored === undefined) throw new Error("the attempt has left nothing");
  const [whole, known] = [Buffer.from(stored), left.digest];
  left.content = whole;
  stored.set(padded(bytes(whole), stored.length));
  if (digest) left.digest = `sha256:${createHash("sha256").update(stored).digest("hex")}`;
  return () => {
    stored.set(whole);
    left.digest = known;
  };
}

/** A zip with a comment as long as is missing to a length. */
function padded(zip: Buffer, length: number): Buffer {
  if (zip.length === length) return zip;
  const all = Buffer.concat([zip, Buffer.alloc(length - zip.length, " ")]);
  all.writeUInt16LE(length - zip.length, zip.length - 2);
  return all;
}

const garbled = (zip: Buffer): Buffer => Buffer.from(zip).fill(0, 100, 400);

const halved = (zip: Buffer): Buffer =>
  changed(zip, "run.json", (text) => text.slice(0, text.length / 2));

const torn = (zip: Buffer): Buffer =>
  changed(zip, "samples.jsonl", (text) => text.replace('"repeat":0', '"repeat":'));

function changed(zip: Buffer, name: string, change: (text: string) => string): Buffer {
  const files = Object.entries(unzip(zip)).map(([path, bytes]) => {
    const text = bytes.toString();
    return { name: path, content: path === name ? change(text) : text };
  });
  return makeZip(files);
}

const recorded = (wrong: (i: number) => boolean): string =>
  Array.from({ length: cases }, (_, i) =>
    JSON.stringify({ id: `c${i}`, input: `${i}+1`, output: "x", score: wrong(i) ? 0 : 1 }),
  ).join("\n");

describe("results of another tool", () => {
  const inputs = { results: "out.jsonl", format: "jsonl", "max-drop": "0.02", name: "support" };
  it(
    "that its step made anew add to those of earlier attempts; the same ones do not",
    { tags: "long" },
    async () => {
      await using at = await startProject({ "out.jsonl": recorded(() => false) });
      await at.push("main", { inputs });
      const attempt = async (number: number, wrong: (i: number) => boolean): Promise<Run> => {
        if (number > 1) at.github.artifacts.nextAttempt();
        await at.commit("change", { "out.jsonl": recorded(wrong) });
        const env = { GITHUB_RUN_ATTEMPT: String(number) };
        return runOf(await at.pull("change", { inputs, runId: 900, env }));
      };
      const first = await attempt(1, (i) => i < 12);
      expect(first.gate.verdict).toBe("fail");
      const second = await attempt(2, (i) => i === 3);
      expect(second.gate.verdict).toBe("fail");
      expect(second.request_counts.total).toBe(2 * cases);
      expect(second.metrics[0]?.value).toBeCloseTo(1 - 13 / 120, 12);
      const third = await attempt(3, (i) => i === 3);
      expect(third.request_counts.total).toBe(2 * cases);
      expect(third.metrics[0]?.value).toBeCloseTo(1 - 13 / 120, 12);
      expect(third.attempts?.earlier.map(({ number }) => number)).toEqual([1]);
      const fourth = await attempt(4, () => false);
      expect(fourth.metrics[0]?.value).toBeCloseTo(1 - 13 / 180, 12);
      expect(fourth.gate.verdict).toBe("fail");
    },
  );
});

describe("a shard that is run again", () => {
  it("adds its samples to the whole", async () => {
    await using github = await startGitHub();
    const gate = "{ rules: [{ metric: exact_match, min: 0.9 }] }";
    await using fixture = await createFixture({
      ...suiteFiles({ cases: 20, candidates: candidate, gate }),
      "evals/app.py": luckyApp,
    });
    const job = (
      inputs: Record<string, string>,
      attempt: number,
      wrong = "none",
    ): Promise<ActionEnd> =>
      runAction({
        workspace: fixture.path,
        github,
        inputs: { suite: "evals/qa.yaml", ...inputs },
        env: { GITHUB_RUN_ATTEMPT: String(attempt), WRONG: wrong },
      });
    await job({ shard: "1/2" }, 1, "0 2 4 6");
    await job({ shard: "2/2" }, 1);
    const first = await job({ mode: "merge" }, 1);
    expect(verdictOf(first), first.stdout).toBe("fail");
    expect(runOf(first).metrics[0]?.value).toBe(0.8);
    github.artifacts.nextAttempt();
    await job({ shard: "1/2" }, 2);
    const second = await job({ mode: "merge" }, 2);
    const run = runOf(second);
    // Four cases were right once of twice.
    expect(run.metrics[0]?.value).toBeCloseTo(0.9, 12);
    expect(verdictOf(second), second.stdout).toBe("pass");
    expect(run.attempts).toMatchObject({ number: 2, earlier: [{ number: 1 }], unread: null });
    expect(run.request_counts.total).toBe(30);
  });
});
