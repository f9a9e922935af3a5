import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { runAction } from "../support/github/run-action.ts";
import { readRunDirectory, runCli } from "./run-cli.ts";

/** Runs dist/cli.mjs with a candidate that tells everything it knows. */

const token = "tok_9f8E7d6C/5b+4A3";
const forms = [
  token,
  encodeURIComponent(token),
  Buffer.from(token).toString("base64"),
  Buffer.from(token).toString("hex"),
  // As in a header of basic authentication.
  Buffer.from(`app:${token}`).toString("base64").slice(6),
];

const app = `
import base64, json, os, sys, urllib.parse

token = os.environ["APP_TOKEN"]
basic = base64.b64encode(f"app:{token}".encode()).decode()
told = [token, urllib.parse.quote(token, safe=""), base64.b64encode(token.encode()).decode(), token.encode().hex(), basic]
if "word0" in sys.stdin.read():
    sys.exit("no access with " + "x" * 1990 + " ".join(told))
print(json.dumps(told))
`;

const files = {
  "app.py": app,
  "grader.py": `
def grade(sample, item):
    print("seen:", sample["output_text"])
    return {"scores": {"hidden": float("***" in sample["output_text"])}}
`,
  "data.jsonl": ["word0", "word1", token].map((word) => `${JSON.stringify({ word })}\n`).join(""),
  "suite.json": JSON.stringify({
    name: "secrets",
    dataset: "data.jsonl",
    prompt_template: "Say {{word}}",
    grader: { type: "python", file: "grader.py" },
    metrics: [{ id: "hidden", range: [0, 1] }],
    candidates: { app: { command: ["python3", "-S", "app.py"], env: ["APP_TOKEN", "APP_MODE"] } },
    gate: { rules: [{ metric: "hidden", min: 0.9 }] },
    publish: { content: "full" },
  }),
};

describe("a secret that a candidate was given", () => {
  it(
    "stands in nothing that is written or printed, in no form, and the grader does not see it",
    { tags: "smoke" },
    async () => {
      await using fixture = await createFixture(files);
      const env = { APP_TOKEN: token, APP_MODE: "say" };
      const directory = fixture.path;
      const end = await runCli(["run", "suite.json", "--out", "out"], { directory, env });
      const json = await runCli(["run", "suite.json", "--out", "two", "--json"], {
        directory,
        env,
      });
      const left = await readRunDirectory(join(directory, "out"));
      const everything = [end.stdout, end.stderr, json.stdout, json.stderr, left.text].join("\n");
      for (const form of forms) expect(everything).not.toContain(form);
      expect(left.samples.map(({ prompt }) => prompt).toSorted()).toEqual([
        "Say ***",
        "Say word0",
        "Say word1",
      ]);
      expect(left.run.cases).toMatchObject({ scored: 2, failed: 1 });
      expect(left.samples.flatMap(({ scores }) => Object.values(scores))).toEqual([1, 1]);
      expect(JSON.parse(json.stdout)).toMatchObject({ format: "regrade.run/1" });
    },
  );
});

const knock = `
import os, signal, sys, time
os.kill(os.getppid(), signal.SIGUSR1)
time.sleep(0.3)
print("knocked")
`;

describe("a candidate that asks for Node's inspector", () => {
  const suite = { ...(JSON.parse(files["suite.json"]) as object), name: "knock" };
  const candidates = { app: { command: ["python3", "-S", "app.py"] } };
  const knocking = {
    ...files,
    "app.py": knock,
    "data.jsonl": '{"word": "word1"}\n',
    "suite.json": JSON.stringify({ ...suite, candidates, gate: "none" }),
  };

  it("gets none from the command line, nor from the action", async () => {
    await using fixture = await createFixture(knocking);
    const directory = fixture.path;
    // The signal goes to the parent, which must be the program and not the test.
    const isProcess = true;
    const end = await runCli(["run", "suite.json", "--out", "out"], { directory, isProcess });
    const inputs = { suite: "suite.json" };
    const action = await runAction({ workspace: directory, inputs, isProcess });
    for (const { stdout, stderr } of [end, action]) {
      expect(stdout + stderr).not.toContain("Debugger");
      expect(stdout + stderr).toContain("1 sample");
    }
    expect((await readRunDirectory(fixture.getPath("out"))).samples).toMatchObject([
      { output_text: "knocked" },
    ]);
  });
});
