import { readFile } from "node:fs/promises";
import { makeChange, runChange, type Change } from "../../support/change.ts";
import type { SuiteParts } from "../../support/suite-files.ts";

/** A way to weaken a gate unseen, as a row of a table: it runs as a user would see it, and so does an honest twin. */
export interface Attack {
  /** The change, in a reviewer's words. */
  readonly attack: string;
  /** The same project without the attack: ends green. */
  readonly control: () => Promise<Ended>;
  readonly run: () => Promise<Ended>;
  /** The exit code of the attack: never 0. */
  readonly code: 1 | 2 | 3 | 4;
  /** A sentence that the attack's output holds, with what to do. */
  readonly says: string;
}

export interface Ended {
  readonly code: number | null;
  /** Everything that was printed, and the summary. */
  readonly told: string;
}

/** 45 of 60 answers are right: less than the manifest of `suiteFiles` asks. */
export const worse: SuiteParts = { answer: (i) => (i < 15 ? "wrong" : undefined) };

/** Runs the built program on a change, by the base's policy. */
export async function judged(change: Change): Promise<Ended> {
  await using fixture = await makeChange(change);
  const { code, stdout, stderr } = await runChange(fixture, change.argv);
  const summary = await readFile(fixture.getPath("out/summary.md"), "utf8").catch(() => "");
  return { code, told: `${stdout}\n${stderr}\n${summary}` };
}
