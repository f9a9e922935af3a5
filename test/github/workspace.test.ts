import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { makeRunFolder } from "../../src/github/runner/workspace.ts";
import { Refusal } from "../../src/model/refusal.ts";

it("says which variable to mend if there is no folder for runs", async () => {
  await using fixture = await createFixture({});
  const env = { RUNNER_TEMP: fixture.getPath("gone") };
  const error: unknown = await makeRunFolder(env).catch((thrown: unknown) => thrown);
  if (!(error instanceof Refusal)) throw new Error("expected a refusal");
  expect(error.exit).toBe(4);
  expect(error.problems[0]?.message).toContain(`temporary files in ${env.RUNNER_TEMP}`);
  expect(error.problems[0]?.hint).toContain("set RUNNER_TEMP to a folder that you can write to");
});
