import { stat } from "node:fs/promises";

/** A file's times may lag behind the clock by as much. */
const clockTickMs = 10;

/**
 * Whether nobody has written to a file since a time, in milliseconds since 1970; true without one. The time of the last change
 * (ctime) counts, because no program can set that.
 */
export async function isWrittenBefore(path: string, time: number | undefined): Promise<boolean> {
  if (time === undefined) return true;
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.ctimeMs < time - clockTickMs;
}
