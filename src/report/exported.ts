import type { Run } from "../model/run.ts";
import type { Sample } from "../model/sample.ts";

/** A run that is written in another tool's format. */
export interface ExportedRun {
  readonly run: Run;
  /** All of its samples, from the first one again at each call. */
  readonly samples: () => AsyncIterable<Sample>;
}

/** A file as the other tool writes it. */
export interface ExportedFile {
  readonly name: string;
  readonly pieces: AsyncIterable<string>;
}

/** The pieces of a file that is one text. */
export async function* singleText(text: string): AsyncGenerator<string> {
  yield text;
}
