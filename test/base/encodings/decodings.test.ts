import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodingsOf } from "../../../src/base/encodings/decodings.ts";
import { spelledNumber } from "../../../src/base/encodings/spelled-numbers.ts";

const answer = "Paris, 72";
const bytes = Buffer.from(answer);
const codes = [...bytes];
const each = (write: (code: number) => string): string => codes.map(write).join("");
const hex = (code: number): string => code.toString(16);

describe("a text is found in its encodings", () => {
  it.each([
    ["base64", bytes.toString("base64")],
    ["base64 for URLs", bytes.toString("base64url")],
    ["base64 in lines", "UGFy\naXMs\nIDcy\n"],
    ["base64 twice", Buffer.from(bytes.toString("base64")).toString("base64")],
    ["base32", "KBQXE2LTFQQDOMQ="],
    ["base85", "P+@Xub1Wb?G5"],
    ["Ascii85", '<~:gnBYF"AFm1&~>'],
    ["hexadecimal", bytes.toString("hex")],
    ["hexadecimal with colons", codes.map(hex).join(":")],
    ["escaped bytes", each((code) => `\\x${hex(code)}`)],
    ["JSON's escapes", each((code) => `\\u00${hex(code)}`)],
    ["octal escapes", each((code) => `\\${code.toString(8).padStart(3, "0")}`)],
    ["HTML", each((code) => `&#${code};`)],
    ["HTML, hexadecimal", each((code) => `&#x${hex(code)};`)],
    ["a URL", each((code) => `%${hex(code)}`)],
    ["mail", each((code) => `=${hex(code).toUpperCase()}`)],
    ["numbers of characters", codes.join(" ")],
    ["bits", each((code) => code.toString(2).padStart(8, "0"))],
    ["gzip", gzipSync(answer).toString("base64")],
    ["zlib", deflateSync(answer).toString("hex")],
    ["raw deflate", deflateRawSync(answer).toString("base64")],
    ["Brotli", brotliCompressSync(answer).toString("base64")],
    ["Unicode's tags", each((code) => String.fromCodePoint(0xe_00_00 + code))],
    ["letters that look alike", "Ｐａｒｉｓ, 𝟕𝟐"],
    ["unseen letters between", "Pa\u200Bris, 7\u20602"],
    ["base64 of it backwards", Buffer.from("27 ,siraP").toString("base64")],
    ["base64 backwards", "ycDIsMXayFGU"],
    ["UTF-16", Buffer.from(answer, "utf16le").toString("base64")],
  ])("%s", (_, text) => {
    expect(decodingsOf(text).get(answer)).toBe("encoded");
  });

  it.each([
    ["rot13", "Cnevf, 72", answer],
    ["backwards", "27 ,siraP", answer],
    ["letter by letter", "P-a-r-i-s", "Paris"],
    ["words", "seventy-two", "72"],
    ["a Roman numeral", "LXXII", "72"],
    ["bits of a number", "1001000", "72"],
    ["a hexadecimal number", "0x48", "72"],
  ])("%s", (_, text, found) => {
    expect(decodingsOf(text).get(found)).toBe("rewritten");
  });

  it("is bounded for hostile texts", () => {
    const zeros = gzipSync(Buffer.alloc(64 << 20)).toString("base64");
    const texts = [
      zeros,
      "A".repeat(16_000),
      "0".repeat(16_000),
      "%41".repeat(5000),
      "=".repeat(16_000),
    ];
    for (const text of texts) expect(decodingsOf(text).size).toBeLessThanOrEqual(48);
  });
});

it.each([
  ["twenty", "20"],
  ["one hundred and five", "105"],
  ["two thousand three hundred forty-one", "2341"],
  ["a million", undefined],
  ["three million and two", "3000002"],
  ["minus four", "-4"],
  ["seven two", "72"],
  ["MCMXCIV", "1994"],
  ["IIII", undefined],
  ["and", undefined],
  ["minus", undefined],
  ["the ten apples", undefined],
])("the number that %j spells is %j", (text, number) => {
  expect(spelledNumber(text)).toBe(number);
});
