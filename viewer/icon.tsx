import type { PageTone } from "../src/model/page.ts";

/** Different shapes, so that colours are not needed. */
const shapes: Readonly<Record<PageTone, string>> = {
  pass: "M4.5 8.5 7 11l4.5-5.5",
  fail: "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6",
  unsure: "M8 4.6v4.2M8 11.2v.2",
  neutral: "M5 8h6",
};

/** A mark next to a word with the same meaning. */
export function Icon({ tone }: { readonly tone: PageTone }) {
  return (
    <svg class={`icon ${tone}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <circle cx="8" cy="8" r="7.25" />
      <path d={shapes[tone]} />
    </svg>
  );
}
