import { describe, expect, it } from "vitest";
import { createSecrets } from "../../src/io/secrets/redact.ts";
import { patience } from "../support/patience.ts";
import { hideInJson, secretsOf } from "./secrets.ts";

const key = 'sk-Test_4f9A"x\\z+/é7Qm2';
const secrets = secretsOf([key]);
const { redact, stringify } = secrets;

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

describe("a secret in a text", () => {
  const forms = {
    "as it is": key,
    "in JSON": JSON.stringify({ key }),
    "in JSON in JSON": JSON.stringify(JSON.stringify({ key })),
    "in Python's JSON": String.raw`{"key": "sk-Test_4f9A\"x\\z+/\u00e97Qm2"}`,
    "in a URL": `https://host/?key=${encodeURIComponent(key)}&x=1`,
    "in a URL, in lower case": encodeURIComponent(key).replaceAll(/%../g, (code) =>
      code.toLowerCase(),
    ),
    "in base64": Buffer.from(key).toString("base64"),
    "in base64 for URLs": Buffer.from(key).toString("base64url"),
    "in hexadecimal": Buffer.from(key).toString("hex"),
    "as a password in basic authentication": Buffer.from(`a:${key}`).toString("base64"),
    "as a password, one letter later": Buffer.from(`ab:${key}x`).toString("base64"),
    "as a password, two letters later": Buffer.from(`abc:${key}xy`).toString("base64"),
  };
  it.each(Object.entries(forms))("is hidden %s", (_, text) => {
    const shown = redact(`before ${text} after`);
    expect(shown).toContain("***");
    expect(shown).toMatch(/^before .* after$/s);
    for (const part of [
      key.slice(0, 8),
      key.slice(-5),
      Buffer.from(key).toString("base64").slice(6, -8),
    ]) {
      expect(shown).not.toContain(part);
    }
  });

  // base64 has + and /, and other keys have what JSON, HTML and URLs escape.
  const marked = "ab/c+D&e!f_G*7<h>9|k'l=";
  it.each<[string, string]>([
    ["in Go's JSON", String.raw`ab/c+D\u0026e!f_G*7\u003ch\u003e9|k'l=`],
    ["in Gson's JSON", String.raw`ab/c+D\u0026e!f_G*7\u003ch\u003e9|k\u0027l\u003d`],
    ["in .NET's JSON", String.raw`ab/c\u002BD\u0026e!f_G*7\u003Ch\u003E9|k\u0027l=`],
    ["as urllib.parse.quote has it", "ab/c%2BD%26e%21f_G%2A7%3Ch%3E9%7Ck%27l%3D"],
    ["as urlencode has it", "ab%2Fc%2BD%26e%21f_G%2A7%3Ch%3E9%7Ck%27l%3D"],
    ["in upper-case hexadecimal", Buffer.from(marked).toString("hex").toUpperCase()],
  ])("with marks is hidden %s", (_, text) => {
    expect(secretsOf([marked]).redact(`<${text}>`)).toBe("<***>");
  });

  const coloured = key.split("").join("\u001b[0m");

  it.each<readonly [string, (text: string) => string]>([
    ["a text", redact],
    ["a key and a value of JSON", (text) => stringify({ [text]: [text] })],
  ])("is hidden with colours within it, which %s drops when it is shown", (_, hide) => {
    const found = hide(`before ${coloured} after`);
    expect(found).toContain("before *** after");
    expect(found).not.toContain("\u001b");
  });

  it.each([
    ["a title, which ends with BEL", "\u001b]0;title\u0007"],
    ["a link, which ends with ST", "\u001b]8;;https://example.org\u001b\\"],
    ["a colour that begins with C1's CSI", "\u009b31m"],
    ["a title of C1", "\u009d0;title\u009c"],
    ["a device's string", "\u001bPq#0\u001b\\"],
    ["a private message", "\u001b^x\u001b\\"],
    ["a change of character set", "\u001b(B"],
    ["a reset", "\u001bc"],
    ["a lone escape", "\u001b\u0000"],
    ["NUL", "\u0000"],
    ["what a backspace takes back", "x\b"],
    ["a space without a width", "\u200B"],
    ["a soft hyphen", "\u00AD"],
    ["a byte order mark", "\uFEFF"],
    ["a change of direction", "\u202E"],
    ["a letter that fills a gap", "\u3164"],
    ["a tag", "\u{E0041}"],
  ])("is hidden with %s within it", async (_, sequence) => {
    const text = `before ${key.split("").join(sequence)} after`;
    const plain = JSON.stringify({ [text]: [text] });
    const ascii = plain.replaceAll(/[\u0080-\uFFFF]/g, escaped);
    for (const shown of [
      redact(text),
      stringify({ [text]: [text] }),
      await hideInJson(plain, secrets),
      await hideInJson(ascii, secrets),
    ]) {
      expect(shown).toContain("before *** after");
    }
  });

  it("leaves what is not seen in a text without a secret", () => {
    const text = "a\u200Bb \u001b]0;title\u0007 \u009b31m";
    expect(redact(text)).toBe(text);
    expect(stringify([text])).toBe(JSON.stringify([text]));
  });

  it("leaves the colours of a text without a secret", () => {
    const text = "\u001b[31mred\u001b[0m";
    expect(redact(text)).toBe(text);
    expect(stringify([text])).toBe(JSON.stringify([text]));
  });

  it("leaves every other text as it is", () => {
    expect(redact("nothing to hide, sk-Test_ is a prefix")).toBe(
      "nothing to hide, sk-Test_ is a prefix",
    );
  });

  it("leaves nothing of two secrets that overlap", () => {
    const both = secretsOf(["abcdefgh", "efghijkl"]);
    expect(both.redact("x abcdefghijkl y abcdefgh efghijkl")).toBe("x *** y *** ***");
  });

  it("hides each line of a key in several lines, and not its frame", () => {
    const pem =
      "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqG\nSM49AgEGCCqGSM49\n-----END PRIVATE KEY-----\n";
    const shown = secretsOf([pem]).redact("log: SM49AgEGCCqGSM49\n-----BEGIN PRIVATE KEY-----");
    expect(shown).toBe("log: ***\n-----BEGIN PRIVATE KEY-----");
  });

  it("does not blacken ordinary text for a value that is too short to be one", () => {
    expect(secretsOf(["dev", "12345", ""]).redact("dev 12345")).toBe("dev 12345");
  });

  it("does not stop at half of a letter", () => {
    expect(secretsOf(["\uD800abcdefg"]).redact("x \uD800abcdefg")).toBe("x ***");
  });
});

describe("a secret in JSON", () => {
  it("is hidden in texts and names, at every depth", () => {
    const text = stringify({ a: [{ b: `say ${key}` }], [key]: 1 });
    expect(JSON.parse(text)).toEqual({ a: [{ b: "say ***" }], "***": 1 });
  });

  it.each([
    ["that begins like an escape", "n12345678", { text: "line\n12345678" }],
    ["of digits, beside a number", "12345678", { tokens: 123456789, text: "no" }],
    ["that is a piece of JSON", '","b":"', { a: "x", b: "y" }],
    ["that is a word of JSON", "false,", { a: false, b: 1 }],
  ])("leaves JSON that can be read, for a secret %s", (_, secret, value) => {
    expect(JSON.parse(secretsOf([secret]).stringify(value))).toEqual(value);
  });

  it("writes what JSON.stringify writes where there is nothing to hide", () => {
    const value = { b: [1, null, "é\n"], a: { c: true, d: undefined } };
    expect(stringify(value)).toBe(JSON.stringify(value));
    expect(stringify(value, 2)).toBe(JSON.stringify(value, undefined, 2));
    expect(secretsOf([]).stringify(value, 2)).toBe(JSON.stringify(value, undefined, 2));
  });
});

describe("what is known to be a secret", () => {
  const environment = {
    OPENAI_API_KEY: "sk-proj-abcdef123456",
    WEAK_KEY: "swordfish",
    APP_MODE: "production",
    APP_REGION: "eu-west-1",
    APP_MODEL: "gpt-4.1-mini",
    APP_URL: "https://app.example.com/v1/answers",
    APP_FOLDER: "/srv/app",
    DATABASE: "postgres://app:p%40ssw0rd!@db:5432/app",
    APP_HOOK: "https://hooks.example.com/services/T0AB12CD3/B0EF45GH6/x7Yz",
    APP_ID: "3f2b8c1d9e0a4b5c",
    APP_CODE: "/9j4AAQSkZJRgABAQAAAQABAAD+xx==",
    DB_PW: "swordfish2",
    APP_TOOLS: "/opt/hostedtoolcache/Python/3.12.4/x64",
    MODEL_DIR: "/models/Qwen2.5-7B-Instruct",
    APP_TEMP: "/tmp/tmp.aB3dE5gH7j/my+app",
    GITHUB_TOKEN: "ghs_abcdefghijklmnop",
    HTTPS_PROXY: "http://proxyuser:hunter2secret@proxy:3128",
    UNNAMED_KEY: "not-learnt-not-hidden",
    APP_PRODUCT: "OpenShift 4.16",
  };
  const known = createSecrets(environment);
  known.learn({ keys: ["OPENAI_API_KEY", "NOT_SET"], variables: [] });
  known.learn({
    keys: [],
    variables: [
      "WEAK_KEY",
      "APP_MODE",
      "APP_REGION",
      "APP_MODEL",
      "APP_URL",
      "APP_FOLDER",
      "DATABASE",
      "APP_HOOK",
      "APP_ID",
      "APP_CODE",
      "DB_PW",
      "APP_TOOLS",
      "MODEL_DIR",
      "APP_TEMP",
      "APP_PRODUCT",
    ],
  });

  it.each([
    ["a provider's key", environment.OPENAI_API_KEY],
    ["a weak value under a name that tells", environment.WEAK_KEY],
    ["an address with a password", environment.DATABASE],
    ["its password", "p%40ssw0rd!"],
    ["its password, decoded", "p@ssw0rd!"],
    ["an address that is a key itself", environment.APP_HOOK],
    ["a value that looks random", environment.APP_ID],
    ["base64 that begins as a path does", environment.APP_CODE],
    ["a word under a short name for a password", environment.DB_PW],
    ["the job's token", environment.GITHUB_TOKEN],
    ["the proxy's password", "hunter2secret"],
  ])("hides %s", (_, value) => {
    expect(known.redact(`<${value}>`)).toBe("<***>");
  });

  it.each([
    ["a mode", environment.APP_MODE],
    ["a region", environment.APP_REGION],
    ["a model", environment.APP_MODEL],
    ["an address", environment.APP_URL],
    ["a folder", environment.APP_FOLDER],
    ["a folder of a tool", environment.APP_TOOLS],
    ["a folder of a model", environment.MODEL_DIR],
    ["a temporary folder", environment.APP_TEMP],
    ["what nobody uses", environment.UNNAMED_KEY],
  ])("shows %s", (_, value) => {
    expect(known.redact(`<${value}>`)).toBe(`<${value}>`);
  });
});

describe("the cost", () => {
  it("is that of a search: 5 MB with ten secrets are done in a second, though they are full of beginnings", async () => {
    const values = Array.from({ length: 10 }, (_, i) => `aaaaaaaaaaaaaaaaaaaaaaa${i}b`);
    const text = "a".repeat(5_000_000);
    const started = performance.now();
    expect(secretsOf(values).redact(text)).toBe(text);
    expect((performance.now() - started) / 1000).toBeLessThan(await patience(10));
  });
});

it("shows the text before in the place of a value that has one, in texts and in JSON; a key is a key all the same", () => {
  const known = createSecrets({ HOUSE_KEY: "house-key-1234" });
  const texts = [
    { text: "swordfish-7", shown: "${CODE_WORD}" },
    { text: "house-key-1234", shown: "${HOUSE}" },
    { text: "no", shown: "${SHORT}" },
  ];
  known.learn({ keys: ["HOUSE_KEY"], variables: [], texts });
  expect(known.redact("say swordfish-7, house-key-1234, no")).toBe("say ${CODE_WORD}, ***, no");
  expect(known.stringify({ "swordfish-7": ["a swordfish-7"] })).toBe(
    '{"${CODE_WORD}":["a ${CODE_WORD}"]}',
  );
});
