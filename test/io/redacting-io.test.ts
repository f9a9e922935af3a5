import { describe, expect, it } from "vitest";
import { hideInJson } from "../../src/io/secrets/redacting-io.ts";
import { createRedactor } from "../../src/io/secrets/redact.ts";

const secrets = { ...createRedactor(["sk-9&<>Zq+7"]), learn: () => undefined };

describe("an answer in JSON", () => {
  it("holds no secret behind escapes, whichever signs were escaped", () => {
    const text = String.raw`{"n":1,"output_text":"key s\u006b-9\u0026\u003C>Zq\u002b7"}`;
    expect(hideInJson(text, secrets)).toBe('{"n":1,"output_text":"key ***"}');
  });

  it("stays as it is, to the last digit, where it has escapes and no secret", () => {
    const text = String.raw`{"n": 51.0, "output_text": "a \u0026 b"}`;
    expect(hideInJson(text, secrets)).toBe(text);
  });
});
