import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { openCandidate } from "../../src/candidate/open.ts";
import type { CandidateSpec } from "../../src/model/definition/candidate-spec.ts";
import { answers, ask, complaints, tools } from "./tools.ts";

const command = (argv: readonly string[], more: object = {}): CandidateSpec => ({
  id: "app",
  kind: "command",
  command: argv,
  inputs: [],
  env: [],
  pass: [],
  timeout_seconds: 20,
  ...more,
});
const answer = async (argv: readonly string[], more: object = {}, request: object = {}) =>
  (await answers(command(argv, more), [ask("c1", request)]))[0];
// A control character is six bytes of JSON.
const escapes = (count: number) => ["sh", "-c", `head -c ${count} /dev/zero | tr '\\0' '\\33'`];
const keyWith = async (timeout_seconds: number) => {
  const spec = command(["cat"], { inputs: ["echo-prompt"], timeout_seconds });
  const opened = await openCandidate(spec, tools);
  return "candidate" in opened && opened.candidate.cacheKey?.(ask("c1"));
};
const answered = (outputText: string) => ({
  kind: "answered",
  outputText,
  incomplete: false,
  transcript: null,
  responseId: null,
  usage: null,
});

describe.skipIf(process.platform === "win32")("a command as a candidate", () => {
  it("answers its prompt", async () => {
    expect(await answer(["./echo-prompt"], {}, { prompt: "2+2?\n" })).toEqual(answered("2+2?"));
  });

  it("loses one newline at the end of its answer, and no more", async () => {
    expect(await answer(["./two-newlines"])).toEqual(answered("a\r\n"));
  });

  it("gets its fields as JSON, numbers as they were written", async () => {
    const fields = { id: JSON.rawJSON("1.0"), "\u00FC": "\0" };
    expect(await answer(["./print-fields"], {}, { fields })).toEqual(
      answered('{"id":1.0,"\u00FC":"\\u0000"}\n'),
    );
  });

  it("gets the fields of 'pass' alone, and is told so, where all are too much for a variable", async () => {
    const fields = { text: "x".repeat(200_000), ticket_id: "t-1" };
    expect(await answer(["./print-fields"], { pass: ["ticket_id"] }, { fields })).toEqual(
      answered('{"ticket_id":"t-1"}\n["text"]'),
    );
    expect(await answer(["./print-fields"], { pass: ["text"] }, { fields })).toMatchObject({
      kind: "failed",
      type: "fields_too_large",
    });
  });

  it("gets a small environment, the variables that it names, and no token of the runner", async () => {
    const environment = {
      ...tools.environment,
      LANG: "C",
      LC_ALL: "C",
      APP_TOKEN: "t",
      OTHER_SECRET: "s",
      ACTIONS_RUNTIME_TOKEN: "a",
      INPUT_TOKEN: "i",
      RUNNER_OS: "Linux",
      GITHUB_SHA: "abc",
      OPENAI_API_KEY: "o",
    };
    const spec = command(["./print-environment"], { env: ["APP_TOKEN", "GITHUB_SHA"] });
    const [generated] = await answers(spec, [ask("c1")], { ...tools, environment });
    const text = generated?.kind === "answered" ? generated.outputText : "";
    const names = text
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split("=")[0] ?? "");
    expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name))).toEqual([
      "APP_TOKEN",
      "GITHUB_SHA",
      "HOME",
      "LANG",
      "LC_ALL",
      "PATH",
      "REGRADE_FIELDS",
    ]);
  });

  it.each([
    [["./fail"], "failed", "exit_code", /^exit code 3: … [\s\S]*out of luck$/],
    [["./kill-itself"], "failed", "signal", /SIGSEGV/],
    [["./flood"], "failed", "output_too_large", /10 MB/],
    [["./no-interpreter"], "unavailable", "not_started", /can't start/],
  ])("%j has %s", async (argv, kind, ...[type, message]) => {
    expect(await answer(argv)).toEqual({ kind, type, message: expect.stringMatching(message) });
  });

  it("that is too slow has failed", async () => {
    expect(await answer(["sleep", "30"], { timeout_seconds: 0.2 })).toEqual({
      kind: "failed",
      type: "timeout",
      message: "no answer within 0.2 s (timeout_seconds)",
    });
  });

  it("is not blamed for a run that was stopped", async () => {
    const opened = await openCandidate(command(["sleep", "30"]), tools);
    if ("problems" in opened) throw new Error("can't be opened");
    const generated = await opened.candidate.generate(ask("c1"), AbortSignal.abort());
    expect(generated).toMatchObject({ kind: "unavailable", type: "cancelled" });
  });

  it("costs, and runs once for each processor", async () => {
    const opened = await openCandidate(command(["./echo-prompt"]), tools);
    expect(opened).toMatchObject({ candidate: { id: "app", costly: true, concurrency: 3 } });
  });

  it("is checked before the first sample, all at once", async () => {
    const spec = command(["no-such-program"], {
      env: ["GONE", "GITHUB_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "INPUT_TOKEN", "GITHUB_ENV"],
      inputs: ["echo-*", "gone/**"],
    });
    const place = "evals/suite.yaml candidates.app";
    expect(await complaints(spec)).toEqual([
      `program_missing ${place}.command`,
      `env_missing ${place}.env`,
      `env_refused ${place}.env`,
      `env_refused ${place}.env`,
      `env_refused ${place}.env`,
      `env_refused ${place}.env`,
      `inputs_unmatched ${place}.inputs`,
    ]);
    expect(await complaints(command(["./not-executable"]))).toEqual([
      `program_not_executable ${place}.command`,
    ]);
  });

  it("that names an empty secret, as forks have them, is refused before it costs anything", async () => {
    const environment = { ...tools.environment, APP_TOKEN: "" };
    const found = await complaints(command(["./echo-prompt"], { env: ["APP_TOKEN"] }), {
      ...tools,
      environment,
    });
    expect(found).toEqual(["env_missing evals/suite.yaml candidates.app.env"]);
  });

  it("is hashed with the content of its inputs and without secrets", async () => {
    const fixture = await createFixture({ "app/main.py": "one", run: "" });
    const suite = { path: "suite.yaml", directory: fixture.path, root: fixture.path, tasks: [] };
    const environment = { ...tools.environment, APP_TOKEN: "very secret" };
    const given = { ...tools, suite, environment };
    const spec = command(["sh", "run"], { inputs: ["app/**"], env: ["APP_TOKEN"] });
    const hashOf = async () => {
      const opened = await openCandidate(spec, given);
      return "hash" in opened ? JSON.stringify(opened.hash) : "";
    };
    const before = await hashOf();
    expect(before).toContain("app/main.py");
    expect(before).not.toContain("very secret");
    await fixture.writeFile("app/main.py", "two");
    expect(await hashOf()).not.toBe(before);
    await fixture.rm();
  });

  it("whose answer takes too much as JSON has failed", async () => {
    expect(await answer(escapes(3_000_000))).toEqual({
      kind: "failed",
      type: "answer_too_large",
      message: "the answer takes more than 16 MB as JSON",
    });
    expect(await answer(escapes(2_600_000))).toMatchObject({ kind: "answered" });
  });

  it("is remembered however long it may take", async () => {
    expect(await keyWith(1)).toHaveProperty("program");
    expect(await keyWith(1)).toEqual(await keyWith(99));
  });
});
