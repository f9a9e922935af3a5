import { execFile } from "node:child_process";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { cleanEnvironment, repository } from "../support/cli.ts";

const run = promisify(execFile);

it(
  "installs from its tarball into an empty folder, offline, and runs there",
  { tags: "long" },
  async () => {
    await using fixture = await createFixture({ "package.json": '{ "private": true }' });
    const env = cleanEnvironment(fixture.path);
    const npm = async (args: readonly string[], cwd: string): Promise<string> =>
      (await run("npm", [...args, "--offline", "--ignore-scripts"], { cwd, env })).stdout;
    const packed = join(fixture.path, "packed");
    await mkdir(packed);
    await npm(["pack", "--silent", "--pack-destination", packed], repository);
    const [tarball = ""] = await readdir(packed);
    await npm(["install", "--no-audit", "--no-fund", join(packed, tarball)], fixture.path);
    const files = await readdir(join(fixture.path, "node_modules/regrade"), { recursive: true });
    expect(files).toEqual(
      expect.arrayContaining(["README.md", "LICENSE", "llms.txt", "skills/regrade/SKILL.md"]),
    );
    expect(files.filter((file) => /(?:^test|^src|__pycache__|\.pyc$)/.test(file))).toEqual([]);
    const empty = join(fixture.path, "empty");
    await mkdir(empty);
    const started = ["exec", "--yes", `--package=${join(packed, tarball)}`, "--", "regrade"];
    expect(await npm([...started, "--version"], empty)).toMatch(/^\d+\.\d+\.\d+/);
    const regrade = async (...args: readonly string[]): Promise<string> =>
      (await run(join(fixture.path, "node_modules/.bin/regrade"), args, { cwd: fixture.path, env }))
        .stdout;
    expect(await regrade("--version")).toMatch(/^\d+\.\d+\.\d+/);
    await regrade("init", "--yes", "--name", "first");
    expect(await regrade("run", "evals/first.yaml")).toContain("exact_match");
    const manifest = await readFile(join(fixture.path, "evals/first.yaml"), "utf8");
    expect(manifest).toContain("$schema=../node_modules/regrade/schemas/suite.schema.json");
  },
);
