import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { suiteFiles } from "../support/suite-files.ts";
import { runCli } from "./run-cli.ts";

it("answers that an earlier version kept in the checkout are told once, with what to do", async () => {
  const old = { ".regrade/cache/0.jsonl": "{}\n" };
  await using fixture = await createFixture({ ...suiteFiles(), ...old });
  const args = ["run", "evals/qa.yaml", "--out", "out"];
  const { code, stderr } = await runCli(args, { directory: fixture.path });
  expect(code, stderr).toBe(0);
  expect(stderr.match(/\.regrade\/cache holds answers that an earlier version/g)).toHaveLength(1);
  expect(stderr).toContain("Delete it. Answers are cached in ");
});
