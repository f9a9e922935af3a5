import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { unzipBounded, type UnzipBounds } from "../../src/github/artifacts/unzip.ts";
import { makeZip, type ZipEntry } from "../support/github/zip.ts";

type Unzipped = Awaited<ReturnType<typeof unzipBounded>>;

const bounds: UnzipBounds = {
  wanted: () => true,
  mostEntries: 10,
  mostFolders: 1,
  mostBytes: 1_000_000,
  mostDepth: 20,
};

async function unzip(
  entries: readonly ZipEntry[],
  more: Partial<UnzipBounds> = {},
): Promise<{ readonly end: Unzipped; readonly read: (name: string) => string | undefined }> {
  const fixture = await createFixture({});
  const zip = join(fixture.path, "a.zip");
  const out = join(fixture.path, "out");
  writeFileSync(zip, makeZip(entries));
  const end = await unzipBounded(zip, out, { ...bounds, ...more });
  const read = (name: string): string | undefined =>
    existsSync(join(out, name)) ? readFileSync(join(out, name), "utf8") : undefined;
  return { end, read };
}

const file = (name: string): ZipEntry => ({ name, content: "x" });
const reason = (end: Unzipped): string => (end.kind === "refused" ? end.reason : "unzipped");

describe("an honest zip", () => {
  it("gives its files, and those that are not wanted stay in it", async () => {
    const entries = [
      { name: "run.json", content: '{"a": [1]}' },
      { name: "own-policy/run.json", content: "{}" },
      { name: "own-policy/", content: "", mode: 0o040755 },
      { name: "summary.md", content: "no" },
    ];
    const { end, read } = await unzip(entries, { wanted: (name) => name.endsWith("run.json") });
    expect(end).toEqual({ kind: "unzipped", files: ["run.json", "own-policy/run.json"] });
    expect(read("run.json")).toBe('{"a": [1]}');
    expect(read("summary.md")).toBeUndefined();
  });

  it("may hold brackets in its texts", async () => {
    const line = `${JSON.stringify({ text: `${"[".repeat(500)}\\"{` })}\n`;
    const { end } = await unzip([{ name: "samples.jsonl", content: line.repeat(3) }]);
    expect(end.kind).toBe("unzipped");
  });
});

describe("a hostile zip is refused", () => {
  it.each<readonly [string, readonly ZipEntry[], Partial<UnzipBounds>]>([
    ["a path that leads out", [file("../evil")], {}],
    ["one that leads out from within", [file("a/../../evil")], {}],
    ["an absolute path", [file("/etc/passwd")], {}],
    ["a path of Windows", [file("a\\..\\evil")], {}],
    ["a drive", [file("C:evil")], {}],
    ["a folder too deep", [file("a/b/c.json")], {}],
    ["a name with a control character", [file("a\u0007")], {}],
    ["a name that ends in a space", [file("run.json ")], {}],
    ["a symbolic link", [{ ...file("run.json"), mode: 0o120777 }], {}],
    ["a device", [{ ...file("run.json"), mode: 0o020666 }], {}],
    ["an encrypted file", [{ ...file("run.json"), encrypted: true }], {}],
    ["a name twice", [file("run.json"), file("run.json")], {}],
    [
      "a name twice for a file system that does not tell cases apart",
      [file("run.json"), file("RUN.json")],
      {},
    ],
    ["a file and a folder of its name", [file("a"), file("a/b")], {}],
    ["too many files", Array.from({ length: 11 }, (_, i) => file(`f${i}`)), {}],
    ["a bomb", [{ name: "samples.jsonl", content: Buffer.alloc(2_000_000) }], {}],
    [
      "a bomb of many files",
      Array.from({ length: 5 }, (_, i) => ({ name: `f${i}`, content: Buffer.alloc(300_000) })),
      {},
    ],
    [
      "a bomb that lies about its size",
      [{ name: "samples.jsonl", content: Buffer.alloc(2_000_000), claimedBytes: 10 }],
      {},
    ],
    [
      "JSON that is nested too deep",
      [{ name: "run.json", content: `${"[".repeat(50)}${"]".repeat(50)}` }],
      {},
    ],
    [
      "JSON that hides its depth behind closing brackets",
      [{ name: "run.json", content: `${"]".repeat(500)}${"[".repeat(50)}` }],
      {},
    ],
  ])("%s", async (_, entries, more) => {
    const { end } = await unzip(entries, more);
    expect(end.kind, reason(end)).toBe("refused");
  });

  it("and nothing is left outside of its folder", async () => {
    const fixture = await createFixture({});
    writeFileSync(fixture.getPath("a.zip"), makeZip([file("../evil")]));
    await unzipBounded(fixture.getPath("a.zip"), fixture.getPath("in/out"), bounds);
    expect(existsSync(fixture.getPath("in/evil"))).toBe(false);
  });

  it("and so is what is no zip at all", async () => {
    const fixture = await createFixture({ "a.zip": "PK nothing" });
    const end = await unzipBounded(fixture.getPath("a.zip"), fixture.getPath("out"), bounds);
    expect(end.kind).toBe("refused");
  });
});
