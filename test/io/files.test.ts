import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Refusal } from "../../src/model/refusal.ts";
import {
  hashFile,
  hashText,
  inspectPath,
  openFile,
  readBytes,
  readText,
  writeFileAtomically,
} from "../../src/io/files/files.ts";

let fixture: FsFixture;
beforeAll(async () => {
  fixture = await createFixture({
    "a.txt": "\uFEFFhello\n",
    "latin1.txt": Buffer.from([0x63, 0xe9]),
    "app/main.py": "main",
    "app/sub/part.py": "part",
    "app/sub/.hidden.py": "hidden",
    "app/notes.md": "notes",
    "folder/keep": "",
  });
  await symlink("/etc/hostname", fixture.getPath("app/outside.py"));
  await symlink("/etc", fixture.getPath("away"));
  await symlink("nowhere", fixture.getPath("broken"));
  await symlink("a.txt", fixture.getPath("link"));
});
afterAll(() => fixture.rm());

const at = (path: string) => fixture.getPath(path);
async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "nothing";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.problems[0]?.code} ${error.exit}`;
  }
}

describe("reading", () => {
  it("gives a file's text without its byte order mark", async () => {
    expect(await readText(at("a.txt"))).toBe("hello\n");
  });

  it("hashes bytes and texts alike", async () => {
    expect(await hashFile(at("app/main.py"))).toBe(hashText("main"));
    expect(hashText("main")).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it.each([
    ["gone", "file_missing 2"],
    ["a.txt/below", "file_missing 2"],
    ["broken", "file_missing 2"],
    ["folder", "read_failed 2"],
  ])("refuses %s with %s", async (path, expected) => {
    expect(await codeOf(readText(at(path)))).toBe(expected);
    expect(await codeOf(hashFile(at(path)))).toBe(expected);
    expect(await codeOf(openFile(at(path)))).toBe(expected);
    expect(await codeOf(Array.fromAsync(readBytes(at(path))))).toBe(expected);
  });

  it("refuses text that is not UTF-8, and a pipe that nobody writes to", async () => {
    expect(await codeOf(readText(at("latin1.txt")))).toBe("read_failed 2");
    if (process.platform === "win32") return;
    execFileSync("mkfifo", [at("pipe")]);
    expect(await codeOf(readText(at("pipe")))).toBe("read_failed 2");
  });

  it("reads by position", async () => {
    const file = await openFile(at("app/main.py"));
    const text = async (offset: number, length: number) =>
      Buffer.from(await file.read(offset, length)).toString();
    expect([await text(1, 2), await text(2, 100), await text(9, 1)]).toEqual(["ai", "in", ""]);
    await file.close();
  });
});

describe("looking at a path", () => {
  it.each([
    ["a.txt", "file", "a.txt"],
    ["link", "file", "a.txt"],
    ["folder", "directory", "folder"],
    ["gone", "missing", "gone"],
    ["folder/../gone/deeper", "missing", "gone/deeper"],
    ["broken", "missing", "broken"],
  ])("%s is a %s", async (path, kind, real) => {
    const base = (await inspectPath(fixture.path)).real;
    expect(await inspectPath(at(path))).toEqual({ kind, real: `${base}/${real}` });
  });

  it("counts a device as no file", async () => {
    expect((await inspectPath("/dev/null")).kind).toBe("missing");
  });
});

describe("writing", () => {
  it.each([
    ["a text", "text\n", "text\n"],
    ["bytes", new TextEncoder().encode("bytes"), "bytes"],
    ["pieces", ["a", "b", "\u00E9"], "ab\u00E9"],
    ["nothing", [], ""],
  ])("replaces a file with %s, whole", async (_, content, expected) => {
    await writeFileAtomically(at("out.txt"), "before");
    await writeFileAtomically(at("out.txt"), content);
    expect(await readFile(at("out.txt"), "utf8")).toBe(expected);
  });

  it("takes what streams", async () => {
    await writeFileAtomically(at("out.txt"), lines());
    expect((await readFile(at("out.txt"), "utf8")).length).toBe(1_088_890);
  });

  it("leaves the old file, and no other, where the content fails", async () => {
    await mkdir(at("write"));
    await writeFileAtomically(at("write/out.txt"), "before");
    await expect(writeFileAtomically(at("write/out.txt"), broken())).rejects.toThrow(TypeError);
    expect(await readdir(at("write"))).toEqual(["out.txt"]);
    expect(await readFile(at("write/out.txt"), "utf8")).toBe("before");
  });

  it("refuses with exit 4, and leaves nothing, where the system refuses", async () => {
    expect(await codeOf(writeFileAtomically(at("a.txt/out"), "x"))).toBe("write_failed 4");
    expect(await codeOf(writeFileAtomically(at("gone/out"), "x"))).toBe("write_failed 4");
    expect(await codeOf(writeFileAtomically(at("folder"), "x"))).toBe("write_failed 4");
    expect((await readdir(fixture.path)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)("refuses a folder without permission", async () => {
    await mkdir(at("closed"));
    await chmod(at("closed"), 0o500);
    expect(await codeOf(writeFileAtomically(at("closed/out"), "x"))).toBe("write_failed 4");
  });
});

async function* lines() {
  for (let i = 0; i < 100_000; i += 1) yield `line ${i}\n`;
}

async function* broken() {
  yield "half";
  throw new TypeError("a bug");
}
