import { go, route } from "./route.ts";
import { back, step } from "./state.ts";

/** Keys of the page: j and k step through the list, f focuses the search, Escape goes back. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    const { target } = event;
    const isTyping =
      target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");
    if (event.key === "Escape") {
      if (isTyping && target instanceof HTMLElement) target.blur();
      else back();
      return;
    }
    if (isTyping) return;
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

const keys: Readonly<Record<string, () => void>> = {
  j: () => step(1),
  k: () => step(-1),
  f: toSearch,
  "/": toSearch,
};

function toSearch(): void {
  if (route.value.view !== "cases") go({ view: "cases" });
  // If the list was hidden, it must be drawn first.
  requestAnimationFrame(() => document.getElementById("search")?.focus());
}
