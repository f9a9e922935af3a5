import { join } from "node:path";
import type { Answer, Spent, StoredBatch } from "../model/ports/store.ts";
import { createBatchPieces } from "./batch-lines.ts";
import { inspectPath, openFile } from "../io/files/files.ts";
import { readJsonLines } from "../io/files/json-lines.ts";
import type { StoredLines } from "./encrypted-lines.ts";
import { runFiles } from "./run-files.ts";
import { generatedShape } from "./shapes.ts";
import type { StoredPlan } from "./shapes.ts";

/** The content of `generated.jsonl`: a run in progress. */
export interface StoredAnswers {
  /** The plan of the last attempt; undefined if there is no whole line. */
  readonly plan: StoredPlan | undefined;
  readonly answers: Map<string, Answer>;
  readonly batches: ReadonlyMap<string, StoredBatch>;
  /** The last recorded spending of the run. */
  readonly spent: Spent;
  /** Offset after the last whole line. */
  readonly bytes: number;
  /** False for a file that someone else wrote: no part of it may be cut off. */
  readonly isOurs: boolean;
}

/** Reads the journal of a run directory; a missing one counts as empty. */
export async function readGenerated(
  directory: string,
  { read }: StoredLines,
): Promise<StoredAnswers> {
  const path = join(directory, runFiles.generated);
  const answers = new Map<string, Answer>();
  const batches = createBatchPieces();
  let plan: StoredPlan | undefined;
  let spent: Spent = { usd: 0, tokens: 0 };
  let bytes = 0;
  for await (const { value, endOffset } of readJsonLines(path, generatedShape, read)) {
    bytes = endOffset;
    if (!("object" in value)) answers.set(value.sample_id, value);
    else if (value.object === "regrade.plan/1") {
      // Batch graders' results from before failed samples were run again belong to other answers with the same ids.
      if (value.rerun?.since === plan?.rerun?.since) batches.restart();
      else batches.forget();
      plan = value;
    } else if (value.object === "regrade.spent/1") spent = value;
    else batches.add(value);
  }
  const isOurs = plan !== undefined || (await beginsAsOurs(path));
  return { plan, answers, batches: batches.whole, spent, bytes, isOurs };
}

/** The beginning of a file of our own writer: see `header` of the run store. */
const opening = '{"object":"regrade.plan/1"';

/** Also true for a file that is cut off within that beginning, and for a missing one. */
async function beginsAsOurs(path: string): Promise<boolean> {
  if ((await inspectPath(path)).kind === "missing") return true;
  const file = await openFile(path);
  try {
    const found = new TextDecoder().decode(await file.read(0, opening.length));
    return opening.startsWith(found);
  } finally {
    await file.close();
  }
}
