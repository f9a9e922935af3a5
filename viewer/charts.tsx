import type { PageRun } from "../src/model/page.ts";

/** Drawings that filter on a click. */
export function Charts(_shown: { readonly run: PageRun }) {
  return null;
}
