import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { runAction, type ActionEnd } from "../support/github/run-action.ts";
import { startGitHub } from "../support/github/server.ts";
import { parseLines } from "../support/cli.ts";
import { patience } from "../support/patience.ts";
import { itSome } from "../support/rows.ts";

/** Runs dist/main.mjs as a process, as a runner would. */

const cases = 60;

interface Parts {
  /** Which of the cases are answered wrongly. */
  readonly wrong?: (i: number) => boolean;
  readonly gate?: string;
  readonly grader?: string;
  readonly candidates?: string;
}

function suiteFiles({ wrong, gate, grader, candidates }: Parts): Record<string, string> {
  const rows = Array.from({ length: cases }, (_, i) => ({
    id: `c${i}`,
    q: `${i}+1`,
    a: `${i + 1}`,
  }));
  const outputs = rows.map(({ id, a }, i) => ({
    case_id: id,
    output_text: wrong?.(i) === true ? "wrong" : a,
  }));
  return {
    "evals/qa.yaml": [
      "name: qa",
      "dataset: { file: data/qa.jsonl, id_field: id }",
      'prompt_template: "What is {{q}}?"',
      'target_template: "{{a}}"',
      `grader: ${grader ?? "exact_match"}`,
      `candidates: ${candidates ?? "{ app: { replay: outputs.jsonl } }"}`,
      `gate: ${gate ?? "{ rules: [{ metric: exact_match, min: 0.8 }] }"}`,
      "",
    ].join("\n"),
    "evals/data/qa.jsonl": jsonLines(rows),
    "evals/outputs.jsonl": jsonLines(outputs),
  };
}

function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

const kinds = (end: ActionEnd): readonly string[] => [
  ...new Set(end.commands.map(({ name }) => name)),
];
const annotations = (end: ActionEnd, kind: string) =>
  end.commands.filter(({ name }) => name === kind);
/** What the step may say to the runner at all. */
const ours = ["group", "endgroup", "add-mask", "error", "warning", "notice", "debug"];

async function readRun(end: ActionEnd): Promise<{ status: string; git: object; suite: object }> {
  const text = await readFile(join(end.outputs["run-path"] ?? "", "run.json"), "utf8");
  return JSON.parse(text) as { status: string; git: object; suite: object };
}

describe("the action's verdict", () => {
  it(
    "is green for a suite that meets its gate, with summary, outputs and artifact",
    { tags: "smoke" },
    async () => {
      await using github = await startGitHub();
      await using fixture = await createFixture(suiteFiles({}));
      const event = {
        name: "pull_request",
        payload: { pull_request: { base: { sha: "b".repeat(40) } } },
      };
      const inputs = { "policy-from": "none" };
      const end = await runAction({ workspace: fixture.path, github, event, inputs });
      expect(end.stderr).toBe("");
      expect(end.code).toBe(0);
      expect(end.outputs).toMatchObject({
        verdict: "pass",
        "exit-code": "0",
        regressed: "0",
        fixed: "0",
        errors: "0",
        missing: "0",
        "artifact-id": expect.stringMatching(/^\d+$/) as string,
      });
      const metrics = JSON.parse(end.outputs["metrics"] ?? "") as Record<string, unknown>[];
      expect(metrics).toContainEqual(
        expect.objectContaining({
          suite: "qa",
          candidate: "app",
          metric: "exact_match",
          value: 1,
          n: cases,
        }),
      );
      expect(end.summary).toContain("qa");
      expect(await readFile(end.outputs["summary-path"] ?? "", "utf8")).toBe(
        end.summary.trimEnd() + "\n",
      );
      expect(end.summary).toMatch(/<sub>commit .*1{7}.* · .*run 77/);
      expect(end.summary).toContain("nothing was compared with an earlier run (");
      const artifact = end.artifacts["regrade-qa"] ?? {};
      expect(artifact["summary.md"]?.toString()).toBe(`${end.summary.trimEnd()}\n`);
      expect(Object.keys(artifact).toSorted()).toEqual([
        "run.json",
        "samples.jsonl",
        "scores.jsonl",
        "summary.md",
      ]);
      const run = await readRun(end);
      expect(JSON.parse(artifact["run.json"]?.toString() ?? "")).toEqual(run);
      expect(run).toMatchObject({
        status: "completed",
        git: { sha: "1".repeat(40), base_sha: "b".repeat(40), ref: "refs/heads/main" },
      });
      expect(end.otherFileCommands).toBe("");
      expect(ours).toEqual(expect.arrayContaining([...kinds(end)]));
    },
  );

  it("is red for one that misses it, with an annotation at the manifest", async () => {
    await using fixture = await createFixture(suiteFiles({ wrong: (i) => i % 2 === 0 }));
    const end = await runAction({ workspace: fixture.path });
    expect(end.code).toBe(1);
    expect(end.outputs).toMatchObject({ verdict: "fail", "exit-code": "1", "artifact-id": "" });
    expect(annotations(end, "error").map(({ properties }) => properties)).toEqual([
      { title: "qa: fail", file: "evals/qa.yaml" },
    ]);
    expect(end.stdout).toContain("no artifact service");
  });

  it("names how many cases broke against a baseline, and lets fail-on decide", async () => {
    await using fixture = await createFixture(suiteFiles({ gate: "{ max_drop: 0.02 }" }));
    const base = await runAction({ workspace: fixture.path });
    expect(base.code).toBe(0);
    await cp(base.outputs["run-path"] ?? "", fixture.getPath("base-run"), { recursive: true });
    const worse = suiteFiles({ gate: "{ max_drop: 0.02 }", wrong: (i) => i < 20 });
    await writeFile(fixture.getPath("evals/outputs.jsonl"), worse["evals/outputs.jsonl"] ?? "");
    const inputs = { baseline: "base-run", suite: "evals/qa.yaml" };
    const end = await runAction({ workspace: fixture.path, inputs });
    expect(end.code).toBe(1);
    expect(end.outputs).toMatchObject({ verdict: "fail", regressed: "20", fixed: "0" });
    const told = await runAction({
      workspace: fixture.path,
      inputs: { ...inputs, "fail-on": "never" },
    });
    expect(told.code).toBe(0);
    expect(told.outputs).toMatchObject({ verdict: "fail", "exit-code": "1" });
    expect(annotations(told, "error")).toEqual([]);
    expect(annotations(told, "warning").map(({ properties }) => properties["title"])).toContain(
      "qa: fail",
    );
  });

  it("is inconclusive where the grader changed and the old outputs are gone, and red for it unless fail-on leaves it out", async () => {
    const grader = "{ type: python, file: grader.py, metric_id: quality }";
    await using fixture = await createFixture({
      ...suiteFiles({ gate: "{ rules: [{ metric: quality, max_drop: 0.02 }] }", grader }),
      "evals/grader.py": "def grade(sample, item):\n    return 0.5\n",
    });
    const base = await runAction({ workspace: fixture.path });
    await cp(base.outputs["run-path"] ?? "", fixture.getPath("base-run"), { recursive: true });
    // Without them the new grader can't grade the baseline's side.
    await rm(fixture.getPath("base-run/samples.jsonl"));
    await fixture.writeFile("evals/grader.py", "def grade(sample, item):\n    return 0.25\n");
    const inputs = { baseline: "base-run" };
    const red = await runAction({ workspace: fixture.path, inputs });
    expect(red.outputs).toMatchObject({ verdict: "inconclusive", "exit-code": "3" });
    expect(red.code).toBe(3);
    const green = await runAction({
      workspace: fixture.path,
      inputs: { ...inputs, "fail-on": "fail,error" },
    });
    expect(green.outputs).toMatchObject({ verdict: "inconclusive", "exit-code": "3" });
    expect(green.code).toBe(0);
  });

  it("is the worst of several suites, each with a folder and an artifact", async () => {
    await using github = await startGitHub();
    const red = suiteFiles({ wrong: () => true });
    await using fixture = await createFixture({
      ...suiteFiles({}),
      "more/red.yml": (red["evals/qa.yaml"] ?? "").replace("name: qa", "name: red"),
      "more/data/qa.jsonl": red["evals/data/qa.jsonl"] ?? "",
      "more/outputs.jsonl": red["evals/outputs.jsonl"] ?? "",
    });
    const inputs = { suite: "evals/*.{yaml,yml}\nmore/*.yml" };
    const end = await runAction({ workspace: fixture.path, github, inputs });
    expect(end.code).toBe(1);
    expect(end.outputs).toMatchObject({
      verdict: "fail",
      "artifact-id": expect.stringMatching(/^\d+,\d+$/) as string,
    });
    expect((await readdir(end.outputs["run-path"] ?? "")).toSorted()).toEqual([
      "qa",
      "red",
      "summary.md",
    ]);
    expect(Object.keys(end.artifacts)).toEqual(
      expect.arrayContaining([
        "regrade-qa",
        "regrade-red",
        expect.stringMatching(/^regrade-qa~scores-/) as string,
      ]),
    );
    expect(end.summary.trim()).toBe(
      (await readFile(end.outputs["summary-path"] ?? "", "utf8")).trim(),
    );
  });

  it("reads paths from the working directory, and annotates from the repository's root", async () => {
    const files = Object.entries(suiteFiles({ wrong: () => true }));
    await using fixture = await createFixture(
      Object.fromEntries(files.map(([path, text]) => [`apps/bot/${path}`, text])),
    );
    const inputs = { "working-directory": "apps/bot" };
    const end = await runAction({ workspace: fixture.path, inputs });
    expect(end.code).toBe(1);
    expect(annotations(end, "error").map(({ properties }) => properties["file"])).toEqual([
      "apps/bot/evals/qa.yaml",
    ]);
  });

  it.each([
    ["public", false],
    ["private", true],
    [undefined, false],
  ])(
    "shows texts of cases in the summary only where they stay private: %s",
    async (visibility, shown) => {
      const gate = "{ rules: [{ metric: exact_match, max_drop: 0.02 }] }";
      await using fixture = await createFixture(suiteFiles({ gate }));
      const base = await runAction({ workspace: fixture.path });
      await cp(base.outputs["run-path"] ?? "", fixture.getPath("base-run"), { recursive: true });
      const worse = suiteFiles({ gate, wrong: (i) => i < 20 });
      await fixture.writeFile("evals/outputs.jsonl", worse["evals/outputs.jsonl"] ?? "");
      const event = { name: "push", payload: visibility ? { repository: { visibility } } : {} };
      const inputs = { baseline: "base-run" };
      const { summary } = await runAction({ workspace: fixture.path, event, inputs });
      expect(summary).toContain("c7");
      expect(/^[+] ?wrong$/m.test(summary)).toBe(shown);
    },
  );

  it("runs only the candidates that are named", async () => {
    const candidates = "{ app: { replay: outputs.jsonl }, other: { command: [no-such-program] } }";
    await using fixture = await createFixture(suiteFiles({ candidates }));
    const end = await runAction({ workspace: fixture.path, inputs: { candidates: "app" } });
    expect(end.code).toBe(0);
  });
});

describe("what the action can't work with", () => {
  it("is one annotation a problem, at its line, and never green", async () => {
    const files = suiteFiles({});
    const misspelt = (files["evals/qa.yaml"] ?? "")
      .replace("prompt_template", "promt_template")
      .replace("grader: exact_match", "grader: exakt");
    await using fixture = await createFixture({ ...files, "evals/qa.yaml": misspelt });
    const inputs = { "fail-on": "never" };
    const end = await runAction({ workspace: fixture.path, inputs });
    expect(end.code).toBe(2);
    expect(end.outputs).toMatchObject({ verdict: "error", "exit-code": "2" });
    const errors = annotations(end, "error");
    expect(errors.length).toBeGreaterThanOrEqual(2);
    expect(errors.map(({ properties }) => [properties["file"], properties["line"]])).toEqual(
      expect.arrayContaining([
        ["evals/qa.yaml", "3"],
        ["evals/qa.yaml", "5"],
      ]),
    );
    expect(end.summary).toContain("promt_template");
    expect(end.summary).toContain("evals/qa.yaml: not run, 2 problems to mend first");
    expect(`${end.stdout}${end.stderr}`).not.toMatch(/^\s+at /m);
  });

  it("does not keep the suites beside it from running", async () => {
    await using fixture = await createFixture({
      ...suiteFiles({}),
      "evals/a-broken.yaml": "name: [",
    });
    const end = await runAction({ workspace: fixture.path });
    expect(end.code).toBe(2);
    expect(end.outputs).toMatchObject({ verdict: "error", "exit-code": "2" });
    expect(await readdir(join(end.outputs["run-path"] ?? "", "qa"))).toContain("run.json");
  });

  it.each([
    [{}, "evals/*.{yaml,yml,json}"],
    [{ suite: "evals/typo.yaml" }, "evals/typo.yaml"],
    [{ "working-directory": "nowhere" }, "nowhere"],
    [{ comment: "sometimes" }, "failures"],
    [{ mode: "compare" }, "report"],
    [{ "fail-on": "failed" }, "inconclusive"],
    [{ sandbox: "on" }, "required"],
  ])("is said with a way out: %j", async (inputs, words) => {
    await using fixture = await createFixture({ "README.md": "" });
    const end = await runAction({ workspace: fixture.path, inputs });
    expect(end.code).toBe(2);
    expect(end.outputs).toMatchObject({ verdict: "error", "exit-code": "2", "artifact-id": "" });
    expect(
      annotations(end, "error")
        .map(({ data }) => data)
        .join(),
    ).toContain(words);
    expect(end.summary).toContain("The step: not run, ");
    expect(`${end.stdout}${end.stderr}`).not.toMatch(/^\s+at /m);
  });
});

/** What a hostile text would like the runner to do. */
const attack = [
  "##[set-output name=verdict]pass",
  "::set-output name=verdict::pass",
  "harmless ##[add-mask]1",
  "::add-mask::1",
  "  ::error file=evals/qa.yaml::forged",
  "\r::warning::forged",
  "\u0085::notice::forged",
  "##[set-env name=NODE_OPTIONS]--forged",
  "::add-path::/forged",
  "::stop-commands::forged",
  "##[add-matcher]forged.json",
].join("\n");

const hostileGrader = `
import os, sys
ATTACK = ${JSON.stringify(attack)}
print(ATTACK)
print(ATTACK, file=sys.stderr)
for fd in (1, 2):
    os.write(fd, (ATTACK + "\\n").encode())
for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY", "ACTIONS_RUNTIME_TOKEN", "SECRET_KEY"):
    if name in os.environ:
        print("::error::" + name + " is visible")
        raise SystemExit(name + " is visible")
count = 0
def grade(sample, item):
    global count
    count += 1
    print(ATTACK)
    os.write(1, (ATTACK + "\\n").encode())
    if count % 3 == 0:
        raise ValueError(ATTACK)
    return 0.5
`;

describe("what models, graders and data sets print", () => {
  it("never becomes a workflow command", async () => {
    await using github = await startGitHub();
    const rows = Array.from({ length: 9 }, (_, i) => ({
      id: `${i} ${attack}`,
      q: attack,
      a: attack,
    }));
    const files = suiteFiles({
      grader: "{ type: python, file: grader.py, metric_id: quality }",
      candidates: "{ said: { replay: outputs.jsonl }, ran: { command: [python3, -S, app.py] } }",
      gate: "{ rules: [{ metric: quality, min: 0.9 }] }",
    });
    await using fixture = await createFixture({
      ...files,
      "evals/data/qa.jsonl": jsonLines(rows),
      "evals/outputs.jsonl": jsonLines(
        rows.map(({ id }) => ({ case_id: id, output_text: attack })),
      ),
      "evals/grader.py": hostileGrader,
      "evals/app.py": `import sys\nprint(${JSON.stringify(attack)})\nprint(${JSON.stringify(attack)}, file=sys.stderr)\nsys.exit(len(sys.stdin.read()) % 2)\n`,
    });
    const env = { SECRET_KEY: "hunter2" };
    const event = { name: "push", payload: { repository: { private: true } } };
    const end = await runAction({ workspace: fixture.path, github, env, event });
    expect(end.code).toBe(1);
    expect(end.outputs["verdict"]).toBe("fail");
    expect(end.otherFileCommands).toBe("");
    const [signature] = annotations(end, "add-mask");
    expect(signature?.data.length).toBeGreaterThan(20);
    for (const { name, data, properties } of end.commands) {
      expect(ours).toContain(name);
      if (name === "add-mask") expect(data).not.toBe("1");
      if (name === "error") expect(properties["title"]).toBe("qa: fail");
      expect(data).not.toBe("forged");
    }
    expect(end.summary).not.toContain("is visible");
    expect(JSON.stringify(end.artifacts["regrade-qa"])).not.toContain("hunter2");
  });
});

describe("a bug in Regrade", () => {
  it("is exit 70 with a stack and where to report it, and its text is no command either", async () => {
    await using fixture = await createFixture(suiteFiles({}));
    const bug = `setTimeout(() => { throw new Error(${JSON.stringify(attack)}) }, 100)`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}` };
    const end = await runAction({ workspace: fixture.path, env });
    expect(end.code).toBe(70);
    expect(end.outputs).toMatchObject({ verdict: "error", "exit-code": "70" });
    const [error] = annotations(end, "error");
    expect(error?.data).toContain("https://github.com/owner/regrade/issues");
    expect(end.stdout).toMatch(/^\s+at /m);
    for (const { name, data } of end.commands) {
      expect([...ours, "stop-commands"]).toContain(name);
      expect(data).not.toBe("forged");
    }
  });
});

describe("GitHub's services in trouble", () => {
  it("is a warning, and the verdict stays", async () => {
    await using github = await startGitHub();
    github.trouble.artifactService = "refuses";
    await using fixture = await createFixture(suiteFiles({}));
    const end = await runAction({ workspace: fixture.path, github });
    expect(end.code).toBe(0);
    expect(end.outputs).toMatchObject({ verdict: "pass", "exit-code": "0", "artifact-id": "" });
    expect(
      annotations(end, "warning")
        .map(({ data }) => data)
        .join("\n"),
    ).toContain("The verdict does not depend on it");
  });

  it("takes a large run in many blocks", { tags: "long" }, async () => {
    await using github = await startGitHub();
    const files = suiteFiles({});
    const outputs = Array.from({ length: cases }, (_, i) => ({
      case_id: `c${i}`,
      output_text: randomBytes(340_000).toString("base64"),
    }));
    await using fixture = await createFixture({
      ...files,
      "evals/outputs.jsonl": jsonLines(outputs),
    });
    const end = await runAction({ workspace: fixture.path, github });
    expect(end.code).toBe(1);
    const samples = end.artifacts["regrade-qa"]?.["samples.jsonl"]
      ?.toString()
      .trimEnd()
      .split("\n");
    expect(samples).toHaveLength(cases);
    const texts = samples?.map((line) => (JSON.parse(line) as { output_text: string }).output_text);
    expect(texts?.toSorted()).toEqual(outputs.map(({ output_text }) => output_text).toSorted());
    const whole = github.artifacts.all.find(({ name }) => name === "regrade-qa");
    expect(whole?.content?.length).toBeGreaterThan(20_000_000);
    expect(github.requests.filter(({ method }) => method === "PUT").length).toBeGreaterThan(3);
  });

  it("does without a summary file and an output file", async () => {
    await using fixture = await createFixture(suiteFiles({}));
    const env = { GITHUB_STEP_SUMMARY: "/no/such/file", GITHUB_OUTPUT: "/no/such/file" };
    const end = await runAction({ workspace: fixture.path, env });
    expect(end.code).toBe(0);
    expect(annotations(end, "warning")).toHaveLength(2);
  });
});

describe("the input max-samples", () => {
  it("runs so many cases, the same ones each time", async () => {
    await using fixture = await createFixture(suiteFiles({}));
    const asked = { workspace: fixture.path, inputs: { "max-samples": "7" } };
    const scores: string[] = [];
    for (const _ of [1, 2])
      await runAction({
        ...asked,
        meanwhile: async ({ child, runnerTemp }) => {
          await once(child, "exit");
          const [folder = ""] = await readdir(runnerTemp);
          scores.push(await readFile(join(runnerTemp, folder, "scores.jsonl"), "utf8"));
        },
      });
    expect(parseLines(scores[0] ?? "")).toHaveLength(7);
    expect(scores[1]).toBe(scores[0]);
  });
});

describe("a cancelled job", () => {
  itSome(["SIGINT", "SIGTERM"] as const)(
    "leaves a valid run within 5 seconds of %s",
    async (signal) => {
      await using github = await startGitHub();
      await using fixture = await createFixture({
        ...suiteFiles({ candidates: "{ app: { command: [python3, -S, app.py] } }" }),
        "evals/app.py":
          "import sys, time\ntext = sys.stdin.read()\ntime.sleep(0 if '0+1' in text else 60)\nprint(1)\n",
      });
      let from = 0;
      const end = await runAction({
        workspace: fixture.path,
        github,
        meanwhile: async ({ child, printed, runnerTemp }) => {
          await printed(`${cases} samples`);
          await journalHasLine(runnerTemp);
          from = performance.now();
          child.kill(signal);
        },
      });
      expect((performance.now() - from) / 1000).toBeLessThan(await patience(5));
      expect(end.code).toBe(130);
      expect(end.outputs).toMatchObject({ "exit-code": "130", "artifact-id": "" });
      expect(await readRun(end)).toMatchObject({ status: "cancelled" });
      // There is no time for more than the check.
      expect(github.rest.state.checks).toMatchObject([{ conclusion: "cancelled" }]);
    },
  );
});

async function journalHasLine(runnerTemp: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    for (const folder of await readdir(runnerTemp)) {
      const path = join(runnerTemp, folder, "samples.jsonl");
      const text = await readFile(path, "utf8").catch(() => "");
      if (text.includes("\n")) return;
    }
    await new Promise((wait) => setTimeout(wait, 50));
  }
  throw new Error("no sample was finished");
}
