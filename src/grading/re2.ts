import { RE2JS, RE2JSSyntaxException } from "re2js";

/** A pattern of RE2, which takes time in proportion to the text, whatever the two are. */
export interface Pattern {
  readonly matches: (text: string) => boolean;
}

/** The pattern, or why it is none. Only this file imports re2js. */
export function compilePattern(pattern: string): Pattern | { readonly fault: string } {
  try {
    const compiled = RE2JS.compile(pattern);
    return { matches: (text) => compiled.test(text) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { fault: error.message };
    throw error;
  }
}
