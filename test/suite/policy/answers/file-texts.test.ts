import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readFileTexts } from "../../../../src/suite/policy/answers/file-texts.ts";

test("many packed files are read up to a limit, and the others are counted", () => {
  const texts = readFileTexts();
  const files = Array.from({ length: 40 }, (_, i) => ({
    bytes: gzipSync(`${i}\n`.repeat(300_000)),
  }));
  const joined = texts.joined(files);
  expect(joined.length).toBeGreaterThan(10_000_000);
  expect(joined.length).toBeLessThan(20_000_000);
  expect(texts.skipped()).toBeGreaterThan(10);
  // Asked again, a file is not counted again.
  const skipped = texts.skipped();
  expect(texts.joined(files)).toBe(joined);
  expect(texts.skipped()).toBe(skipped);
});

test("texts within a file's encodings are read, too", () => {
  const bytes = Buffer.from(`x = "${Buffer.from("the answer is forty").toString("base64")}"`);
  const { textsOf, joined } = readFileTexts();
  expect(textsOf(bytes).some((text) => text.includes("the answer is forty"))).toBe(true);
  expect(joined([{ bytes }])).not.toContain("forty");
});
