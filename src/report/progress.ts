import type { Progress } from "../domain/ports.ts";
import { clip, escapeLogLine } from "./escape.ts";
import { count, duration } from "./figures.ts";

/** How far a run is. Times are milliseconds of one clock, whichever. */
export interface ProgressState {
  readonly task: TaskProgress | undefined;
}

interface TaskProgress {
  readonly id: string;
  readonly samples: number;
  readonly done: number;
  /** Samples that were not scored: failed, invalid or ungraded. */
  readonly errors: number;
  readonly startedMs: number;
}

export const noProgress: ProgressState = { task: undefined };

/** The state after an event. A sample of a task that was not announced counts for nothing. */
export function advance(state: ProgressState, event: Progress, nowMs: number): ProgressState {
  switch (event.kind) {
    case "task_started":
      return {
        task: { id: event.task, samples: event.samples, done: 0, errors: 0, startedMs: nowMs },
      };
    case "sample_finished": {
      const { task } = state;
      if (task === undefined || task.id !== event.task) return state;
      const errors = task.errors + (event.failed ? 1 : 0);
      return { task: { ...task, done: task.done + 1, errors } };
    }
    case "warning":
      return state;
  }
}

/** The line that a terminal shows again and again, at most `width` characters; empty before the first task. */
export function progressLine(state: ProgressState, nowMs: number, width: number): string {
  const { task } = state;
  if (task === undefined) return "";
  const parts = [
    `${shortName(task.id)} ${count(task.done)}/${count(task.samples)}`,
    ...errorWords(task),
    ...pace(task, nowMs),
  ];
  return parts.join(" · ").slice(0, Math.max(0, width));
}

/**
 * The lines that a CI log shows for an event, `state` being the one after it: when a task starts, at every tenth
 * of it, when it ends, and every warning.
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
    case "warning":
      return [`warning: ${escapeLogLine(event.text)}`];
  }
}

function tenthLine(task: TaskProgress, nowMs: number): readonly string[] {
  const tenth = (done: number): number => Math.floor((done * 10) / task.samples);
  if (task.done < task.samples && tenth(task.done) === tenth(task.done - 1)) return [];
  const head = `${shortName(task.id)}: ${count(task.done)} of ${count(task.samples)}`;
  if (task.done >= task.samples) {
    const took = `done in ${duration((nowMs - task.startedMs) / 1000)}`;
    return [[`${head} ${took}`, ...errorWords(task)].join(", ")];
  }
  const percent = `(${tenth(task.done) * 10}%)`;
  return [[`${head} ${percent}`, ...errorWords(task), ...pace(task, nowMs)].join(", ")];
}

/** The word of no outcome: which of them it was, the counts at the end say. */
function errorWords({ errors }: TaskProgress): readonly string[] {
  return errors > 0 ? [`${count(errors)} with errors`] : [];
}

/** Samples a second and the time left, once there is something to reckon with. */
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
