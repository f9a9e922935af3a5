/** Lines as a batch grader is given them. */
export async function* lines(texts: Iterable<string>): AsyncGenerator<string> {
  for (const text of texts) yield text;
}
