/**
 * The keys of the first object of a text, and those of the objects right within it as `outer.inner`, as far as the text goes:
 * it may be the beginning of a large file. To tell formats apart, not to read them: bad JSON gives some keys, or none.
 */
export function keysIn(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  let depth = 0;
  let outer = "";
  for (const [token, key, mark] of text.matchAll(tokens)) {
    if (key !== undefined && depth === 1) outer = key;
    if (key !== undefined && depth <= 2) keys.add(depth === 1 ? key : `${outer}.${key}`);
    if (mark === "{" || mark === "[") depth += 1;
    if (mark === "}" || mark === "]") depth -= 1;
    if (depth === 0 && token === mark) break;
  }
  return keys;
}

/** A key, or another text, which may be cut off; or a bracket. */
const tokens = /"((?:[^"\\]|\\.)*)"\s*:|"(?:[^"\\]|\\.)*(?:"|$)|([{}[\]])/gs;
