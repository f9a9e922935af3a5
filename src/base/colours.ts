/** Control sequences as ECMA-48 has them: ESC [, parameters, one final letter. */
const sequence = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]`, "g");

/** A text without the sequences by which a program colours what it prints to a terminal. */
export function dropColours(text: string): string {
  return text.includes("\u001b") ? text.replace(sequence, "") : text;
}
