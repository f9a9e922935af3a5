import type { ComponentChildren } from "preact";
import { cutText } from "../src/base/cut-text.ts";
import type { PageText } from "../src/model/page.ts";

/**
 * Characters without a visible form: controls, marks that change the direction of writing, blanks without width, tags.
 * Joiners stay, because they combine several characters to one picture.
 */
const unseen =
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e007f}\p{Cs}\p{Co}]/gu;

/** A text from outside as plain text, with invisible characters written out. */
export function Plain({ text }: { readonly text: string }) {
  const plain = text.replaceAll("\r\n", "\n");
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of plain.matchAll(unseen)) {
    parts.push(plain.slice(from, found.index), <span class="unseen">{nameOf(found[0])}</span>);
    from = found.index + found[0].length;
  }
  parts.push(plain.slice(from));
  return <>{parts}</>;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code === 0x1b ? "ESC" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A sentence of Regrade's own, with its names and figures. */
export function Sentence({ words }: { readonly words: PageText }) {
  return (
    <>
      {words.map(({ kind, text }) => {
        switch (kind) {
          case "text":
            return <Plain text={text} />;
          case "name":
            return (
              <code>
                <Plain text={text} />
              </code>
            );
          case "strong":
            return (
              <strong>
                <Plain text={text} />
              </strong>
            );
        }
      })}
    </>
  );
}

const linesShown = 14;
const charactersShown = 1600;

/** A text of a case. A long text is cut until the reader asks for the rest. */
export function Body({ text, whole }: { readonly text: string; readonly whole: boolean }) {
  if (text === "") return <p class="none">(empty)</p>;
  const shown = whole ? text : beginningOf(text);
  return (
    <pre class="body" dir="auto">
      <Plain text={shown} />
      {shown.length < text.length ? " …" : ""}
    </pre>
  );
}

/** Whether `Body` cuts a text. */
export function isLong(text: string): boolean {
  return beginningOf(text).length < text.length;
}

function beginningOf(text: string): string {
  const lines = text.split("\n", linesShown + 3);
  const few = lines.length > linesShown + 2 ? lines.slice(0, linesShown).join("\n") : text;
  return few.length > charactersShown * 1.3 ? cutText(few, charactersShown) : few;
}
