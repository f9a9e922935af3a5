import { batchKey, type StoredBatch } from "../model/ports/store.ts";
import type { SampleUpdate } from "../model/grading.ts";
import type { BatchLine } from "./shapes.ts";

/** A line of more than 64 MiB can't be read back, and a judge's text for each sample may be long. */
const charactersPerLine = 4 * 1024 * 1024;

/** A batch grader's result as lines of a journal; the last line marks it as complete. */
export function* batchLines({ graded, ...rest }: StoredBatch): Generator<BatchLine> {
  const { task, candidate } = rest;
  const named = { object: "regrade.batch/1", task, candidate } as const;
  const updates = graded.kind === "graded" ? graded.updates : [];
  let held: SampleUpdate[] = [];
  let characters = 0;
  for (const update of updates) {
    held.push(update);
    characters += JSON.stringify(update).length;
    if (characters < charactersPerLine) continue;
    yield { ...named, updates: held };
    held = [];
    characters = 0;
  }
  if (held.length > 0) yield { ...named, updates: held };
  yield {
    ...named,
    ...rest,
    graded: graded.kind === "graded" ? { ...graded, updates: [] } : graded,
  };
}

/** Joins the lines of batches again. */
interface BatchPieces {
  readonly add: (line: BatchLine) => void;
  /** Called when another process continues here: unfinished pieces of the previous one are torn. */
  readonly restart: () => void;
  /** Discards the pieces so far. */
  readonly forget: () => void;
  /** Results with a last line; of several, the latest. */
  readonly whole: ReadonlyMap<string, StoredBatch>;
}

/** A collection without pieces. */
export function createBatchPieces(): BatchPieces {
  const pieces = new Map<string, SampleUpdate[]>();
  const whole = new Map<string, StoredBatch>();
  return {
    whole,
    restart: () => pieces.clear(),
    forget: () => {
      pieces.clear();
      whole.clear();
    },
    add: (line) => {
      const key = batchKey(line);
      const updates = pieces.get(key) ?? [];
      if ("updates" in line) {
        for (const update of line.updates) updates.push(update);
        pieces.set(key, updates);
        return;
      }
      const { object: _object, graded, ...rest } = line;
      pieces.delete(key);
      whole.set(key, {
        ...rest,
        graded: graded.kind === "graded" ? { ...graded, updates } : graded,
      });
    },
  };
}
