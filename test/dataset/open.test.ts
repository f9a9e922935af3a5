import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/model/refusal.ts";
import { cases, collect, open } from "./read.ts";

describe("a data set", () => {
  it("says what it has: rows, fields in order of appearance, the hash of its bytes", async () => {
    const { fixture, opened } = await open("d.jsonl", '{"b":1}\n{"a":1,"b":2}\n');
    await fixture.rm();
    if ("problems" in opened) throw new Error("can't be read");
    expect(opened.dataset.size).toBe(2);
    expect([...opened.dataset.fields]).toEqual(["b", "a"]);
    expect(opened.dataset.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("can be run more than once", async () => {
    const { fixture, opened } = await open("d.jsonl", '{"b":1}\n{"b":1}\n');
    if ("problems" in opened) throw new Error("can't be read");
    const first = await collect(opened.dataset.cases());
    expect(await collect(opened.dataset.cases())).toEqual(first);
    await fixture.rm();
  });

  it("stays what was checked when its file is changed before the run reads it", async () => {
    const { fixture, opened } = await open("d.jsonl", '{"b":1}\n{"b":1}\n');
    if ("problems" in opened) throw new Error("can't be read");
    await writeFile(fixture.getPath("d.jsonl"), '{"b":2}\noops\n');
    const found = await collect(opened.dataset.cases());
    expect(found.map(({ row }) => row)).toEqual([{ b: 1 }, { b: 1 }]);
    await fixture.rm();
  });

  it.each([
    ["another row", '{"b":1}\n{"b":2}\n'],
    ["a broken row", '{"b":1}\noops\n'],
  ])(
    "that memory does not hold refuses to go on when it has %s than was checked",
    async (_, changed) => {
      const content = '{"b":1}\n{"b":1}\n';
      const { fixture, opened } = await open("d.jsonl", content, { keptUpTo: content.length - 1 });
      if ("problems" in opened) throw new Error("can't be read");
      await writeFile(fixture.getPath("d.jsonl"), changed);
      await expect(collect(opened.dataset.cases())).rejects.toThrow(Refusal);
      await fixture.rm();
    },
  );

  it.each([{}, { idField: null }])(
    "has the same cases whether memory holds it or not: ids, numbers as they were written (%o)",
    async (asked) => {
      const rows = '{"id":1.0,"b":2.50}\n{"id":"x","b":[1e3]}\n{"id":12345678901234567890}\n';
      const held = await cases("d.jsonl", rows, { ...asked, keptUpTo: rows.length });
      const read = await cases("d.jsonl", rows, { ...asked, keptUpTo: 0 });
      expect(JSON.stringify(read)).toBe(JSON.stringify(held));
      expect(JSON.stringify(held[0]?.row)).toBe('{"id":1.0,"b":2.50}');
    },
  );
});

describe("a large data set", () => {
  it.each(["jsonl", "csv"])(
    "of 100 MB of %s needs at most twice the memory of one of 1 MB",
    { timeout: 120_000, tags: "long" },
    async (format) => {
      const fixture = await createFixture();
      const small = await write(fixture.getPath(`small.${format}`), 1_000_000);
      const large = await write(fixture.getPath(`large.${format}`), 100_000_000);
      const before = peakMegabytes(small);
      const after = peakMegabytes(large);
      await fixture.rm();
      expect(after / before).toBeLessThan(2);
    },
  );
});

async function write(path: string, bytes: number): Promise<string> {
  const stream = createWriteStream(path);
  const text = "How many apples are left? ".repeat(30);
  const isCsv = path.endsWith(".csv");
  if (isCsv) stream.write("id,question,answer\n");
  for (let i = 0, written = 0; written < bytes; i += 1) {
    const line = isCsv
      ? `q-${i},"${text}",${i}\n`
      : `${JSON.stringify({ id: `q-${i}`, question: text, answer: i })}\n`;
    written += line.length;
    if (!stream.write(line)) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "finish");
  return path;
}

/** Peak memory of a process that reads a data set twice, as a run does, and with a run's settings. */
function peakMegabytes(path: string): number {
  const script = `
    import { openDataset } from ${source("dataset/open.ts")};
    import { hashText, readBytes } from ${source("io/files/files.ts")};
    import { settleV8 } from ${source("io/processes/v8-settings.ts")};
    settleV8({ isAlone: false });
    const path = ${JSON.stringify(path)};
    const format = path.endsWith("csv") ? "csv" : "jsonl";
    const task = { dataset: { file: { path, absolute: path }, format }, targetOnly: new Set() };
    const { dataset } = await openDataset(task, { readBytes, hashText });
    for await (const batch of dataset.cases());
    console.log(process.resourceUsage().maxRSS / 1024);
  `;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  });
  expect(run.stderr).toBe("");
  return Number(run.stdout);
}

function source(file: string): string {
  return JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href);
}
