import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/model/refusal.ts";
import { encryptedLines, plainLines } from "../../src/store/encrypted-lines.ts";

const keyOf = (text: string): Uint8Array => Buffer.from(text.padEnd(32, ".")).subarray(0, 32);
const reason = (read: () => unknown): string => {
  try {
    return String(read());
  } catch (error) {
    return error instanceof Refusal ? (error.problems[0]?.code ?? "") : String(error);
  }
};

describe("a line that is encrypted", () => {
  const lines = encryptedLines(keyOf("a"));
  const write = lines.writer();
  test.each([
    ["a sample", '{"id":"sample_1","target":"größer \u{1F600}"}'],
    ["an answer", '{"sample_id":"sample_1","generated":{}}'],
    ["another line", '{"object":"regrade.spent/1","usd":1}'],
    ["a long one", `{"id":"sample_1","target":"${"x1".repeat(17 * 1024 * 1024)}"}`],
  ])("is read back: %s", (_, line) => {
    const stored = write(line);
    expect(stored).not.toContain("target");
    expect(stored.length).toBeLessThan(64 * 1024 * 1024);
    const again = write(line);
    expect(again).not.toBe(stored);
    for (const each of [stored, again, stored])
      expect(lines.read(each, "f", 1) === line).toBe(true);
  });

  test("is no line for who lacks the key, and lines that are not encrypted are for everybody", () => {
    const plain = '{"id":"sample_1","encrypted":1}';
    const stored = write(plain);
    expect(stored).toMatch(/^\{"id":"sample_1","encrypted":"/);
    expect(reason(() => plainLines.read(stored, "f", 1))).toBe("run_encrypted");
    expect(reason(() => encryptedLines(keyOf("b")).read(stored, "f", 1))).toBe("decryption_failed");
    for (const each of [lines, plainLines]) expect(each.read(plain, "f", 1)).toBe(plain);
  });
});
