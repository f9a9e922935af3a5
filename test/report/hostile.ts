/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What attacks are made of: commands, markup, things that can't be seen, halves of characters. */
const pieces = [
  "::",
  ":",
  "##[",
  "#[",
  "#",
  "[",
  "]",
  "set-output name=passed",
  "error",
  "add-mask",
  "add-matcher",
  "stop-commands",
  "set-env name=X",
  "::error file=a::b",
  "##[set-output name=a]b",
  "\n",
  "\r",
  "\r\n",
  "\t",
  " ",
  "\u000b",
  "\u000c",
  "\u0085",
  "\u00a0",
  "\u2028",
  "\u2029",
  "\u200b",
  "\u200d",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\u202e",
  "\u2066",
  "\u034f",
  "\u3164",
  "\ufe0f",
  "\u180e",
  "\u0000",
  "\u001b[31m",
  "\u001b[2K",
  "\u001b]8;;http://x\u0007",
  "\u001b",
  "\u009b",
  "\ud83d",
  "\ude00",
  "😀",
  "👩‍👩‍👧",
  "é",
  "e\u0301",
  "語",
  "a",
  "0",
  "-",
  "--",
  "`",
  "```",
  "````",
  "~~~",
  "|",
  "\\",
  "\\|",
  "<",
  ">",
  "</details>",
  "<script>",
  "<!--",
  "-->",
  "&",
  "&amp;",
  "&#124;",
  "*",
  "**",
  "_",
  "![x](http://e.vil/p.png)",
  "[a](javascript:b)",
  "@team",
  "a@b.example",
  "#12",
  "GH-7",
  "owner/repo#1",
  "deadbeef1",
  "https://e.vil",
  "www.e.vil",
  "$x$",
  "> [!NOTE]",
  "1. ",
  "---",
  "===",
] as const;

/** A text of about `size` characters. */
export function hostileText(next: () => number, size: number): string {
  const parts: string[] = [];
  let length = 0;
  while (length < size) {
    const piece = pieces[Math.floor(next() * pieces.length)] ?? "";
    parts.push(piece);
    length += piece.length;
  }
  return parts.join("");
}
