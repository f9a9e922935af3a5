/**
 * An upper bound of the number of tokens of a text. English has 4 letters a token or more, but data has fewer: with
 * OpenAI's o200k_base, numbers and brackets go down to one character a token, random letters to 1.6 letters a token,
 * rare scripts and emoji to 1.4 bytes. No tokenizer of these models makes more tokens than there are bytes.
 */
export function mostTokens(text: string): number {
  let letters = 0;
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (isLetter(unit)) letters += 1;
    else bytes += bytesOf(unit);
  }
  return Math.ceil(letters / lettersPerToken) + bytes;
}

const lettersPerToken = 1.5;

/** True for an ASCII letter, and for the space. */
function isLetter(unit: number): boolean {
  const small = unit | 0x20;
  return (small >= 0x61 && small <= 0x7a) || unit === 0x20;
}

/** Bytes of a UTF-16 unit in UTF-8; two surrogates have 4 together. */
function bytesOf(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}
