import { lower } from "./told-answer.ts";

/** Words and numbers, of a text in small letters. */
export const word = /[\p{L}\p{N}]{2,}/gu;

/** The words that occur in what one case alone asks, with that case's position. */
export function ownersOf(
  cases: readonly { readonly asked: readonly string[] }[],
): ReadonlyMap<string, number> {
  const owners = new Map<string, number>();
  for (const [i, { asked }] of cases.entries())
    for (const found of new Set(lower(asked.join("\n")).match(word)))
      owners.set(found, owners.has(found) ? shared : i);
  return new Map([...owners].filter(([, owner]) => owner !== shared));
}

const shared = -1;
