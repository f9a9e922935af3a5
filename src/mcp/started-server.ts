import { createLineSplitter } from "../base/lines.ts";
import { endMarked, markName } from "../io/agents/marked.ts";
import {
  closing,
  collectEnd,
  decode,
  endGroup,
  startProgram,
  within,
  type Collected,
  type Started,
} from "../io/processes/start.ts";
import type { McpToConnect } from "../model/ports/mcp.ts";
import type * as Sdk from "./mcp-sdk.ts";

/** A longer message ends the server: it would fill the memory. */
const messageLimitBytes = 16_000_000;
const stderrKeptBytes = 4096;
/** Time for a server to end by itself after its stdin has ended. */
const exitGraceMilliseconds = 200;
/** Milliseconds to read the last output of a server that has ended. */
const drainMilliseconds = 100;

/**
 * Starts a server like every program of a candidate: no shell, exactly the given environment, and a process group that is
 * ended as a whole. The SDK's own transport adds variables of this process, ends only the server's first process, and takes
 * up to 4 seconds for it.
 */
export async function startServer(
  argv: readonly string[],
  { directory, env, mark }: McpToConnect,
  sdk: typeof Sdk,
): Promise<StartedServer | { readonly kind: "not_started"; readonly message: string }> {
  const marked = { ...env, [markName]: mark };
  const started = await startProgram({ argv, directory, env: marked, input: undefined });
  return "kind" in started ? started : new StartedServer(started, mark, sdk);
}

/** Owns a server's process and connects the SDK to it: one message per line. */
class StartedServer implements Sdk.Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Sdk.JSONRPCMessage) => void;
  readonly #process: Started;
  readonly #mark: string;
  readonly #sdk: typeof Sdk;
  readonly #stderr: Collected;
  readonly #stdoutClosed: Promise<void>;
  readonly #splitter = createLineSplitter();
  #received = 0;
  #lineEnd = 0;
  #isTooLarge = false;
  #isOwnEnd = false;
  #closed: Promise<void> | undefined;

  constructor(started: Started, mark: string, sdk: typeof Sdk) {
    this.#process = started;
    this.#mark = mark;
    this.#sdk = sdk;
    this.#stderr = collectEnd(started.stderr, stderrKeptBytes);
    this.#stdoutClosed = closing(started.stdout);
    // A pipe breaks when the server has ended: its end tells what happened.
    started.stdin.on("error", () => undefined);
  }

  async start(): Promise<void> {
    void this.#process.exited.then(() => {
      this.#isOwnEnd = this.#closed === undefined;
      return this.close();
    });
    this.#process.stdout.on("data", (chunk: Uint8Array) => this.#read(chunk));
  }

  async send(message: Sdk.JSONRPCMessage): Promise<void> {
    this.#process.stdin.write(this.#sdk.serializeMessage(message));
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  /** Why the server can't be reached any more, if it ended by itself. */
  async reason(): Promise<string | undefined> {
    const limit = messageLimitBytes / 1_000_000;
    if (this.#isTooLarge)
      return `the server sent a message of more than ${limit} MB, and was ended`;
    if (this.#closed === undefined) await within(this.#process.exited, drainMilliseconds);
    if (!this.#isOwnEnd) return undefined;
    await this.close();
    const { code, signal } = await this.#process.exited;
    const words = this.#stderr.text().trim();
    const how = code === null ? `by ${signal ?? "a signal"}` : `with exit code ${code}`;
    return `the server ended ${how}${words === "" ? "" : `: ${words}`}`;
  }

  async #end(): Promise<void> {
    this.#process.stdin.end();
    if (await within(this.#process.exited, exitGraceMilliseconds))
      await within(Promise.all([this.#stderr.closed, this.#stdoutClosed]), drainMilliseconds);
    await endGroup(this.#process);
    await endMarked(this.#mark);
    this.onclose?.();
  }

  #read(chunk: Uint8Array): void {
    if (this.#isTooLarge) return;
    this.#received += chunk.length;
    for (const { bytes, end } of this.#splitter.push(chunk)) {
      this.#lineEnd = end;
      if (bytes === undefined || bytes.length > messageLimitBytes) return this.#refuse();
      if (bytes.length > 0) this.#give(decode([bytes]));
    }
    if (this.#received - this.#lineEnd > messageLimitBytes) this.#refuse();
  }

  #refuse(): void {
    this.#isTooLarge = true;
    void this.close();
  }

  /** A line that is no message is skipped, as the SDK does. */
  #give(line: string): void {
    try {
      this.onmessage?.(this.#sdk.deserializeMessage(line));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
