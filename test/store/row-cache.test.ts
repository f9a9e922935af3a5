import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { KeptRows, RowCache } from "../../src/model/ports/remote.ts";
import { openRowCache } from "../../src/store/row-cache.ts";

const key = "facebook/belebele";

async function keep(
  rowCache: RowCache,
  lines: readonly string[],
  resume = true,
): Promise<KeptRows> {
  const writer = await rowCache.begin({ key, resume });
  await writer.append(Buffer.from(lines.map((line) => `${line}\n`).join("")), lines.length);
  return writer.finish({ revision: "r1" });
}

const isOwn = (): Promise<boolean> => Promise.resolve(true);
const isOfCommit = (): Promise<boolean> => Promise.resolve(false);

async function nameOf(folder: string, ending: string): Promise<string> {
  return (await readdir(folder)).find((name) => name.endsWith(ending)) ?? "";
}

describe("rows that were brought here", () => {
  it("are found again by another process, with what was noted of them", async () => {
    await using fixture = await createFixture();
    const kept = await keep(openRowCache(fixture.path, isOwn), ['{"a":1}', '{"a":51.0}']);
    expect(await readFile(kept.absolute, "utf8")).toBe('{"a":1}\n{"a":51.0}\n');
    expect(await openRowCache(fixture.path, isOwn).find(key)).toEqual({
      ...kept,
      about: { revision: "r1" },
    });
    expect(await openRowCache(fixture.path, isOwn).find("another")).toBeUndefined();
  });

  it("are not found where the file was changed, nor where its card is torn", async () => {
    await using fixture = await createFixture();
    const rowCache = openRowCache(fixture.path, isOwn);
    const kept = await keep(rowCache, ['{"a":1}']);
    await appendFile(kept.absolute, '{"a":2}\n');
    expect(await rowCache.find(key)).toBeUndefined();
    const again = await keep(rowCache, ['{"a":1}']);
    expect(await rowCache.find(key)).toEqual(again);
    const card = await nameOf(fixture.path, ".json");
    await writeFile(join(fixture.path, card), '{"rows":1,');
    expect(await rowCache.find(key)).toBeUndefined();
  });

  it("are not found where somebody wrote to them since a time, unless this process did", async () => {
    await using fixture = await createFixture();
    const own = openRowCache(fixture.path, isOwn);
    const kept = await keep(own, ['{"a":1}']);
    const later = Date.now() + 60_000;
    expect(await openRowCache(fixture.path, isOwn).find(key, later)).toEqual(kept);
    const before = Date.now() - 60_000;
    expect(await openRowCache(fixture.path, isOwn).find(key, before)).toBeUndefined();
    expect(await own.find(key, before)).toEqual(kept);
    await keep(openRowCache(fixture.path, isOwn), ['{"a":2}']);
    expect(await own.find(key, before)).toBeUndefined();
  });

  it("go on where an interrupted run left them, without the torn line", async () => {
    await using fixture = await createFixture();
    const writer = await openRowCache(fixture.path, isOwn).begin({ key, resume: true });
    await writer.append(Buffer.from('{"a":1}\n{"a":2}\n'), 2);
    await writer.leave();
    const part = await nameOf(fixture.path, ".part");
    await appendFile(join(fixture.path, part), '{"a":');
    const next = await openRowCache(fixture.path, isOwn).begin({ key, resume: true });
    expect(next.rows).toBe(2);
    await next.append(Buffer.from('{"a":3}\n'), 1);
    const kept = await next.finish({});
    expect(kept.rows).toBe(3);
    expect(await readFile(kept.absolute, "utf8")).toBe('{"a":1}\n{"a":2}\n{"a":3}\n');
    expect(await openRowCache(fixture.path, isOwn).find(key)).toEqual(kept);
  });

  it("are neither found nor gone on with where a commit may have brought them", async () => {
    await using fixture = await createFixture();
    await keep(openRowCache(fixture.path, isOwn), ['{"a":1}']);
    const begun = await openRowCache(fixture.path, isOwn).begin({ key: "half", resume: true });
    await begun.append(Buffer.from('{"a":1}\n'), 1);
    await begun.leave();
    const rowCache = openRowCache(fixture.path, isOfCommit);
    expect(await rowCache.find(key)).toBeUndefined();
    const writer = await rowCache.begin({ key: "half", resume: true });
    expect(writer.rows).toBe(0);
    await writer.leave();
    const again = await openRowCache(fixture.path, isOwn).begin({ key: "half", resume: true });
    expect(again.rows).toBe(1);
    await again.leave();
  });

  it("are whole when two bring the same at once", async () => {
    await using fixture = await createFixture();
    const lines = Array.from({ length: 500 }, (_, i) => `{"a":${i}}`);
    const both = await Promise.all(
      [openRowCache(fixture.path, isOwn), openRowCache(fixture.path, isOwn)].map((rowCache) =>
        keep(rowCache, lines),
      ),
    );
    for (const { absolute, rows } of both) {
      expect(rows).toBe(500);
      expect(await readFile(absolute, "utf8")).toBe(`${lines.join("\n")}\n`);
    }
    const left = (await readdir(fixture.path)).filter(
      (name) => !/\.jsonl?$|^\.gitignore$/.test(name),
    );
    expect(left).toEqual([]);
  });

  it("leave nothing behind where they can't be gone on with", async () => {
    await using fixture = await createFixture();
    const writer = await openRowCache(fixture.path, isOwn).begin({ key: undefined, resume: false });
    await writer.append(Buffer.from('{"a":1}\n'), 1);
    await writer.leave();
    expect(await readdir(fixture.path)).toEqual([".gitignore"]);
  });

  it("say which disk is at fault", async () => {
    await using fixture = await createFixture({ file: "no folder" });
    const rowCache = openRowCache(join(fixture.path, "file", "cache"), isOwn);
    await expect(rowCache.begin({ key, resume: true })).rejects.toThrow("cache");
  });
});
