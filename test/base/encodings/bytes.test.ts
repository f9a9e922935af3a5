import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { describe, expect, test } from "vitest";
import { contentsOf, isUnreadable } from "../../../src/base/encodings/bytes.ts";
import { makeZip } from "../../support/github/zip.ts";

const table = Buffer.from(`{"7+1": "8", "8+1": "9", "9+1": "10"}`);
const masked = (...key: readonly number[]): Uint8Array =>
  table.map((byte, i) => byte ^ (key[i % key.length] ?? 0));

test.each([0x8d, 0xa5, 0xff])("reads a text masked with %i", (key) => {
  expect(contentsOf(masked(key)).all).toContainEqual({ text: table.toString(), isText: true });
});

test("archives in an archive don't fill the memory", () => {
  const member = gzipSync("a b\n".repeat(200_000));
  const held = contentsOf(
    makeZip(Array.from({ length: 40 }, (_, i) => ({ name: `${i}.gz`, content: member }))),
  );
  const characters = held.all.reduce((sum, { text }) => sum + text.length, 0);
  expect(characters).toBeGreaterThan(200_000);
  expect(characters).toBeLessThan(5_000_000);
});

describe("a file of which nothing can be told", () => {
  test.each<readonly [string, Uint8Array, boolean]>([
    ["a text", table, false],
    ["nothing", Buffer.alloc(0), false],
    ["a text masked with one byte", masked(0x8d), false],
    ["a text masked with several", masked(0xa3, 0x91, 0x82, 0xff, 0x10), true],
    ["a picture", Buffer.from("89504e470d0a1a0a00010203ff", "hex"), false],
    ["a film", Buffer.from("000000186674797069736f6d00ff", "hex"), false],
    ["other bytes", Buffer.from("00ff01fe02fd03fc04fb05fa", "hex"), true],
  ])("%s", (_, bytes, expected) => {
    expect(isUnreadable(bytes)).toBe(expected);
  });
});

const readme = { name: "README.md", content: "What this is.\n" };
const answers = { name: "answers.json", content: table };
const junk = { name: "junk.txt", content: "a b\n".repeat(1_100_000) };
const noise = Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919 + (i >> 3)) % 251));

function insertedAt(bytes: Buffer, at: number, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
}

/** A zip archive of which the central directory begins later, behind other bytes. */
function withGap(gap: Buffer): Buffer {
  const zip = makeZip([readme]);
  const directory = zip.readUInt32LE(zip.length - 6);
  const longer = insertedAt(zip, directory, gap);
  longer.writeUInt32LE(directory + gap.length, longer.length - 6);
  return longer;
}

function nested(bytes: Buffer, depth: number): Buffer {
  return depth === 0 ? bytes : nested(makeZip([{ name: "inner", content: bytes }]), depth - 1);
}

/** A gzip header with a file's name, as `gzip` writes it. RFC 1952, 2.3.1. */
function withName(packed: Buffer): Buffer {
  const longer = insertedAt(packed, 10, Buffer.from("table.json\0"));
  longer[3] = 0x08;
  return longer;
}

/** A gzip header with a comment. RFC 1952, 2.3.1. */
function withComment(packed: Buffer, comment: string): Buffer {
  const longer = insertedAt(packed, 10, Buffer.from(`${comment}\0`));
  longer[3] = 0x10;
  return longer;
}

describe("what a file that is read in part may hide", () => {
  test.each<readonly [string, Buffer]>([
    [
      "a zip archive with a text and an encrypted member",
      makeZip([readme, { ...answers, encrypted: true }]),
    ],
    ["a zip archive with members after 4 MB", makeZip([readme, junk, answers])],
    [
      "a zip archive of 1,100 members",
      makeZip([...Array.from({ length: 1100 }, () => readme), answers]),
    ],
    ["a zip archive that ends early", makeZip([readme, answers]).subarray(0, -30)],
    ["a zip archive with bytes between its members", withGap(noise)],
    [
      "archives in archives, five deep",
      makeZip([readme, { name: "deep.zip", content: nested(table, 4) }]),
    ],
    ["a gzip file of more than 4 MB", gzipSync(junk.content)],
    ["a gzip file that is cut off", gzipSync(table).subarray(0, -12)],
    ["a Zstandard file of more than 4 MB", zstdCompressSync(junk.content)],
    ["a Brotli file of more than 4 MB", brotliCompressSync(junk.content)],
    [
      "a zip archive with a text and a large gzip file",
      makeZip([readme, { name: "a.gz", content: gzipSync(junk.content) }]),
    ],
  ])("%s is not whole", (_, bytes) => {
    expect(contentsOf(bytes).isWhole).toBe(false);
    expect(isUnreadable(bytes)).toBe(true);
  });

  test("a masked member beside a text can't be read", () => {
    const bytes = makeZip([
      readme,
      { name: "b", content: Buffer.from(masked(0xa3, 0x91, 0x82, 0xff, 0x10)) },
    ]);
    expect(isUnreadable(bytes)).toBe(true);
  });

  test.each<readonly [string, Buffer]>([
    [
      "a zip archive with a picture and a folder",
      makeZip([
        readme,
        answers,
        { name: "d/", content: "" },
        { name: "a.png", content: Buffer.from("89504e470d0a1a0a00010203ff", "hex") },
      ]),
    ],
    ["a gzip file with a name", withName(gzipSync(table))],
    ["a text of 3 MB, packed", gzipSync("a b\n".repeat(750_000))],
    ["a table after zlib's end", Buffer.concat([deflateSync("a"), table])],
  ])("%s is whole", (_, bytes) => {
    expect(contentsOf(bytes).isWhole).toBe(true);
    expect(isUnreadable(bytes)).toBe(false);
  });

  test.each<readonly [string, Buffer]>([
    ["after zlib's end", Buffer.concat([deflateSync("a"), table])],
    ["after deflate's end", Buffer.concat([deflateRawSync("a"), table])],
    ["after Zstandard's end", Buffer.concat([zstdCompressSync(Buffer.from("a b c d")), table])],
    ["in gzip's comment", withComment(gzipSync("a"), table.toString())],
    ["between the members of a zip archive", withGap(table)],
    [
      "in the name of a zip archive's member",
      makeZip([readme, { name: table.toString(), content: "" }]),
    ],
    ["at the end of a zip archive", Buffer.concat([makeZip([readme]), table])],
    ["beside an encrypted member", makeZip([{ ...readme, encrypted: true }, answers])],
    ["after a member of more than 4 MB", makeZip([{ ...readme, content: junk.content }, answers])],
  ])("a table %s is read", (_, bytes) => {
    const found = contentsOf(bytes).all.map(({ text }) => text);
    expect(found).toContainEqual(expect.stringContaining(table.toString()));
  });
});
