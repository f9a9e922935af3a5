/**
 * The text before the first stop sequence, as a provider that supports them would return it. The earliest position in
 * the text counts, not the order of the list.
 */
export function cutAtStop(text: string, stop: readonly string[] = []): string {
  if (stop.length === 0) return text;
  const places = stop.flatMap((each) => {
    const place = each === "" ? -1 : text.indexOf(each);
    return place === -1 ? [] : [place];
  });
  return places.length === 0 ? text : text.slice(0, Math.min(...places));
}
