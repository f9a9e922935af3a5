import { signal } from "@preact/signals";
import type { PageCases } from "../src/model/page.ts";
import { haystackOf } from "./haystack.ts";

/**
 * The result of a search by a regular expression. A worker searches, so that an expression that never ends can be
 * stopped.
 */
export interface Matches {
  readonly pattern: string;
  readonly state: "searching" | "found" | "too slow" | "refused";
  readonly cases: ReadonlySet<number>;
}

export const matches = signal<Matches | undefined>(undefined);

/** The expression between slashes; undefined if the text is plain, or if the expression is invalid. */
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
/**
 * Time limits. Ordinary expressions need some 50 milliseconds for 3 MB; a busy machine may take long to start the
 * worker.
 */
const mostMilliseconds = { toStart: 20_000, toSearch: 3000 };

const source = `onmessage = ({ data: { pattern, ids, texts } }) => {
  postMessage("started");
  const expression = new RegExp(pattern, "${flags}");
  postMessage(ids.flatMap((id, i) => (expression.test(id) || expression.test(texts[i]) ? [i] : [])));
};`;

/** Searches the cases' ids and open texts; the result is in `matches`. Returns a function that stops the search. */
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
    // A started worker keeps its script, so the address can be released.
    setTimeout(() => URL.revokeObjectURL(url), mostMilliseconds.toStart);
  }
}
