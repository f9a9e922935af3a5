import { signal } from "@preact/signals";

/** Cases that the reader has looked at, by run and case: stored only in this browser. */
export const seen = signal<ReadonlySet<string>>(new Set());

/** Number of marks that a browser keeps. */
const mostKept = 5000;

let place = "";

/** Reads the marks of a page. If the browser refuses storage, the marks last until the page is closed. */
export function openSeen(ids: readonly string[]): void {
  place = `regrade-seen ${ids.join(" ")}`;
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "[]");
    const keys = Array.isArray(kept) ? kept.filter((key) => typeof key === "string") : [];
    seen.value = new Set(keys);
  } catch {
    seen.value = new Set();
  }
}

/** Marks a case, or removes its mark. */
export function markSeen(key: string, isSeen: boolean): void {
  if (seen.value.has(key) === isSeen) return;
  const next = new Set(seen.value);
  if (isSeen) next.add(key);
  else next.delete(key);
  seen.value = next;
  try {
    localStorage.setItem(place, JSON.stringify([...next].slice(-mostKept)));
  } catch {
    // Storage is refused or full: the marks last until the page is closed.
  }
}
