import { posix } from "node:path";
import { assert, constantFrom, array, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { globFault, matchesName, parseGlob } from "../../src/base/glob.ts";

const path = { isPath: true, dot: false };
const matches = (pattern: string, text: string): boolean => parseGlob(pattern, path).matches(text);

describe("a glob over paths", () => {
  it.each([
    ["a/*/c", ["a/b/c"], ["a/c", "a/b/b/c", "a/.b/c"]],
    ["**", ["a", "a/b", "a/b/c"], [".a", "a/.b"]],
    ["**/x", ["x", "a/x", "a/b/x"], ["ax", ".a/x", "a/xx"]],
    ["a/**/x", ["a/x", "a/b/x", "a/b/c/x"], ["ax", "b/x"]],
    ["a/**", ["a/b", "a/b/c"], ["a", "b"]],
    ["a**b", ["ab", "axxb"], ["a/b"]],
    ["{**,y}/x", ["x", "a/b/x", "y/x"], ["ax"]],
    ["?.py", ["a.py"], ["ab.py", "..py"]],
    [".*", [".a"], ["a"]],
    ["[a-c]*", ["a", "cx"], ["d", "-"]],
    ["[!a-c]x", ["dx", "-x"], ["ax"]],
    ["[]x]", ["]", "x"], ["[", "a"]],
    ["[[:digit:]-]", ["7", "-"], ["a", ":"]],
    ["[a\\]b]", ["a", "]", "b"], ["\\"]],
    ["[ab", ["[ab"], ["a"]],
    ["a/[/]b", [], ["a//b"]],
    ["{a,b{c,d}}.py", ["a.py", "bc.py", "bd.py"], ["b.py"]],
    ["{a}", ["{a}"], ["a"]],
    ["{}", ["{}"], [""]],
    ["{a,b", ["{a,b"], ["a"]],
    ["a{,b}", ["a", "ab"], ["b"]],
    ["{1..3}", ["1", "3"], ["4", "1..3"]],
    ["{08..10}", ["08", "09", "10"], ["8"]],
    ["{9..1..4}", ["9", "5", "1"], ["8"]],
    ["{a..e..2}", ["a", "c", "e"], ["b"]],
    ["\\*", ["*"], ["a", "\\*"]],
    ["+(ab|c)", ["ab", "abc", "cc"], ["", "a"]],
    ["x*(a)", ["x", "xaa"], ["xb"]],
    ["x?(a)", ["x", "xa"], ["xaa"]],
    ["@(a|b)x", ["ax", "bx"], ["x", "abx"]],
    ["f(x)", ["f(x)"], ["fx"]],
    ["\u{1F600}?", ["\u{1F600}\u{1F601}"], ["\u{1F600}"]],
  ])("%s", (pattern, yes, no) => {
    expect(yes.filter((text) => !matches(pattern, text))).toEqual([]);
    expect(no.filter((text) => matches(pattern, text))).toEqual([]);
  });

  it("matches what Node's own glob matches", () => {
    const parts = [
      "a",
      "b",
      "/",
      ".",
      "*",
      "**",
      "?",
      "{a,b}",
      "{a/b,b}",
      "[ab]",
      "[!a]",
      "{1..2}",
    ];
    const pattern = array(constantFrom(...parts), { maxLength: 7 });
    const text = array(constantFrom("a", "b", "ab", ".a", "1"), { minLength: 1, maxLength: 4 });
    assert(
      property(record({ pattern, text }), (made) => {
        const glob = made.pattern.join("");
        // Steps that are empty or dots are taken out before a glob is matched.
        if (/(?:^|[/{,])\.{0,2}(?:[/},]|$)|\*\*\*|\*\*\{/.test(glob)) return true;
        const at = made.text.join("/");
        return matches(glob, at) === posix.matchesGlob(at, glob);
      }),
      { numRuns: 5000 },
    );
  });
});

describe("a glob over names", () => {
  it.each([
    ["*", ".a/b", true],
    ["meta-*", "meta-llama/llama-3", true],
    ["qa/[e]*", "qa/em", true],
    ["case [1]", "case [1]", true],
    ["a?c", "a/c", true],
    ["**/x", "x", false],
  ])("%s: %s is %s", (pattern, name, expected) => {
    expect(matchesName(name, pattern)).toBe(expected);
  });
});

describe("time", () => {
  const letters = "a".repeat(2000);
  it.each([
    ["stars", "*a".repeat(25), `${letters}b`],
    ["groups in groups", "+(*(a)|a)".repeat(50), `${letters}b`],
    ["deep groups", `${"+(".repeat(60)}*a${")".repeat(60)}`, `${letters}b`],
    ["braces", "{a,b}".repeat(300), "a".repeat(299)],
    ["steps", "**/".repeat(300) + "x", "a/".repeat(500)],
    ["open brackets", "{".repeat(2000), letters],
    ["open classes", "[".repeat(2000), letters],
    ["open groups", "+(".repeat(1000), letters],
  ])("grows with the length of %s, not with its power", (_, pattern, text) => {
    expect(matches(pattern, text)).toBe(false);
    expect(matchesName(text, pattern)).toBe(false);
  });

  it.each([
    ["a*".repeat(1001), "it is longer than 2000 characters"],
    ["{1..10001}", "{1..10001} stands for more than 10000 texts"],
    ["{1..5000}{1..5000}", "it stands for more than 10000 characters, its braces written out"],
    ["!(a|b)", "`!(…)` is not supported: write a pattern of the names that are meant"],
  ])("is bounded: %s is refused", (pattern, reason) => {
    expect(globFault(pattern)).toBe(reason);
    expect(() => parseGlob(pattern, path)).toThrow(reason);
  });
});
