import { diffLines, diffWordsWithSpace } from "diff";
import type { ComponentChildren } from "preact";
import { Plain } from "./text.tsx";

/** Limit of edits: larger differences are unreadable, and take seconds to find. */
const mostEdits = 2000;
const patience = { timeout: 250, maxEditLength: mostEdits };

interface Part {
  readonly value: string;
  readonly added: boolean;
  readonly removed: boolean;
}

/** Changes between two texts, word by word; line by line if they are long or share little. */
export function findChanges(before: string, now: string): readonly Part[] {
  const isLong = before.length + now.length > 200_000;
  const words = isLong ? undefined : diffWordsWithSpace(before, now, patience);
  const found =
    (words && isReadable(words) ? words : undefined) ?? diffLines(before, now, patience);
  if (found !== undefined) return found;
  return [
    { value: before, added: false, removed: true },
    { value: now, added: true, removed: false },
  ];
}

/** Whether a word-by-word difference is readable: it is not if the texts share hardly any word. */
function isReadable(parts: readonly Part[]): boolean {
  const size = (some: readonly Part[]): number =>
    some.reduce((sum, { value }) => sum + value.trim().length, 0);
  const same = size(parts.filter(({ added, removed }) => !added && !removed));
  return parts.length < 8 || same * 3 > size(parts);
}

/** Both texts in one: removed parts are struck out, new ones underlined. */
export function InlineDiff({ before, now }: { readonly before: string; readonly now: string }) {
  return (
    <pre class="body" dir="auto">
      {findChanges(before, now).map((part) => marked(part))}
    </pre>
  );
}

/** Both texts beside each other; on a narrow screen, one below the other. */
export function SideBySide({ before, now }: { readonly before: string; readonly now: string }) {
  const parts = findChanges(before, now);
  return (
    <div class="sides">
      <div>
        <h4>Before</h4>
        <pre class="body" dir="auto">
          {parts.filter(({ added }) => !added).map((part) => marked(part))}
        </pre>
      </div>
      <div>
        <h4>Now</h4>
        <pre class="body" dir="auto">
          {parts.filter(({ removed }) => !removed).map((part) => marked(part))}
        </pre>
      </div>
    </div>
  );
}

function marked({ value, added, removed }: Part): ComponentChildren {
  const text = <Plain text={value} />;
  if (added) return <ins>{text}</ins>;
  return removed ? <del>{text}</del> : text;
}
