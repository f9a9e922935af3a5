import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { parseLines, regrade } from "../support/cli.ts";
import { patience } from "../support/patience.ts";

/** A new user's first hour in an empty folder: write a suite, run it, break the app, look, mend it, run again. */
it("goes from nothing to a verdict within a minute, and from red to green by two commands", async () => {
  await using fixture = await createFixture({});
  const started = performance.now();
  const start = async (line: string, code: number): Promise<string> => {
    const end = await regrade(line.split(" "), { in: fixture.path });
    expect([end.code, end.stderr], `${line}\n${end.stdout}`).toEqual([code, expect.any(String)]);
    return `${end.stdout}${end.stderr}`;
  };
  const written = await start("init --yes --name first", 0);
  expect(written).toMatch(/^Now: .+ run evals\/first\.yaml$/m);
  await start("run evals/first.yaml", 0);
  const seconds = (performance.now() - started) / 1000;
  expect(seconds).toBeLessThan(await patience(60));
  const app = join(fixture.path, "evals/first.py");
  const good = await readFile(app, "utf8");
  await writeFile(app, good.replace('"invoice", "charged", "refund", "payment"', '"money"'));
  const red = await start("run evals/first.yaml --baseline latest", 1);
  expect(red).toMatch(/^Next: .+ show latest /m);
  const list = await start("show latest --broken", 0);
  const [, broken = ""] = / show latest (ticket-\d+)/.exec(list) ?? [];
  const shown = await start(`show latest ${broken}`, 0);
  expect(shown).toMatch(/billing[^]*other/);
  const entries = parseLines(
    (await regrade(["show", "latest", "--broken", "--json"], { in: fixture.path })).stdout,
  );
  expect(entries.length).toBeGreaterThan(3);
  await writeFile(app, good);
  expect(await start("run evals/first.yaml --failed", 0)).toContain("of 20 cases");
  await start("run evals/first.yaml", 0);
});
