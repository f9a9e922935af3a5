import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { judgeChange } from "../support/change.ts";
import { expectRefusal, jsonLines, readRunDirectory, regrade } from "../support/cli.ts";

/** Agents from manifest to gate: what they did and left is graded, and again without them. */

const agent = await readFile("test/fixtures/agents/agent.py", "utf8");

const tasks = `name: work
dataset: { file: cases.jsonl, id_field: id }
prompt_template: "{{do}}"
target_template: "{{want}}"
graders:
  - { type: exact_match, name: same }
  - { type: files, name: left, must_exist: [out.txt], must_not_exist: [debug.log] }
  - { type: behavior, name: effort, max_tool_calls: 2, max_turns: 3 }
  - { type: skills, name: skills, required_skills: [explain] }
  - name: code
    type: python
    source: |
      def grade(sample, item):
          texts = {file["path"]: file["text"] for file in sample["files"]}
          calls = [call["name"] for call in sample["tool_calls"]]
          told = sample["usage"]["input_tokens"] == 7 and sample["latency_ms"] > 0
          return float(told and calls == ["write"] and texts["out.txt"] == "one" and sample["skills"] == ["explain"])
  - name: batch
    type: python
    contract: batch
    source: |
      def grade_batch(samples):
          return {"metrics": {"files": sum(len(s["files"]) for s in samples)}}
gate:
  rules: [{ metric: agent_turns, max: 2 }, { metric: agent_tool_calls, max: 1 }, { metric: same, min: 1 }]
`;
const own = `candidates:
  mine: { agent: { command: [python3, agent.py], events: regrade }, workspace: { files: files }, inputs: [agent.py] }
`;
const answer = JSON.stringify({
  type: "answer",
  output_text: "done",
  usage: { input_tokens: 7, output_tokens: 2 },
});
const cases = [
  { id: "a", do: `write=out.txt:one; skill=explain; raw=${answer}`, want: "done", files: {} },
  {
    id: "b",
    do: `write=out.txt:one; skill=explain; raw=${answer}`,
    want: "done",
    files: { x: "y" },
  },
];
const project = {
  "agent.py": agent,
  "cases.jsonl": jsonLines(cases),
  "suite.yaml": tasks + own,
};

/** An agent that answers with what is in its file. */
const reading = (notes: string, candidate: string) => ({
  "evals/agent.py": agent,
  "evals/fixtures/notes.txt": notes,
  "evals/cases.jsonl": jsonLines([{ id: "a", do: "cat=notes.txt", want: "right" }]),
  "evals/qa.yaml": `name: qa
dataset: { file: cases.jsonl, id_field: id }
prompt_template: "{{do}}"
target_template: "{{want}}"
grader: exact_match
candidates:
  mine: { agent: { command: [python3, agent.py], events: regrade }, ${candidate}, inputs: [agent.py] }
gate: { rules: [{ metric: exact_match, min: 1 }] }
`,
});

/** Each tries what a fence has to refuse, and the run shows how it ended. */
const attacks: readonly (readonly [string, string])[] = [
  ["read the answers", "cat={}/cases.jsonl"],
  ["read the suite", "cat={}/suite.yaml"],
  ["read the answers by a link", "link={}/cases.jsonl; cat=link"],
  ["read the environment of the program that started it", "cat=/proc/{ppid}/environ"],
  ["change a grader", "write={}/grader.py:won"],
  ["change its own program", "write={}/agent.py:won"],
];

describe.skipIf(process.platform !== "linux")("an agent behind a fence", () => {
  const fenced = own.replace("inputs:", "fence: required, inputs:");

  it("does its work", async () => {
    await using fixture = await createFixture({ ...project, "suite.yaml": tasks + fenced });
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    expect(end.stderr + end.stdout).toContain("pass");
    expect(end.code).toBe(0);
  });

  it.each(attacks)("can't %s", async (_, attack) => {
    const does = attack.replaceAll("{ppid}", String(process.pid));
    await using fixture = await createFixture({
      "agent.py": agent,
      "grader.py": "as it was",
      "suite.yaml": tasks + fenced,
    });
    const steps = `${does.replaceAll("{}", fixture.path.replace(/\/$/, ""))}; raw=${answer}`;
    await fixture.writeFile(
      "cases.jsonl",
      jsonLines([{ id: "a", do: steps, want: "", files: {} }]),
    );
    await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    const { samples } = await readRunDirectory(join(fixture.path, "run"));
    expect(samples.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining("PermissionError"),
    ]);
    expect(await readFile(join(fixture.path, "grader.py"), "utf8")).toBe("as it was");
    expect(await readFile(join(fixture.path, "agent.py"), "utf8")).toBe(agent);
  });

  it("ends with what it started, even without the environment that it is known by", async () => {
    await using fixture = await createFixture({
      ...project,
      "cases.jsonl": jsonLines([{ id: "a", do: `orphan=pid; raw=${answer}`, want: "", files: {} }]),
      "suite.yaml": tasks + fenced,
    });
    await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    const { samples } = await readRunDirectory(join(fixture.path, "run"));
    const [pid] = samples.map(({ workspace }) => Number(workspace?.files[0]?.text));
    expect(pid).toBeGreaterThan(1);
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
  });

  it("is refused where `inputs` would show it the answers", async () => {
    const open = fenced.replace("[agent.py]", '["*"]');
    await using fixture = await createFixture({ ...project, "suite.yaml": tasks + open });
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    expect(end.code).not.toBe(0);
    expect(end.stderr).toMatch(/can't.*(cases\.jsonl|suite\.yaml)/);
  });
});

describe.skipIf(process.platform === "win32")("an agent as a candidate", () => {
  it("is graded by what it did and left, by graders of every contract, and gated by its turns", async () => {
    await using fixture = await createFixture(project);
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    expect(end.stderr + end.stdout).toContain("pass");
    expect(end.code).toBe(0);
    const { run } = await readRunDirectory(join(fixture.path, "run"));
    const values = Object.fromEntries(
      run.metrics.filter(({ slice }) => slice === null).map(({ metric, value }) => [metric, value]),
    );
    expect(values).toMatchObject({
      same: 1,
      left: 1,
      effort: 1,
      skills: 1,
      code: 1,
      "batch.files": 3,
      agent_turns: 2,
      agent_tool_calls: 1,
      input_tokens: 7,
    });
  });

  it("gives identical scores when its run is replayed, without the agent", async () => {
    await using fixture = await createFixture({
      ...project,
      "again.yaml": `${tasks}candidates: { mine: { replay: run/samples.jsonl } }\n`,
    });
    const { path: place } = fixture;
    await regrade(["run", "suite.yaml", "--out", "run"], { in: place });
    await fixture.rm("agent.py");
    const end = await regrade(["run", "again.yaml", "--out", "again"], { in: place });
    expect(end.code).toBe(0);
    const told = async (name: string) => {
      const { samples } = await readRunDirectory(join(place, name));
      return samples
        .map(({ case_id, scores, workspace, transcript, latency_ms, usage }) => ({
          case_id,
          scores,
          workspace,
          transcript,
          latency_ms,
          usage,
        }))
        .toSorted((a, b) => (a.case_id < b.case_id ? -1 : 1));
    };
    expect(await told("again")).toEqual(await told("run"));
  });

  it("gives identical scores as trajectories, which it writes and reads", async () => {
    await using fixture = await createFixture({
      ...project,
      "again.yaml": `${tasks}candidates: { mine: { replay: { path: trajectories, format: atif } } }\n`,
    });
    const { path: place } = fixture;
    await regrade(["run", "suite.yaml", "--out", "run"], { in: place });
    const told = await regrade(["report", "run", "--as", "atif", "--out", "trajectories"], {
      in: place,
    });
    expect(told.code, told.stderr).toBe(0);
    const end = await regrade(["run", "again.yaml", "--out", "again"], { in: place });
    expect(end.code, end.stderr).toBe(0);
    const scored = async (name: string) => {
      const { samples } = await readRunDirectory(join(place, name));
      return samples
        .map(({ case_id, scores, workspace, usage }) => ({ case_id, scores, workspace, usage }))
        .toSorted((a, b) => (a.case_id < b.case_id ? -1 : 1));
    };
    expect(await scored("again")).toEqual(await scored("run"));
  });

  it("is held to the checks that its row carries: files, calls and limits of that case", async () => {
    const checks = [
      {
        type: "files",
        must_exist: ["out.txt"],
        content_patterns: [{ path: "out.txt", must_match: ["^one$"] }],
      },
      { type: "tool_constraint", expect_tools: ["write"] },
      { type: "behavior", max_tool_calls: 0, name: "none" },
    ];
    await using fixture = await createFixture({
      "agent.py": agent,
      "cases.jsonl": jsonLines([{ id: "a", do: "write=out.txt:one; say=x", checks }]),
      "suite.yaml": `name: own
dataset: { file: cases.jsonl, id_field: id }
prompt_template: "{{do}}"
grader: { type: row_checks, field: checks }
gate: none
${own.replace("workspace: { files: files }, ", "")}`,
    });
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    const { samples } = await readRunDirectory(join(fixture.path, "run"));
    expect(samples[0]?.scores).toMatchObject({ none: 0, passed: 0 });
    expect(samples[0]?.scores["score"]).toBeCloseTo(2 / 3);
  });

  it("hides secrets in what it did and in the files that it left", async () => {
    await using fixture = await createFixture({
      ...project,
      "cases.jsonl": jsonLines([
        { id: "a", do: "write=out.txt:key-of-agent-1234; env=AGENT_KEY; say=x", want: "x" },
      ]),
      "suite.yaml": tasks + own.replace("inputs:", "env: [AGENT_KEY], inputs:"),
    });
    const env = { AGENT_KEY: "key-of-agent-1234" };
    await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path, env });
    const { samples } = await readRunDirectory(join(fixture.path, "run"));
    expect(JSON.stringify(samples)).toContain("out.txt");
    const kept = samples.map(({ transcript, workspace, output_text }) => [
      transcript,
      workspace,
      output_text,
    ]);
    expect(JSON.stringify(kept)).not.toContain("key-of-agent-1234");
  });

  describe("of a change", () => {
    const terms = "workspace: fixtures, max_retries: 0";

    it("works in the base's files: one that it alters helps no case", async () => {
      await using judged = await judgeChange({
        base: reading("wrong", terms),
        head: { "evals/fixtures/notes.txt": "right" },
      });
      const { run } = judged;
      expect(run.policy).toMatchObject({ base: { verdict: "fail" }, decided_by: "base" });
      expect(run.policy?.changed).toMatchObject([
        { part: "candidates", note: "`workspace` of the agent `mine` differs" },
      ]);
      expect(run.gate.verdict).toBe("fail");
    });

    it("has to call what the base requires", async () => {
      await using judged = await judgeChange({
        base: reading("right", `${terms}, require: { tool_use: any }`),
        head: { "evals/qa.yaml": reading("right", terms)["evals/qa.yaml"] },
      });
      const { run } = judged;
      expect(run.policy?.changed).toMatchObject([
        { part: "candidates", note: "`require` of the agent `mine` differs" },
      ]);
      expect(run.policy?.base?.verdict).not.toBe("pass");
      expect(run.gate.verdict).not.toBe("pass");
    });

    it("is judged with its own program: that is what a change is about", async () => {
      await using judged = await judgeChange({
        base: reading("wrong", terms),
        head: {
          "evals/agent.py": `${agent}\n`.replace(
            "print(json.dumps(event)",
            'print(json.dumps(event).replace("wrong", "right")',
          ),
        },
      });
      expect(judged.run.gate.verdict).toBe("pass");
    });
  });

  it.each([
    [
      "a conversation",
      (suite: string) =>
        suite.replace(
          'prompt_template: "{{do}}"',
          'messages_template: [{ role: user, content: "{{do}}" }]',
        ),
      "given one prompt",
    ],
    [
      "a workspace that holds the answers",
      (suite: string) => suite.replace("{ files: files }", "."),
      "holds this suite",
    ],
    [
      "fields that a known agent is not told",
      (suite: string) => suite.replace(/agent: \{[^}]*\}/, "agent: claude-code, pass: [want]"),
      "claude-code can't do what 'pass' asks",
    ],
    [
      "settings of a model",
      (suite: string) => suite.replace("inputs:", "temperature: 0, inputs:"),
      "no key `temperature`",
    ],
    [
      "a name that no agent has",
      (suite: string) => suite.replace(/agent: \{[^}]*\}/, "agent: claude"),
      "claude-code",
    ],
    [
      "an agent without events",
      (suite: string) => suite.replace(", events: regrade", ""),
      "`events`",
    ],
  ])("refuses %s", async (_, change, words) => {
    await using fixture = await createFixture({ ...project, "suite.yaml": change(tasks + own) });
    const end = await regrade(["validate", "suite.yaml"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toContain(words);
  });
});
