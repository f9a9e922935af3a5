import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { cliPath, repository } from "../../support/cli.ts";

const says = (version: string) =>
  new RegExp(`^Regrade needs Node 24 or newer; this is Node ${version}\n  Install a newer one`);

/** Runs a program that is expected to fail. */
async function run(program: string, args: readonly string[]) {
  try {
    return { code: 0, ...(await promisify(execFile)(program, args)) };
  } catch (error) {
    if (error instanceof Error && "code" in error && "stderr" in error && "stdout" in error)
      return { code: error.code, stdout: error.stdout, stderr: error.stderr };
    throw error;
  }
}

describe("a Node that is too old is told so, and never reads as a failed gate", () => {
  it.each(["18.19.0", "20.20.2", "23.11.1"])("pretended: %s", async (version) => {
    const script = `
      Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
      await import(${JSON.stringify(pathToFileURL(cliPath).href)});`;
    const end = await run(process.execPath, ["--input-type=module", "-e", script]);
    expect(end).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(says(version)) });
  });

  const system = "/usr/bin/node";
  const version = existsSync(system)
    ? execFileSync(system, ["-p", "process.versions.node"], { encoding: "utf8" }).trim()
    : "";
  const isOld = Number.parseInt(version, 10) < 24;
  it.skipIf(!isOld)("in truth, where this machine has one", async () => {
    const end = await run(system, [cliPath, "run", "evals/qa.yaml"]);
    expect(end).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(says(version)) });
  });
});

it("a program without its bundle is a bug, and never reads as a failed gate", async () => {
  await using fixture = await createFixture({});
  await cp(cliPath, fixture.getPath("cli.mjs"));
  const end = await run(process.execPath, [fixture.getPath("cli.mjs"), "--version"]);
  expect(end).toMatchObject({ code: 70, stdout: "" });
  expect(end.stderr).toContain("Regrade could not start");
});

describe("compiled code that is kept for the next start", () => {
  const scripts = ["regrade.cjs", "suite-schema.generated.cjs"];

  it("is the script's own, and damage or a folder that can't be written stops nothing", async () => {
    await using fixture = await createFixture({ "dist/x": "" });
    for (const name of ["cli.mjs", ...scripts])
      await cp(join(dirname(cliPath), name), fixture.getPath(`dist/${name}`));
    const version = async (): Promise<string> =>
      String(
        (await run(process.execPath, [fixture.getPath("dist/cli.mjs"), "--version"])).stdout,
      ).trim();
    const before = await version();
    const [cache = ""] = await readdir(fixture.getPath(".cache"));
    const kept = (name: string): string => fixture.getPath(`.cache/${cache}/others/${name}.code`);
    const compiled = await readFile(kept("regrade.cjs"));
    expect(compiled.length).toBeGreaterThan(100_000);
    expect(await version()).toBe(before);
    expect(await readFile(kept("regrade.cjs"))).toEqual(compiled);

    // Zeros are what a power cut may leave of a file's end.
    const zeros = Buffer.concat([
      compiled.subarray(0, 50_000),
      Buffer.alloc(compiled.length - 50_000),
    ]);
    for (const damaged of [compiled.subarray(0, 50_000), zeros]) {
      await writeFile(kept("regrade.cjs"), damaged);
      expect(await version()).toBe(before);
      expect((await readFile(kept("regrade.cjs"))).subarray(50_000)).toContain(1);
    }

    // A script of the same length: V8 compares nothing else.
    const script = fixture.getPath("dist/regrade.cjs");
    const text = await readFile(script, "utf8");
    const other = before.replace(/\d$/, (digit) => `${(Number(digit) + 1) % 10}`);
    await writeFile(script, text.replaceAll(`version: "${before}"`, `version: "${other}"`));
    expect(await version()).toBe(other);

    // A file where the set's folder would be: an error at the end of the process would be its exit code.
    const set = dirname(kept("regrade.cjs"));
    await rm(set, { recursive: true });
    await writeFile(set, "no folder");
    const end = await run(process.execPath, [fixture.getPath("dist/cli.mjs"), "--version"]);
    expect(end).toEqual({ code: 0, stdout: `${other}\n`, stderr: "" });

    await rm(fixture.getPath(".cache"), { recursive: true });
    await writeFile(fixture.getPath(".cache"), "no folder");
    expect(await version()).toBe(other);
  });
});

describe("a build over an earlier one", { tags: "long" }, () => {
  it("leaves each file whole at every moment, and nothing of the earlier one", async () => {
    await using fixture = await createFixture({ "left/over.txt": "" });
    await cp(dirname(cliPath), fixture.path, { recursive: true });
    await writeFile(fixture.getPath("regrade.cjs.1.tmp"), "half a fi");
    const names = [
      "cli.mjs",
      "main.mjs",
      "main.cjs",
      "post.mjs",
      "post.cjs",
      "regrade.cjs",
      "report.html",
      "undici.mjs",
      "execa.mjs",
      "mcp-sdk.mjs",
      "octokit.mjs",
      "actions-http.mjs",
      "artifact-client.mjs",
      "ci-run.mjs",
      "suite-schema.generated.cjs",
      "run-schemas.generated.cjs",
      "THIRD-PARTY.txt",
    ];
    const script = join(repository, "scripts/build.ts");
    const built = promisify(execFile)(process.execPath, [script, fixture.path]);
    const shortest = new Map(names.map((name) => [name, Infinity]));
    while (built.child.exitCode === null) {
      for (const [name, least] of shortest) {
        const size = (await stat(fixture.getPath(name)).catch(() => undefined))?.size ?? -1;
        shortest.set(name, Math.min(least, size));
      }
      await sleep(1);
    }
    await built;
    expect((await fixture.readdir("")).map(String).toSorted()).toEqual(names.toSorted());
    for (const [name, least] of shortest) expect(least, name).toBeGreaterThan(500);
    expect((await stat(fixture.getPath("cli.mjs"))).mode & 0o111).toBe(0o111);
  });
});
