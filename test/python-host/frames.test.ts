import { describe, expect, it } from "vitest";
import { createFrameReader, encodeFrame } from "../../src/python-host/frames.ts";

/** `python/regrade/frames.py` has the same. */
const frameLimit = 4 * 1024 * 1024;
const texts = ["", "{}", "é日本\n", "x".repeat(70_000)];

describe("frames", () => {
  it.each([1, 3, 4, 5, 1000, 100_000])("arrive whole from chunks of %i bytes", (size) => {
    const bytes = Buffer.concat(texts.map((text) => encodeFrame([text])));
    const read = createFrameReader();
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      const { frames, malformed } = read(bytes.subarray(at, at + size));
      expect(malformed).toBe(false);
      found.push(...frames);
    }
    expect(found).toEqual(texts);
  });

  it("before bytes that are none are kept: they belong to other samples", () => {
    const read = createFrameReader();
    const bytes = Buffer.concat([encodeFrame(["good"]), Buffer.from("hello there")]);
    expect(read(bytes)).toEqual({ frames: ["good"], malformed: true });
  });

  it("of more than the limit are refused before they are read", () => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(frameLimit + 1, 0);
    expect(createFrameReader()(head).malformed).toBe(true);
  });
});
