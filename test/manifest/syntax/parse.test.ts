import { describe, expect, it } from "vitest";
import { parseManifest } from "../../../src/manifest/syntax/parse.ts";
import { brief, briefPlaces } from "../resolve-text.ts";
import { expectWithin } from "../../support/patience.ts";

function parsed(text: string) {
  const result = parseManifest(text, "suite.yaml");
  if (result.kind === "refused") throw new Error(brief(result.problems).join());
  return result;
}

function refused(text: string) {
  const result = parseManifest(text, "suite.yaml");
  return result.kind === "refused" ? result.problems : [];
}

describe("parseManifest", () => {
  it.each([
    ["YAML", "a: 1\nb:\n  - c: x\n"],
    ["YAML with CRLF", "a: 1\r\nb:\r\n  - c: x\r\n"],
    ["YAML with a byte order mark", "\uFEFFa: 1\nb:\n  - c: x\n"],
    ["JSON", '{\n  "a": 1,\n  "b": [{ "c": "x" }]\n}\n'],
    ["JSON indented with tabs", '{\n\t"a": 1,\n\t"b": [\n\t\t{\n\t\t\t"c": "x"\n\t\t}\n\t]\n}\n'],
    ["JSON with CRLF and a mark", '\uFEFF{\r\n\t"a": 1,\r\n\t"b": [{ "c": "x" }]\r\n}\r\n'],
  ])("reads %s alike", (_, text) => {
    expect(parsed(text).value).toEqual({ a: 1, b: [{ c: "x" }] });
  });

  it("keeps texts that other YAML readers turn into dates and truth values", () => {
    const { value } = parsed("a: 2026-05-27\nb: no\nc: 0o17\n");
    expect(value).toEqual({ a: "2026-05-27", b: "no", c: 15 });
  });

  it.each([
    [["b", 0, "c"], { line: 3, column: 8, path: "b[0].c" }],
    [["b", 0], { line: 3, column: 5, path: "b[0]" }],
    [["b"], { line: 2, column: 1, path: "b" }],
    [["b", 0, "gone", "deeper"], { line: 3, column: 5, path: "b[0].gone.deeper" }],
    [["e"], { line: 4, column: 1, path: "e" }],
    [["f g", "h"], { line: 5, column: 13, path: '["f g"].h' }],
  ])("points at %j", (path, place) => {
    const { locate } = parsed('a: 1\nb:\n  - c: x\ne:\n"f g": { h: 1 }\n');
    expect(locate(path)).toEqual({ file: "suite.yaml", ...place });
  });

  it("points at the key of a value when asked", () => {
    const { locate } = parsed("a:\n  bc: 1\n");
    expect(locate(["a", "bc"], "key")).toMatchObject({ line: 2, column: 3 });
  });

  it("counts columns as editors do after a byte order mark and CRLF", () => {
    const { locate } = parsed("\uFEFFa: 1\r\nb: 2\r\n");
    expect(locate(["a"])).toMatchObject({ line: 1, column: 4 });
    expect(locate(["b"])).toMatchObject({ line: 2, column: 4 });
  });

  it("takes anchors and merge keys, what is written winning over what is merged", () => {
    const { value } = parsed("a: &x { p: 1, q: 2 }\nb: { <<: *x, q: 3 }\nc: *x\n");
    expect(value).toEqual({ a: { p: 1, q: 2 }, b: { p: 1, q: 3 }, c: { p: 1, q: 2 } });
  });

  it("takes the last anchor of a name before an alias", () => {
    const { value } = parsed("a: &x 1\nb: *x\nc: &x 2\nd: [*x]\n");
    expect(value).toEqual({ a: 1, b: 1, c: 2, d: [2] });
  });

  it("keeps a key called __proto__ a key", () => {
    const { value } = parsed('{"__proto__": {"a": 1}}');
    expect(Object.keys(value ?? {})).toEqual(["__proto__"]);
  });

  it.each([
    ["an unclosed quote", 'a: "x', ["manifest_syntax 1:6"]],
    ["a tab as indentation", "a:\n\tb: 1", ["manifest_syntax 2:1"]],
    ["two documents", "a: 1\n---\nb: 2", ["manifest_syntax 2:1"]],
    ["an unknown tag", "a: !foo 1", ["manifest_syntax 1:4"]],
    ["JSON without a comma", '{\n  "a": 1\n  "b": 2\n}', ["manifest_syntax 3:3"]],
    ["JSON that ends early", '{"a": {"b": 1}', ["manifest_syntax 1:15"]],
    ["keys that stand twice", "a: 1\nb: 2\na: 3\nb: 4", ["key_duplicate 3:1", "key_duplicate 4:1"]],
    [
      "a number that is none",
      "a: .nan\nb: -.inf",
      ["number_not_finite 1:4", "number_not_finite 2:4"],
    ],
    ["an alias without an anchor", "a: *x", ["alias_unknown 1:4"]],
    ["an alias inside its anchor", "a: &x [*x]", ["alias_circular 1:8"]],
    ["an empty file", "", ["manifest_empty 1:1"]],
    ["a file of comments", "# nothing yet\n", ["manifest_empty 1:1"]],
    ["10,000 open brackets", "[".repeat(10_000), ["manifest_syntax 1:"]],
  ])("refuses %s, with its place", (_, text, expected) => {
    const found = briefPlaces(refused(text));
    expect(found).toHaveLength(expected.length);
    for (const [index, start] of expected.entries()) expect(found[index]).toContain(start);
  });

  it("refuses a bomb of aliases before it fills the memory", () => {
    const bomb = Array.from("bcdefghij", (name, i) => {
      const before = "abcdefghi"[i];
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
    });
    const problems = refused(["a: &a [x, x, x, x, x, x, x, x, x]", ...bomb].join("\n"));
    expect(brief(problems)).toEqual(["manifest_too_large"]);
  });

  it("refuses a text that would take minutes to parse", () => {
    const text = `a: "${"x".repeat(4_000_000)}"`;
    expect(brief(refused(text))).toEqual(["manifest_too_large"]);
  });

  it(
    "tells apart 50,000 keys without comparing each with every other",
    { tags: "long" },
    async () => {
      const keys = Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`);
      await expectWithin(10, () => {
        expect(Object.keys(parsed(keys.join("\n")).value ?? {})).toHaveLength(50_000);
      });
    },
  );

  it("refuses nesting that would exhaust the stack", () => {
    expect(brief(refused(`a: ${"[".repeat(150)}${"]".repeat(150)}`))).toEqual([
      "manifest_too_large",
    ]);
  });
});
