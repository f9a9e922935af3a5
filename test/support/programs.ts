import { execFile } from "node:child_process";

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly stdin?: Buffer;
}

/** Runs a program to its end, and gives its stdout; throws unless it exits with 0. */
export function runProgram({ program, args, cwd, env = process.env, stdin }: Program) {
  const options = { cwd, env, encoding: "buffer", maxBuffer: 64 * 1024 * 1024 } as const;
  return new Promise<Buffer>((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    // A program need not read its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(stdin);
  });
}
