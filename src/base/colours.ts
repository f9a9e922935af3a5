import { once } from "./once.ts";

/** Control sequences by ECMA-48: ESC [, parameters, one final letter. */
const sequence = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]`, "g");

/** Removes colour sequences for terminals from a text. */
export function dropColours(text: string): string {
  return text.includes("\u001b") ? text.replace(sequence, "") : text;
}

/**
 * Text that a terminal does not show: control sequences, control strings and short escapes (ECMA-48, in both codings, ESC and
 * C1), a character that a backspace deletes, and characters without a width.
 */
const unseen = once(
  () =>
    new RegExp(
      [
        String.raw`(?:\u001b\[|\u009b)[0-?]*[ -\/]*[@-~]`,
        String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)`,
        String.raw`\u001b[ -\/]*[0-~]`,
        String.raw`[^\n]\u0008`,
        String.raw`[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\n\r\t]]`,
      ].join("|"),
      "gv",
    ),
);

/** True if `dropUnseen` may change the text, also if the text is JSON. */
export function mayHoldUnseen(text: string): boolean {
  return beyondPlain.test(text) && sign().test(text);
}

/** Found in every text with a sign, and made without Unicode's tables. */
const beyondPlain = /[^\n\r\t -~]|\\[bfu]/;
const sign = once(() => /[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\n\r\t]]|\\[bfu]/v);

/** Removes from a text all that a terminal or an editor does not display. */
export function dropUnseen(text: string): string {
  return mayHoldUnseen(text) ? text.replace(unseen(), "") : text;
}
