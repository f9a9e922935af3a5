import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { invocationOf } from "../../src/cli/invocation.ts";

const script = "node_modules/regrade/dist/cli.mjs";
const npx = (packages: readonly string[]): string => JSON.stringify({ _npx: { packages } });
const needs = (version: string): string => JSON.stringify({ dependencies: { regrade: version } });

/** A start: files, the script below the fixture, and the words that start it again. */
const starts: readonly {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly script: string;
  readonly agent?: string;
  /** Default: the fixture itself. */
  readonly in?: string;
  readonly expected: string;
}[] = [
  {
    what: "npx by the package's name",
    files: { "_npx/5e3b/package.json": npx(["regrade"]) },
    script: `_npx/5e3b/${script}`,
    expected: "npx regrade",
  },
  {
    what: "npx with a version",
    files: { "_npx/5e3b/package.json": npx(["regrade@1.2"]) },
    script: `_npx/5e3b/${script}`,
    expected: "npx regrade@1.2",
  },
  {
    what: "npx with a place that needs quotes",
    files: { "_npx/5e3b/package.json": npx(["file:/a b/$(x)"]) },
    script: `_npx/5e3b/${script}`,
    expected: "npx 'file:/a b/$(x)'",
  },
  {
    what: "npx with several packages",
    files: { "_npx/5e3b/package.json": npx(["regrade", "tsx@4"]) },
    script: `_npx/5e3b/${script}`,
    expected: "npx -p regrade -p tsx@4 regrade",
  },
  {
    what: "npx whose notes are gone or something else",
    files: { "_npx/5e3b/package.json": "[1]" },
    script: `_npx/5e3b/${script}`,
    expected: "npx regrade",
  },
  {
    what: "pnpm dlx",
    files: { "pnpm/dlx/b389/1a22-71/package.json": needs("0.1.0") },
    script: `pnpm/dlx/b389/1a22-71/node_modules/.pnpm/regrade@0.1.0/${script}`,
    expected: "pnpm dlx regrade@0.1.0",
  },
  {
    what: "pnpm dlx of a repository",
    files: { "pnpm/dlx/b389/1a22-71/package.json": needs("github:owner/regrade") },
    script: `pnpm/dlx/b389/1a22-71/${script}`,
    expected: "pnpm dlx github:owner/regrade",
  },
  {
    what: "bunx",
    files: {},
    script: `bunx-1000-regrade@latest/${script}`,
    expected: "bunx regrade",
  },
  {
    what: "bunx with a version",
    files: {},
    script: `bunx-1000-regrade@1.2.3/${script}`,
    expected: "bunx regrade@1.2.3",
  },
  {
    what: "yarn dlx",
    files: { "xfs-1a/dlx-71/package.json": needs("0.1.0") },
    script: `xfs-1a/dlx-71/.yarn/cache/regrade.zip/${script}`,
    expected: "yarn dlx regrade@0.1.0",
  },
  { what: "a dependency, by npm", files: {}, script, expected: "npx regrade" },
  {
    what: "a dependency, by pnpm",
    files: {},
    script: `node_modules/.pnpm/regrade@1/${script}`,
    agent: "pnpm/10.34.9 npm/? node/v24.21.0 linux x64",
    expected: "pnpm exec regrade",
  },
  {
    what: "a dependency, by yarn",
    files: {},
    script,
    agent: "yarn/4.9.1 npm/? node/v24.21.0 linux x64",
    expected: "yarn regrade",
  },
  {
    what: "a dependency of the project around",
    files: { "packages/a/x": "" },
    script,
    in: "packages/a",
    expected: "npx regrade",
  },
  {
    what: "a checkout",
    files: {},
    script: "dist/cli.mjs",
    expected: "node dist/cli.mjs",
  },
  {
    what: "a checkout beside",
    files: { "app/x": "" },
    script: "re grade/dist/cli.mjs",
    in: "app",
    expected: "node '../re grade/dist/cli.mjs'",
  },
];

const again = (from: string, path: string): Promise<string> =>
  invocationOf({ script: from, env: { PATH: path }, workingDirectory: "/" });

describe("the words that start the program again", () => {
  it.each(starts)(
    "$what: $expected",
    async ({ files, script: path, agent, in: place, expected }) => {
      await using fixture = await createFixture({ ...files, [path]: "" });
      const start = {
        script: join(fixture.path, path),
        env: { PATH: "/nowhere", ...(agent !== undefined && { npm_config_user_agent: agent }) },
        workingDirectory: join(fixture.path, place ?? ".").replace(/\/$/, ""),
      };
      expect(await invocationOf(start)).toBe(expected);
    },
  );

  it("are its name where the user's PATH leads to it, by a link or a launcher of its own", async () => {
    await using fixture = await createFixture({
      [`lib/${script}`]: "",
      "bin/x": "",
      "sh/regrade": "",
    });
    const real = join(fixture.path, "lib", script);
    await symlink(real, join(fixture.path, "bin/regrade"));
    await chmod(join(fixture.path, "sh/regrade"), 0o755);
    expect(await again(join(fixture.path, "bin/regrade"), join(fixture.path, "bin"))).toBe(
      "regrade",
    );
    expect(await again(real, `/nowhere:${join(fixture.path, "sh")}`)).toBe("regrade");
    expect(await invocationOf({ script: undefined, env: {}, workingDirectory: "/" })).toBe(
      "regrade",
    );
  });

  it("are not its name where that leads to another program, or is on the PATH of this process alone", async () => {
    await using fixture = await createFixture({
      "a/dist/cli.mjs": "",
      "b/dist/cli.mjs": "",
      "bin/x": "",
      "node_modules/.bin/x": "",
    });
    const of = (name: string): string => join(fixture.path, name);
    await symlink(of("b/dist/cli.mjs"), of("bin/regrade"));
    await symlink(of("a/dist/cli.mjs"), of("node_modules/.bin/regrade"));
    for (const path of [of("bin"), of("node_modules/.bin")]) {
      const start = {
        script: of("a/dist/cli.mjs"),
        env: { PATH: path },
        workingDirectory: of("a"),
      };
      expect(await invocationOf(start)).toBe("node dist/cli.mjs");
    }
  });
});
