import { RE2JS, RE2JSSyntaxException } from "re2js";

/** A pattern of RE2: matching takes time in proportion to the text, for every pattern and every text. */
export interface Pattern {
  readonly matches: (text: string) => boolean;
}

/** Compiles a pattern, or says why it is invalid. Only this file imports re2js. */
export function compilePattern(pattern: string): Pattern | { readonly fault: string } {
  try {
    const compiled = RE2JS.compile(pattern);
    return { matches: (text) => compiled.test(text) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { fault: error.message };
    throw error;
  }
}
