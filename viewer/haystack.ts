import type { PageCase } from "../src/model/page.ts";
import { openedCase } from "./data.ts";

const haystacks = new WeakMap<PageCase, string>();

/** All texts of a case in lower case; empty if they have not been opened. */
export function haystackOf(run: number, i: number): string {
  const one = openedCase(run, i);
  if (one === undefined) return "";
  const known = haystacks.get(one);
  if (known !== undefined) return known;
  const parts = [one.prompt, one.target ?? "", ...[...one.now, ...one.before].map(textOf)];
  const made = parts.join("\n").toLowerCase();
  haystacks.set(one, made);
  return made;
}

function textOf({ output, extracted, judge, error, printed }: PageCase["now"][number]): string {
  const words = judge === null ? "" : JSON.stringify(judge);
  return [output ?? "", extracted ?? "", words, error?.message ?? "", printed ?? ""].join("\n");
}
