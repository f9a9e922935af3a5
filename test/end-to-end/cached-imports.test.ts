import { readFile, writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { regrade } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";

it("answers of a program are not taken from the cache after a module changed that its inputs leave out", async () => {
  const candidates = "{ app: { command: [python3, -S, app.py], inputs: [app.py] } }";
  const app =
    "from lib import add\nimport re, sys\nprint(add(*re.findall(r'\\d+', sys.stdin.read())))\n";
  await using fixture = await createFixture({
    ...suiteFiles({ cases: 6, candidates }),
    "evals/app.py": app,
    "evals/lib.py": "def add(a, b):\n    return int(a) + int(b)\n",
  });
  const run = async (out: string) => {
    const argv = ["run", "evals/qa.yaml", "--cache-path", "kept", "--out", out];
    const { code } = await regrade(argv, { in: fixture.path });
    const samples = await readFile(fixture.getPath(`${out}/samples.jsonl`), "utf8");
    return { code, cached: samples.split('"cached":true').length - 1 };
  };
  expect(await run("a")).toEqual({ code: 0, cached: 0 });
  expect(await run("b")).toEqual({ code: 0, cached: 6 });
  await writeFile(fixture.getPath("evals/lib.py"), "def add(a, b):\n    return 'wrong'\n");
  expect(await run("c")).toEqual({ code: 1, cached: 0 });
});
