/** The process that programs.ts starts programs from. It ends with the process that it was made by. */
import { execFile } from "node:child_process";
import type { Program } from "./programs.ts";

export interface Order extends Program {
  readonly id: number;
}

export interface Answer {
  readonly id: number;
  readonly stdout: Uint8Array;
  /** The reason of its failure, with its stderr. */
  readonly error?: string;
}

process.on("message", (message) => run(message as Order));

function run({ id, program, args, cwd, env, stdin }: Order): void {
  const options = { cwd, env, encoding: "buffer", maxBuffer: 64 * 1024 * 1024 } as const;
  const child = execFile(program, args, options, (error, stdout) => {
    const answer: Answer = { id, stdout, ...(error && { error: error.message }) };
    process.send?.(answer);
  });
  // A program need not read its input.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(stdin && Buffer.from(stdin));
}
