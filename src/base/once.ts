/**
 * A value that is made when it is first asked for: an expression with classes of Unicode characters, or a table of locales,
 * takes up to 8 ms to make, and most starts need few of them.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
