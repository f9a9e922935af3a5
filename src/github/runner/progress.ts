import { plural } from "../../model/number-words.ts";
import type { Progress, Report } from "../../model/ports/progress.ts";
import { isPauseTold } from "../../report/terminal/progress.ts";

/**
 * Interval of progress lines. A CI log keeps every line, and one per interval is enough to show that the run is alive.
 */
const quietMilliseconds = 15_000;

/** Reports progress as plain lines for a CI log: the start of each task, then its progress from time to time. */
export function createProgress(say: (line: string) => void, now: () => number): Report {
  let total = 0;
  let done = 0;
  let errors = 0;
  let usd: number | undefined;
  let spokeAt = now();
  const toldAt = new Map<string, number>();
  return (progress: Progress): void => {
    switch (progress.kind) {
      case "task_started":
        total = progress.samples;
        done = 0;
        errors = 0;
        usd = undefined;
        spokeAt = now();
        say(`${progress.suite}, task ${progress.task}: ${total} ${plural(total, "sample")}`);
        return;
      case "sample_finished":
        done += 1;
        errors += progress.failed ? 1 : 0;
        if (progress.usd !== undefined) usd = (usd ?? 0) + progress.usd;
        if (now() - spokeAt < quietMilliseconds) return;
        spokeAt = now();
        say(
          `${progress.task}: ${done} of ${total} samples${errors > 0 ? `, ${errors} with errors` : ""}${usd === undefined ? "" : `, $${usd.toFixed(2)}`}`,
        );
        return;
      case "throttled":
        if (!isPauseTold(progress.seconds, now() - (toldAt.get(progress.provider) ?? -Infinity)))
          return;
        toldAt.set(progress.provider, now());
        say(`${progress.provider} asks to wait ${Math.ceil(progress.seconds)} s`);
        return;
      case "note":
        say(progress.text);
        return;
      case "warning":
        say(`Warning: ${progress.text}`);
    }
  };
}
