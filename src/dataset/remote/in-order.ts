/**
 * Results of numbered work in their order, some of it begun ahead: never more than `ahead` results are held or under way.
 * Leaving early, or an error, begins nothing more.
 */
export async function* inOrder<T>(
  count: number,
  ahead: number,
  work: (index: number) => Promise<T>,
): AsyncGenerator<T> {
  const under: Promise<T>[] = [];
  const begin = (index: number): void => {
    if (index >= count) return;
    const next = work(index);
    // It is waited for in its turn; until then it may fail.
    next.catch(() => undefined);
    under.push(next);
  };
  for (let index = 0; index < ahead; index += 1) begin(index);
  for (let index = ahead; ; index += 1) {
    const first = under.shift();
    if (first === undefined) return;
    const result = await first;
    begin(index);
    yield result;
  }
}
