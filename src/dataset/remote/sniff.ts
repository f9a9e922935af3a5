/** Names the type of a file whose first bytes show that it has no rows; undefined if it may have rows. */
export function whatInstead(
  bytes: Uint8Array,
  contentType: string | undefined,
): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 512));
  for (const [mark, what] of marks) if (start.startsWith(mark)) return what;
  const text = start.replace(/^\u00EF\u00BB\u00BF/, "").trimStart();
  if (/^<(?:!doctype html|html|head|body|!--|\?xml|script)/i.test(text)) return "a web page (HTML)";
  return /^text\/html\b/i.test(contentType ?? "") && text.startsWith("<")
    ? "a web page (HTML)"
    : undefined;
}

const marks: readonly (readonly [string, string])[] = [
  ["\u001F\u008B", "compressed (gzip)"],
  ["PK\u0003\u0004", "a zip archive"],
  ["\u0028\u00B5\u002F\u00FD", "compressed (zstd)"],
  ["BZh", "compressed (bzip2)"],
  ["\u00FD7zXZ", "compressed (xz)"],
  ["PAR1", "a parquet file"],
  ["ARROW1", "an Arrow file"],
  ["version https://git-lfs.github.com", "a pointer of Git LFS, not the file itself"],
];
