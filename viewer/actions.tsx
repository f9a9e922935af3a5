import { useSignal } from "@preact/signals";
import type { PageCase, PageRun } from "../src/model/page.ts";
import { quoteWord } from "../src/report/shell-word.ts";
import { markSeen } from "./seen.ts";
import { runAt } from "./state.ts";
import { keyOfCase } from "./words.ts";

/** Buttons to copy or link a case. */
export function Actions(open: {
  readonly run: PageRun;
  readonly i: number;
  readonly texts: PageCase | undefined;
  readonly isSeen: boolean;
}) {
  const { run, i, texts, isSeen } = open;
  const id = run.cases.id[i] ?? "";
  const command = `regrade show ${run.shownAs} ${id.startsWith("-") ? "-- " : ""}${quoteWord(id)}`;
  const json = (): string => JSON.stringify({ case_id: id, ...texts }, null, 2);
  return (
    <span class="actions">
      <button
        type="button"
        class="plain"
        onClick={() => markSeen(keyOfCase(run.cases, runAt.value, i), !isSeen)}
      >
        {isSeen ? "Mark as not seen" : "Mark as seen"}
      </button>
      <Copy name="Copy command" text={() => command} />
      {texts !== undefined && <Copy name="Copy JSON" text={json} />}
    </span>
  );
}

function Copy({ name, text }: { readonly name: string; readonly text: () => string }) {
  const done = useSignal("");
  const copy = (): void => {
    copyText(text()).then(
      () => (done.value = "Copied"),
      () => (done.value = "Could not copy"),
    );
    setTimeout(() => (done.value = ""), 1500);
  };
  return (
    <button type="button" class="plain" onClick={copy}>
      {done.value || name}
    </button>
  );
}

/** In some browsers a page that is a file has no clipboard: use the old way. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "aside";
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    if (!isDone) throw new Error("refused");
  }
}
