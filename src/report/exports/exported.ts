import type { Run } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";

/** A run to write in another tool's format. */
export interface ExportedRun {
  readonly run: Run;
  /** All of its samples; each call starts again with the first one. */
  readonly samples: () => AsyncIterable<Sample>;
}

/** A file as the other tool writes it. */
export interface ExportedFile {
  readonly name: string;
  readonly pieces: AsyncIterable<string>;
}

/** A text as the only piece of a file. */
export async function* singleText(text: string): AsyncGenerator<string> {
  yield text;
}
