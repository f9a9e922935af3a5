import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../../src/model/outcomes/run.ts";
import { jsonLines, readRunDirectory, regrade } from "../../support/cli.ts";
import { suiteFiles } from "../../support/suite-files.ts";

/** What models, graders and data say is shown, and never obeyed; what the user's machine knows stays there. */

const attack = [
  "##[set-output name=verdict]pass",
  "::set-output name=verdict::pass",
  "harmless ##[add-mask]1",
  "  ::error file=evals/qa.yaml::forged",
  "\r::warning::forged",
  "\u0085::notice::forged",
  "\u001b[2J\u001b]0;title\u0007\u009b31m",
  "\u202eright to left\u2066 and back\u200b",
].join("\n");

/** What a runner or a terminal would take for more than text. */
function expectHarmless(text: string): void {
  expect(text).not.toContain("##[");
  expect(text).not.toMatch(/^[^\S\n]*::/m);
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  expect(text).not.toMatch(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
}

const rows = Array.from({ length: 6 }, (_, i) => ({
  id: `${i} ${attack}`,
  q: attack,
  a: attack,
  kind: attack,
}));

const grader = `import os, sys
ATTACK = ${JSON.stringify(attack)}
print(ATTACK)
os.write(1, ATTACK.encode())
os.write(2, ATTACK.encode())
count = 0
def grade(sample, item):
    global count
    count += 1
    print(ATTACK, file=sys.stderr)
    os.write(1, ATTACK.encode())
    if count % 3 == 0: raise ValueError(ATTACK)
    return {"scores": {"quality": float("good" in sample["output_text"])}, "judge": {"said": ATTACK}}
`;

const app = `import sys
print(open("words.txt").read() + ${JSON.stringify(attack)})
print(${JSON.stringify(attack)}, file=sys.stderr)
sys.exit(3 if "harmless" not in sys.stdin.read() else 0)
`;
const recorded = (words: string): string =>
  jsonLines(rows.map(({ id }, i) => ({ case_id: id, output_text: `${i} ${words} ${attack}` })));

const suite: Record<string, string> = {
  ...suiteFiles({
    grader: "{ type: python, file: grader.py, metric_id: quality }",
    candidates: "{ ran: { command: [python3, -S, app.py] }, said: { replay: outputs.jsonl } }",
    gate: "{ rules: [{ metric: quality, max_drop: 0.02, prove: nothing }] }",
    more: ["slices: [kind]", "publish: { content: full }"],
  }),
  "evals/data/qa.jsonl": jsonLines(rows),
  "evals/outputs.jsonl": recorded("good"),
  "evals/words.txt": "good ",
  "evals/grader.py": grader,
  "evals/app.py": app,
};

describe("hostile text", () => {
  it("is harmless in all that is printed, and in summary.md", { tags: "smoke" }, async () => {
    await using fixture = await createFixture(suite);
    const base = await regrade(["run", "evals/qa.yaml", "--out", "base"], { in: fixture.path });
    expect(base.code, base.stderr).toBe(0);
    await fixture.writeFile("evals/outputs.jsonl", recorded("bad"));
    await fixture.writeFile("evals/words.txt", "bad ");
    const asked = [
      ["run", "evals/qa.yaml", "--out", "out", "--baseline", "base"],
      ["run", "evals/qa.yaml", "--out", "json", "--baseline", "base", "--json"],
      ["compare", "base", "out"],
      ["compare", "base", "out", "--json"],
      ["report", "out"],
    ];
    for (const argv of asked) {
      const end = await regrade(argv, { in: fixture.path });
      expectHarmless(end.stdout);
      expectHarmless(end.stderr);
      if (argv.includes("--json")) expect((JSON.parse(end.stdout) as Run).gate).toBeDefined();
    }
    const { summary, samples } = await readRunDirectory(fixture.getPath("out"));
    expectHarmless(summary);
    // Texts of before and after are there to be looked at.
    expect(summary).toContain("bad ");
    expect(summary).toContain("good ");
    expect(samples.some(({ output_text }) => output_text?.endsWith(attack))).toBe(true);
  });

  it.each([
    [
      "a case id that is there twice",
      { "evals/data/qa.jsonl": jsonLines([rows[0], rows[0]].flatMap((row) => row ?? [])) },
    ],
    [
      "a grader that fails as it is imported",
      { "evals/grader.py": `raise ValueError(${JSON.stringify(attack)})` },
    ],
    [
      "a grader with a syntax error",
      { "evals/grader.py": `def grade(: # ${attack.split("\n")[2]}\n` },
    ],
    [
      "a manifest with an odd key",
      { "evals/qa.yaml": `${suite["evals/qa.yaml"]}${JSON.stringify(attack)}: 1\n` },
    ],
    [
      "a file of an odd name",
      {
        "evals/qa.yaml": (suite["evals/qa.yaml"] ?? "").replace(
          "data/qa.jsonl",
          "##[x]::y\\u202e.jsonl",
        ),
      },
    ],
    [
      "a template with an odd field",
      { "evals/qa.yaml": (suite["evals/qa.yaml"] ?? "").replace("{{q}}", "{{ ##[x] }}") },
    ],
  ])("is harmless in the words about %s", async (_, files) => {
    await using fixture = await createFixture({ ...suite, ...files });
    const end = await regrade(["run", "evals/qa.yaml"], { in: fixture.path });
    expect(end.stderr).not.toBe("");
    expectHarmless(end.stderr);
    expectHarmless(end.stdout);
  });

  it("is harmless where it is an argument", async () => {
    await using fixture = await createFixture(suite);
    for (const argv of [
      ["run", `evals/${attack}`],
      [attack],
      ["run", "evals/qa.yaml", "--task", attack],
      ["report", attack],
    ]) {
      const end = await regrade(argv, { in: fixture.path });
      expect(end.code).toBe(2);
      expectHarmless(end.stderr);
    }
  });
});

const secrets = {
  GITHUB_TOKEN: "ghs_s3cret1",
  ACTIONS_RUNTIME_TOKEN: "runtime_s3cret2",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "oidc_s3cret3",
  INPUT_TOKEN: "input_s3cret4",
  OPENAI_API_KEY: "sk-s3cret5",
  MY_OWN_SECRET: "mine_s3cret6",
};

describe("the environment", () => {
  const files: Record<string, string> = {
    ...suiteFiles({
      cases: 4,
      grader: "{ type: python, file: grader.py, metric_id: quality }",
      candidates: "{ app: { command: [python3, -S, app.py], env: [APP_TOKEN] } }",
      gate: "{ rules: [{ metric: quality, min: 1 }] }",
    }),
    "evals/app.py": "import json, os, sys\nsys.stdin.read()\nprint(json.dumps(dict(os.environ)))\n",
    "evals/grader.py": `import os
AT_IMPORT = dict(os.environ)
def grade(sample, item):
    return {"scores": {"quality": 1}, "judge": {"env": dict(os.environ), "import": AT_IMPORT}}
`,
  };

  it("of a candidate has the variables that env names and no secret; a grader's has neither", async () => {
    await using fixture = await createFixture(files);
    const end = await regrade(["run", "evals/qa.yaml", "--out", "out"], {
      in: fixture.path,
      env: { ...secrets, APP_TOKEN: "for the app" },
    });
    expect(end.code, end.stderr).toBe(0);
    const { samples, summary, run } = await readRunDirectory(fixture.getPath("out"));
    expect(samples).toHaveLength(4);
    for (const sample of samples) {
      const seen = JSON.parse(sample.output_text ?? "") as Record<string, string>;
      // It was there, and is hidden wherever Regrade writes.
      expect(seen["APP_TOKEN"]).toBe("***");
      expect(seen["PATH"]).toBeDefined();
      expect(JSON.stringify(sample.judge)).not.toContain("for the app");
      expect(sample.judge).toMatchObject({ env: { PATH: expect.any(String) as unknown } });
    }
    for (const text of [JSON.stringify(samples), JSON.stringify(run), summary, end.stdout]) {
      expect(text).not.toMatch(/s3cret/);
    }
  });

  it.each(["GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "INPUT_TOKEN"])(
    "is never given %s, though env names it",
    async (name) => {
      const manifest = (files["evals/qa.yaml"] ?? "").replace("APP_TOKEN", name);
      await using fixture = await createFixture({ ...files, "evals/qa.yaml": manifest });
      const end = await regrade(["run", "evals/qa.yaml"], { in: fixture.path, env: secrets });
      expect(end).toMatchObject({ code: 2, stdout: "" });
      expect(end.stderr).toContain(`${name} belongs to the runner`);
      expect(end.stderr).not.toMatch(/s3cret/);
    },
  );
});
