import { signal } from "@preact/signals";
import type { PageCases } from "../src/model/page.ts";
import { haystackOf } from "./haystack.ts";

/** The search by a regular expression. Its cases are found elsewhere, so that one that never ends can be stopped. */
export interface Matches {
  readonly pattern: string;
  readonly state: "searching" | "found" | "too slow" | "refused";
  readonly cases: ReadonlySet<number>;
}

export const matches = signal<Matches | undefined>(undefined);

/** The expression between slashes; undefined: the text is to be found as it is, as one that is not valid. */
export function patternOf(text: string): string | undefined {
  const [, pattern] = /^\/(.+)\/$/s.exec(text) ?? [];
  return pattern !== undefined && isValid(pattern) ? pattern : undefined;
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

const flags = "iu";
/** An expression that is no trap needs some 50 milliseconds for 3 MB; a busy machine may take long to start. */
const mostMilliseconds = { toStart: 20_000, toSearch: 3000 };

const source = `onmessage = ({ data: { pattern, ids, texts } }) => {
  postMessage("started");
  const expression = new RegExp(pattern, "${flags}");
  postMessage(ids.flatMap((id, i) => (expression.test(id) || expression.test(texts[i]) ? [i] : [])));
};`;

/** Searches the cases' ids and open texts; the result is in `matches`. Returns how to stop it. */
export function searchCases(cases: PageCases, run: number, pattern: string): () => void {
  const end = (state: Matches["state"], found: readonly number[] = []): void => {
    matches.value = { pattern, state, cases: new Set(found) };
  };
  end("searching");
  const worker = startWorker();
  if (worker === undefined) {
    end("refused");
    return () => undefined;
  }
  let timer = setTimeout(giveUp, mostMilliseconds.toStart);
  function stop(): void {
    clearTimeout(timer);
    worker?.terminate();
  }
  function giveUp(): void {
    stop();
    end("too slow");
  }
  worker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (Array.isArray(data)) {
      stop();
      end(
        "found",
        data.filter((i) => typeof i === "number"),
      );
    } else {
      clearTimeout(timer);
      timer = setTimeout(giveUp, mostMilliseconds.toSearch);
    }
  });
  worker.addEventListener("error", () => {
    stop();
    end("refused");
  });
  const ids = cases.id.map((id) => id.toLowerCase());
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  worker.postMessage({ pattern, ids, texts: ids.map((_, i) => haystackOf(run, i)) });
  return stop;
}

function startWorker(): Worker | undefined {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return new Worker(url);
  } catch {
    return undefined;
  } finally {
    // What has been started keeps its script.
    setTimeout(() => URL.revokeObjectURL(url), mostMilliseconds.toStart);
  }
}
