import { Writable } from "node:stream";
import { fetchCiRun } from "../../src/ci-run.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import { takeOver } from "./this-process.ts";

export interface CliHere {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The command line in this process, as src/cli.ts runs it. One at a time. */
export async function runCliHere({ argv, directory, env }: CliHere): Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}> {
  const [stdout, stderr] = [createSink(), createSink()];
  const restore = takeOver(env, directory);
  try {
    const host = {
      env: process.env,
      cwd: () => process.cwd(),
      stdin: { isTTY: false },
      stdout: stdout.stream,
      stderr: stderr.stream,
      on: () => host,
      off: () => host,
      exit: (code?: number) => {
        throw new Error(`the command line ended the process with ${code}`);
      },
    } as unknown as Parameters<typeof runCommandLine>[1];
    const code = await runCommandLine(argv, host, fetchCiRun);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    restore();
  }
}

function createSink(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
