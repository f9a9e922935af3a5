import { cutText } from "../base/cut-text.ts";
import { dropColours } from "../base/colours.ts";
import { once } from "../base/once.ts";

/**
 * The only place where text from outside (data sets, models, graders, file names) is made harmless before people or
 * machines read it as markdown or as a log.
 */

/** GitHub finds no mentions or references across this character, and readers don't see it. */
const breaker = "&#8203;";

/**
 * Text as one line of markdown that shows exactly itself: in a paragraph, a list item or a table cell.
 * Not blocked: `:emoji:` names, and link prefixes that an organisation defined for itself (`TICKET-12`).
 */
export function escapeMarkdown(text: string): string {
  return beginLine(escapeInline(oneLine(text).trim()));
}

/** Escaped text at the start of a line or of a list item: it does not start a list. */
export function beginLine(escaped: string): string {
  return escaped.replace(/^(\d{1,9})([.)])/, "$1\\$2").replace(/^[-+=]/, "\\$&");
}

/** Like `escapeMarkdown`, for a part of a line: keeps the surrounding blanks. */
export function escapeInline(text: string): string {
  return oneLine(text).replace(special, (found) => {
    if (/^[`*_~[\]]$/.test(found)) return `\\${found}`;
    return found === "#" ? `\\#${breaker}` : inert(found);
  });
}

/** Escapes characters with a meaning in HTML, or in GitHub's references. */
function inert(found: string): string {
  if (/^[&<>|\\$]$/.test(found)) return entity(found);
  // No part may be long enough to look like a shorter commit name.
  if (found.length > 1) return found.replace(/.{4}(?=.)/g, `$&${breaker}`);
  if (found === ".") return `${breaker}.`;
  // GitHub looks for `@`, `://` and `GH-` in the finished page too, where an entity does not help.
  return `${found}${breaker}`;
}

const special = new RegExp(
  [
    String.raw`[\`*_~\[\]&<>|\\$#@]`,
    String.raw`:(?=//)`,
    String.raw`(?<=www)\.`,
    String.raw`(?<=(?<![0-9A-Za-z])GH(?:SA)?)-(?=\w)`,
    // A commit's name, or a text that looks like one.
    String.raw`(?<![0-9A-Za-z])(?=\d*[a-f])[0-9a-f]{7,40}(?![0-9A-Za-z])`,
  ].join("|"),
  "gi",
);

/**
 * Text as inline code, in a paragraph or a table cell. Uses backticks if possible; HTML if it has a backtick, a pipe or a
 * backslash (renderers of tables disagree on these), the start of a runner's command (see `escapeLog`), or of an HTML
 * comment, which marks the parts of a pull request's comment.
 */
export function codeSpan(text: string): string {
  const line = oneLine(text).trim();
  return line !== "" && !/[`|\\]|#\[|<!--/.test(line) ? `\`${line}\`` : htmlCode(text);
}

/** Text as `<code>`: for `<summary>` and other HTML, where markdown is not read. */
export function htmlCode(text: string): string {
  const line = oneLine(text).trim();
  if (line === "") return "<code>(empty)</code>";
  const inside = line.replace(/[!-,:-@[-`{-~]|\.(?=\S)/g, entity);
  return `<code>${inside.replaceAll("&#64;", `&#64;${breaker}`)}</code>`;
}

/** Text for `<summary>` and other HTML, where markdown is not read, but GitHub's references are. */
export function htmlText(text: string): string {
  return oneLine(text)
    .trim()
    .replace(special, (found) => {
      if (found === "#") return `${entity(found)}${breaker}`;
      return /^[`*_~[\]]$/.test(found) ? entity(found) : inert(found);
    });
}

/**
 * A link; `text` is escaped markdown. Only web addresses become links, with special characters of markdown and HTML
 * percent-encoded.
 */
export function link(text: string, url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return text;
  const { protocol, href } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return text;
  const safe = href.replace(
    /[^\w:/?#=%.~+,;@&-]/g,
    (found) => `%${(found.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`,
  );
  return `[${text}](${safe.replaceAll("&", "&amp;")})`;
}

/** Text as a fenced block, even if it contains fences. */
export function fence(text: string, language = "text"): string {
  // Escaped like a log: a summary is printed by `regrade report`, and by workflow steps with `cat summary.md`. A line
  // with an HTML comment could pass for a marker of a pull request's comment.
  const lines = escapeLog(text).replaceAll("<!--", String.raw`<\!--`);
  let longest = 2;
  for (const [run] of lines.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${lines}${lines.endsWith("\n") ? "" : "\n"}${marks}`;
}

/**
 * Text for a terminal or a CI log, with its lines. Contains no escape sequence, and nothing that GitHub's runner reads
 * as a command: `::name::` at a line's start, `##[name]` anywhere (actions/runner, Runner.Common/ActionCommand.cs,
 * looks there, after trimming white space). The runner compares by culture, which skips characters without weight:
 * these are written out as escapes. Escaping twice changes nothing. Not blocked: problem matchers that an earlier step
 * of the job registered read every line of the log.
 */
export function escapeLog(text: string): string {
  // `#[` is escaped, not only `##[`, because the text before it may end in `#`.
  return shown(text)
    .replaceAll("#[", "#\\[")
    .replace(/^([^\S\n]*)::/gm, "$1\\::");
}

/**
 * One line of JSON that is safe in a log: parsing gives the same value, and it is as harmless as text from `escapeLog`. A
 * line that starts with a brace is no `::name::` command.
 */
export function escapeJson(json: string): string {
  return replaceUnseen(json.replaceAll("#[", "#\\u005b"), (found) =>
    Array.from({ length: found.length }, (_, i) => {
      const unit = found.charCodeAt(i).toString(16);
      return `\\u${unit.padStart(4, "0")}`;
    }).join(""),
  );
}

/** Like `escapeLog`, but in one line. */
export function escapeLogLine(text: string): string {
  return escapeLog(oneLine(text));
}

/**
 * Text for XML, in an element or in an attribute between double quotes: colours are removed, invisible characters
 * written out as escapes.
 */
export function escapeXml(text: string): string {
  return shown(text).replace(/[&<>"']/g, (found) => entity(found));
}

/** Like `escapeXml`, but for an attribute, where a parser reads a line break as a blank. */
export function escapeXmlAttribute(text: string): string {
  return escapeXml(text).replace(/[\n\t]/g, (found) => entity(found));
}

/** The first `max` UTF-16 units of a text, never a part of a character, and how much is left out. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = cutText(text, max);
  return `${start} … (${text.length - start.length} more characters)`;
}

function oneLine(text: string): string {
  return shown(text).replace(/\s+/g, " ");
}

/** Removes colours; other invisible characters, and those that change how others look, are written out. */
function shown(text: string): string {
  return replaceUnseen(dropColours(text.replaceAll("\r\n", "\n")), (found) => {
    const code = found.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  });
}

function replaceUnseen(text: string, write: (found: string) => string): string {
  return beyondPlain.test(text) ? text.replace(unseen(), write) : text;
}

/** Found in every text with something unseen, and made without Unicode's tables: most texts are ASCII, Latin and dashes. */
const beyondPlain = /[^\n\t -~\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u22ff]/;

/**
 * Controls, bidi and other format characters, fillers, line and paragraph separators, halves of surrogate pairs.
 * Joiners and variation selectors stay where scripts and emoji need them: after a letter, a mark, a pictograph.
 */
const unseen = once(
  () =>
    new RegExp(
      [
        String.raw`(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d\ufe0e\ufe0f]`,
        String.raw`(?<=[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0])[\u200c\u200d\ufe0e\ufe0f]`,
        String.raw`(?![\n\t\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
      ].join("|"),
      "gu",
    ),
);

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
