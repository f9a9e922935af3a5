import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { serveRaw } from "../../support/loopback.ts";
import { runCli } from "../run-cli.ts";

const suite = {
  name: "held",
  dataset: "data.jsonl",
  prompt_template: "{{q}}",
  target_template: "{{a}}",
  grader: "exact_match",
  candidates: {
    app: { http: { url: "http://app.invalid/", body: "{{prompt}}" }, timeout_seconds: 1 },
  },
};
const files = {
  "suite.json": JSON.stringify(suite),
  "data.jsonl": '{"id":"c","q":"?","a":"!"}\n',
};

describe("the command line", () => {
  it("ends after its verdict, though a proxy never answers", { timeout: 60_000 }, async () => {
    await using proxy = await serveRaw(() => undefined);
    await using fixture = await createFixture({
      ...files,
      "suite.json": JSON.stringify(suite).replace("http://app", "https://app"),
    });
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const end = await runCli(["run", "suite.json"], { directory: fixture.path, env });
    expect(end).toMatchObject({ code: 4, stdout: expect.stringContaining("1 failed") });
  });

  it("names the variable of a proxy that is none, and not what it holds", async () => {
    await using fixture = await createFixture(files);
    const env = { HTTP_PROXY: "http://us:pa ss/x:9#@@" };
    const end = await runCli(["run", "suite.json"], { directory: fixture.path, env });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("the variable HTTP_PROXY holds no address of a proxy");
    expect(end.stderr).not.toMatch(/pa ss|bug|\n +at /);
  });
});
