import { describe, expect, it } from "vitest";
import { hideInJson, secretsOf } from "./secrets.ts";

const secrets = secretsOf(["sk-9&<>Zq+7"]);

describe("an answer in JSON", () => {
  it("holds no secret behind escapes, whichever signs were escaped", async () => {
    const text = String.raw`{"n":1,"output_text":"key s\u006b-9\u0026\u003C>Zq\u002b7"}`;
    expect(await hideInJson(text, secrets)).toBe('{"n":1,"output_text":"key ***"}');
  });

  it("stays as it is, to the last digit, where it has escapes and no secret", async () => {
    const text = String.raw`{"n": 51.0, "output_text": "a \u0026 b"}`;
    expect(await hideInJson(text, secrets)).toBe(text);
  });
});
