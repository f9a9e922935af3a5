import { getSystemErrorMap } from "node:util";
import { Refusal, problem } from "../../model/refusal.ts";

/** Why a system call failed, in words (`no space left on device`), or the error's own message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!("errno" in error) || typeof error.errno !== "number") return error.message;
  return getSystemErrorMap().get(error.errno)?.[1] ?? error.message;
}

/** The system's code of an error: `ENOENT`, `ENOSPC`, … */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

/** Work that writes: an error of the system becomes the refusal that names the file. */
export async function refusingWrites<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal || systemCode(error) === undefined) throw error;
    throw writeFailed(path, error);
  }
}

/** The refusal for a file that can't be written: the surroundings failed, not the user's input. */
export function writeFailed(path: string, cause: unknown): Refusal {
  return new Refusal(problem("write_failed", { file: path, reason: reasonOf(cause) }), {
    cause,
    exit: 4,
  });
}
