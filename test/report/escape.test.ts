import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import {
  clip,
  codeSpan,
  escapeInline,
  escapeLog,
  escapeLogLine,
  escapeMarkdown,
  fence,
  htmlCode,
} from "../../src/report/escape.ts";
import { hostileText, random } from "./hostile.ts";

const z = "&#8203;";

describe("markdown shows a text from outside as it is", () => {
  it.each([
    ["plain words, 88.8% (−5.0 points)!", "plain words, 88.8% (−5.0 points)!"],
    ["a | b", "a &#124; b"],
    [String.raw`a\|b`, "a&#92;&#124;b"],
    ["`code`", "\\`code\\`"],
    ["*a* _b_ ~c~", "\\*a\\* \\_b\\_ \\~c\\~"],
    ["<img src=x onerror=y>", "&#60;img src=x onerror=y&#62;"],
    ["</details><!--", "&#60;/details&#62;&#60;!--"],
    ["&lt;b&gt;", "&#38;lt;b&#38;gt;"],
    ["![x](http://e.vil/p.png)", `!\\[x\\](http:${z}//e.vil/p.png)`],
    ["www.e.vil", `www${z}.e.vil`],
    ["a@b.example", `a@${z}b.example`],
    ["@team/all", `@${z}team/all`],
    ["owner/repo#12", `owner/repo\\#${z}12`],
    ["GH-12 gh-3", `GH-${z}12 gh-${z}3`],
    ["fixed by deadbeef1", `fixed by dead${z}beef${z}1`],
    ["$x^2$", "&#36;x^2&#36;"],
    ["> [!NOTE]", "&#62; \\[!NOTE\\]"],
    ["# title", `\\#${z} title`],
    ["- item", "\\- item"],
    ["+ item", "\\+ item"],
    ["1. item", "1\\. item"],
    ["2) item", "2\\) item"],
    ["===", "\\==="],
    ["a\nb\r\nc\td", "a b c d"],
    ["pay\u202Etxt.exe", "pay&#92;u202etxt.exe"],
    ["a\u0000b\u200bc", "a&#92;u0000b&#92;u200bc"],
    ["half \ud83d", "half &#92;ud83d"],
    ["\u001b[31mred\u001b[0m", "red"],
    ["👩‍👩‍👧 🏳️‍🌈 می‌خواهم", "👩‍👩‍👧 🏳️‍🌈 می‌خواهم"],
    ["", ""],
  ])("%j", (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });

  it("keeps the blanks around a piece of a sentence, and its sign", () => {
    expect(escapeInline(" (+0.4 points ")).toBe(" (+0.4 points ");
    expect(escapeInline("+0.4 points")).toBe("+0.4 points");
  });
});

describe("inline code holds a text from outside as it is", () => {
  it.each([
    ["refund-017", "`refund-017`"],
    ["qa/exact_match · a=b", "`qa/exact_match · a=b`"],
    ["a|b", "<code>a&#124;b</code>"],
    ["a`b", "<code>a&#96;b</code>"],
    ["``a````b`", "<code>&#96;&#96;a&#96;&#96;&#96;&#96;b&#96;</code>"],
    ["a\\", "<code>a&#92;</code>"],
    ["a\nb", "`a b`"],
    ["<b>", "`<b>`"],
    ["  ", "<code>(empty)</code>"],
    ["\u202e", "<code>&#92;u202e</code>"],
  ])("%j", (text, escaped) => {
    expect(codeSpan(text)).toBe(escaped);
  });

  it("is HTML where markdown is not read", () => {
    expect(htmlCode("</summary>@a")).toBe(`<code>&#60;/summary&#62;&#64;${z}a</code>`);
  });
});

describe("a fence holds whatever fences are in it", () => {
  it.each([
    ["a", "```text\na\n```"],
    ["a\n", "```text\na\n```"],
    ["```", "````text\n```\n````"],
    ["x ``````` y", "````````text\nx ``````` y\n````````"],
    ["a\rb\u202e", "```text\na\\u000db\\u202e\n```"],
  ])("%j", (text, fenced) => {
    expect(fence(text)).toBe(fenced);
  });
});

describe("a clipped text", () => {
  it("never ends in half a character", () => {
    expect(clip("ab🙂cd", 3)).toBe("ab … (4 more characters)");
    expect(clip("ab🙂cd", 4)).toBe("ab🙂 … (2 more characters)");
    expect(clip("abc", 3)).toBe("abc");
  });
});

const attacks = [
  "::error::x",
  "  ::error::x",
  "\t\u00a0\u3000::error::x",
  "\u0085::error::x",
  "\u2028::error::x",
  "\u000b\u000c::error::x",
  "\ufeff::error::x",
  "\u200b::error::x",
  ":\u200d:error::x",
  "::set-output name=passed::true",
  "::add-mask::1",
  "::stop-commands::token",
  "text\n::error::x",
  "text\r::error::x",
  "text\r\n::error::x",
  "text\u2028::error::x",
  "\u001b[2K::error::x",
  "##[error]x",
  "> ##[set-output name=passed]true",
  "| text ##[add-mask]1",
  "###[error]x",
  "##\u200b[error]x",
  "#\u00ad#[error]x",
  "##\u034f[error]x",
  "##\ufe0f[error]x",
  "#\u001b[0m#[error]x",
  "##\u001b[0m[error]x",
  "##[set-env name=NODE_OPTIONS]--require=/tmp/x",
  "##[ERROR]x",
  "::ERROR::x",
];

describe("a log line is never a command to GitHub's runner", () => {
  it.each(attacks)("%j", (attack) => {
    expect(commandsIn(attack)).not.toEqual([]);
    expect(commandsIn(escapeLog(attack))).toEqual([]);
    expect(commandsIn(escapeLogLine(attack))).toEqual([]);
    for (const before of ["#", "##", " ", "# "]) {
      expect(commandsIn(before + escapeLog(attack).trimStart())).toEqual([]);
    }
  });

  it("holds for 10,000 random hostile texts, and escaping twice changes nothing", () => {
    const next = random(20_260_714);
    let dangerous = 0;
    for (let i = 0; i < 10_000; i += 1) {
      const text = hostileText(next, 1 + next() * 80);
      const escaped = escapeLog(text);
      if (commandsIn(text).length > 0) dangerous += 1;
      expect(commandsIn(escaped), JSON.stringify(text)).toEqual([]);
      expect(escapeLog(escaped)).toBe(escaped);
      expect(escaped.isWellFormed()).toBe(true);
      expect(escaped).not.toMatch(/[^\P{Cc}\n\t]/u);
    }
    // Otherwise these texts would prove nothing.
    expect(dangerous).toBeGreaterThan(1000);
  });

  it("is none that dropping the colours puts together either", () => {
    const attack = "#\u001b\u001b[0m[1m#[error]x \u001b[\u001b[0m1m";
    expect(commandsIn(escapeLog(attack))).toEqual([]);
    expect(escapeLog(attack)).not.toContain("\u001b");
  });

  it("writes out each character that is not seen, and no other one", () => {
    const joiners = ["\n", "\t", "\u200c", "\u200d", "\ufe0e", "\ufe0f"];
    const isUnseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
    const wrong = Array.from({ length: 0x10_000 }, (_, unit) => String.fromCharCode(unit)).filter(
      (each) => {
        const isLeft = escapeLog(`a${each}b`) === `a${each}b`;
        return isLeft !== (joiners.includes(each) || !isUnseen.test(each));
      },
    );
    expect(wrong).toEqual([]);
  });

  it("leaves ordinary text alone", () => {
    const text = "a::b, #1, [x], 50 %, std::vector\n  indented\t→ ✓ 👩‍👩‍👧";
    expect(escapeLog(text)).toBe(text);
  });

  it("shows what it has taken the power from", () => {
    expect(escapeLog("::error::x ##[y]")).toBe(String.raw`\::error::x ##\[y]`);
    expect(escapeLog("\u001b]0;title\u0007")).toBe(String.raw`\u001b]0;title\u0007`);
    expect(escapeLogLine("a\nb")).toBe("a b");
  });
});

/**
 * What actions/runner would take as commands: a port of TryParseV2 and TryParse of
 * src/Runner.Common/ActionCommand.cs, on the lines that .NET's StreamReader gives it. .NET compares strings
 * there by culture, which skips characters without weight; so both readings are tried.
 */
function commandsIn(output: string): readonly string[] {
  const weightless = new RegExp(
    String.raw`(?![\n\r\t\v\f\u0085])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]`,
    "gu",
  );
  // And what would be left where somebody drops the colours first.
  const readings = [output, output.replace(weightless, ""), stripVTControlCharacters(output)];
  return readings.flatMap((text) =>
    // Unicode's separators too: whoever splits there must not find a command either.
    text
      .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
      .flatMap((line) => colonCommand(line).concat(bracketCommand(line))),
  );
}

const registered = new Set([
  "add-mask",
  "add-matcher",
  "add-path",
  "debug",
  "echo",
  "endgroup",
  "error",
  "group",
  "notice",
  "remove-matcher",
  "save-state",
  "set-env",
  "set-output",
  "stop-commands",
  "warning",
]);

function colonCommand(line: string): readonly string[] {
  const message = line.replace(/^[\s\u0085]+/u, "");
  if (!message.startsWith("::")) return [];
  const end = message.indexOf("::", 2);
  return end < 0 ? [] : known(message.slice(2, end));
}

function bracketCommand(line: string): readonly string[] {
  const start = line.indexOf("##[");
  const end = start < 0 ? -1 : line.indexOf("]", start);
  return end < 0 ? [] : known(line.slice(start + 3, end));
}

/** Any name counts where the text is an attack's: an earlier version of the runner may know more of them. */
function known(info: string): readonly string[] {
  const name = (info.split(" ")[0] ?? "").trim().toLowerCase();
  return registered.has(name) ? [name] : [];
}
