import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { contentsOf, isUnreadable } from "../../../src/base/encodings/bytes.ts";
import { makeZip } from "../../support/github/zip.ts";

const table = Buffer.from(`{"7+1": "8", "8+1": "9", "9+1": "10"}`);
const masked = (...key: readonly number[]): Uint8Array =>
  table.map((byte, i) => byte ^ (key[i % key.length] ?? 0));

test.each([0x8d, 0xa5, 0xff])("reads a text masked with %i", (key) => {
  expect(contentsOf(masked(key))).toContainEqual({ text: table.toString(), isText: true });
});

test("archives in an archive don't fill the memory", () => {
  const member = gzipSync("a b\n".repeat(200_000));
  const held = contentsOf(
    makeZip(Array.from({ length: 40 }, (_, i) => ({ name: `${i}.gz`, content: member }))),
  );
  const characters = held.reduce((sum, { text }) => sum + text.length, 0);
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
