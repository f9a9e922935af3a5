import type { Progress } from "../../model/ports/progress.ts";
import { clip, escapeLogLine } from "../escape.ts";
import { count, duration, usd } from "../words/figures.ts";

/** Progress of a run. Times are milliseconds of one clock. */
interface ProgressState {
  readonly task: TaskProgress | undefined;
  /** Provider that asked for a pause, and its end. */
  readonly pause: { readonly provider: string; readonly untilMs: number } | undefined;
  /** When a log last got a line about a pause, by provider. */
  readonly toldMs: Readonly<Record<string, number>>;
}

interface TaskProgress {
  readonly id: string;
  readonly samples: number;
  readonly done: number;
  /** Samples that were not scored: failed, invalid or ungraded. */
  readonly errors: number;
  /** undefined until something has a known cost. */
  readonly usd: number | undefined;
  readonly startedMs: number;
}

export const noProgress: ProgressState = {
  task: undefined,
  pause: undefined,
  toldMs: {},
};

/** The state after an event. Samples of a task that was not announced are ignored. */
export function advance(state: ProgressState, event: Progress, nowMs: number): ProgressState {
  switch (event.kind) {
    case "task_started":
      return { ...state, task: startOf(event, state.task, nowMs) };
    case "sample_finished": {
      const { task } = state;
      if (task === undefined || task.id !== event.task) return state;
      const errors = task.errors + (event.failed ? 1 : 0);
      const cost = event.usd === undefined ? task.usd : (task.usd ?? 0) + event.usd;
      return { ...state, task: { ...task, done: task.done + 1, errors, usd: cost } };
    }
    case "throttled": {
      const { provider, seconds } = event;
      const pause = { provider, untilMs: nowMs + seconds * 1000 };
      const told = isPauseTold(seconds, nowMs - (state.toldMs[provider] ?? -Infinity));
      return { ...state, pause, ...(told && { toldMs: { ...state.toldMs, [provider]: nowMs } }) };
    }
    case "note":
    case "warning":
      return state;
  }
}

/** A log keeps every line: short pauses, which a rate limit causes each second, get one line per interval. */
const quietMilliseconds = 15_000;

/** Whether a pause gets a line of its own in a log, given the time since the provider's last one. */
export function isPauseTold(seconds: number, sinceToldMs: number): boolean {
  return sinceToldMs >= quietMilliseconds || seconds * 1000 >= quietMilliseconds;
}

/** Both sides of a drop that is run again have the same task, and run at the same time: they are counted together. */
function startOf(
  event: Extract<Progress, { readonly kind: "task_started" }>,
  running: TaskProgress | undefined,
  nowMs: number,
): TaskProgress {
  const { task: id, samples } = event;
  if (running?.id === id && running.done < running.samples)
    return { ...running, samples: running.samples + samples };
  return { id, samples, done: 0, errors: 0, usd: undefined, startedMs: nowMs };
}

/** The line that a terminal redraws, at most `width` characters; empty before the first task. */
export function progressLine(state: ProgressState, nowMs: number, width: number): string {
  const { task, pause } = state;
  if (task === undefined) return "";
  const waitMs = pause === undefined ? 0 : pause.untilMs - nowMs;
  const parts = [
    `${shortName(task.id)} ${count(task.done)}/${count(task.samples)}`,
    ...troubleAndCost(task),
    ...(pause !== undefined && waitMs > 0 ? [pauseWords(pause.provider, waitMs / 1000)] : []),
    ...pace(task, nowMs),
  ];
  return parts.join(" · ").slice(0, Math.max(0, width));
}

/**
 * The lines that a CI log shows for an event; `state` is the state after it. A log has lines when a task starts, at
 * every tenth of it, and when it ends; for a provider's short pauses at intervals, and for every long one; and for
 * every warning.
 */
export function progressLogLines(
  state: ProgressState,
  event: Progress,
  nowMs: number,
): readonly string[] {
  switch (event.kind) {
    case "task_started":
      return [`${shortName(event.task)}: ${count(event.samples)} samples`];
    case "sample_finished":
      return state.task?.id === event.task ? tenthLine(state.task, nowMs) : [];
    case "throttled":
      return (state.toldMs[event.provider] ?? nowMs) === nowMs
        ? [pauseWords(event.provider, event.seconds)]
        : [];
    case "note":
      return [escapeLogLine(event.text)];
    case "warning":
      return [`warning: ${escapeLogLine(oneLine(event.text))}`];
  }
}

/** Joins problem and hint, which are on separate lines, as two sentences. */
function oneLine(text: string): string {
  return text.replaceAll(/(?<![.!?:;,])\n +/g, ". ");
}

function pauseWords(provider: string, seconds: number): string {
  return `${shortName(provider)} asks to wait ${duration(seconds)}`;
}

function troubleAndCost({ errors, usd: cost }: TaskProgress): readonly string[] {
  return [
    // A neutral word, because the counts at the end show the specific outcomes.
    ...(errors > 0 ? [`${count(errors)} with errors`] : []),
    ...(cost === undefined ? [] : [usd(cost)]),
  ];
}

function tenthLine(task: TaskProgress, nowMs: number): readonly string[] {
  const tenth = (done: number): number => Math.floor((done * 10) / task.samples);
  if (task.done < task.samples && tenth(task.done) === tenth(task.done - 1)) return [];
  const head = `${shortName(task.id)}: ${count(task.done)} of ${count(task.samples)}`;
  if (task.done >= task.samples) {
    const took = `done in ${duration((nowMs - task.startedMs) / 1000)}`;
    return [[`${head} ${took}`, ...troubleAndCost(task)].join(", ")];
  }
  const percent = `(${Math.floor((task.done * 100) / task.samples)}%)`;
  return [[`${head} ${percent}`, ...troubleAndCost(task), ...pace(task, nowMs)].join(", ")];
}

/** Samples per second and the time left, once both can be estimated. */
function pace(task: TaskProgress, nowMs: number): readonly string[] {
  const seconds = (nowMs - task.startedMs) / 1000;
  if (task.done === 0 || seconds <= 0) return [];
  const rate = task.done / seconds;
  const left = Math.max(0, task.samples - task.done) / rate;
  return [`${rate < 100 ? rate.toFixed(1) : count(Math.round(rate))}/s`, `${duration(left)} left`];
}

function shortName(id: string): string {
  return escapeLogLine(clip(id, 60));
}
