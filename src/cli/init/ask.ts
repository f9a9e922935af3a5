import { createInterface } from "node:readline/promises";
import { formatProblem, Refusal } from "../../model/refusal.ts";
import type { Read } from "./answers.ts";

/** A choice that comes from a flag, else from a question on the terminal, else from the default. */
interface Question<T> {
  readonly given: string | undefined;
  readonly text: string;
  /** The value of an empty answer. */
  readonly byDefault: string;
  readonly read: (answer: string) => Read<T> | Promise<Read<T>>;
}

/** Asks each question until there is a usable answer. */
export interface Prompter {
  /** Throws a Refusal for an unusable flag, and Aborted if the user aborts. */
  readonly settle: <T>(question: Question<T>) => Promise<T>;
  readonly close: () => void;
}

/** The user left the questions (Ctrl-C, Ctrl-D). */
export class Aborted extends Error {}

interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Makes an prompter. Flags come first, then the terminal if there is one, then defaults. */
export function createPrompter(terminal: Terminal | undefined): Prompter {
  if (terminal === undefined) return { settle: settleSilently, close: () => undefined };
  const lines = createInterface({ input: terminal.input, output: terminal.output });
  const left = new AbortController();
  // Without these listeners an unanswered question would never end.
  lines.on("SIGINT", () => left.abort());
  lines.on("close", () => left.abort());
  const signal = AbortSignal.any([terminal.signal, left.signal]);
  const ask = async (text: string): Promise<string> => {
    if (signal.aborted) throw new Aborted();
    return lines.question(text, { signal }).catch((error: unknown) => {
      if (signal.aborted) throw new Aborted("", { cause: error });
      throw error;
    });
  };
  const settle = async <T>(question: Question<T>): Promise<T> => {
    if (question.given !== undefined) return settleSilently(question);
    for (;;) {
      const answer = (await ask(`${question.text} [${question.byDefault}]: `)).trim();
      const found = await question.read(answer === "" ? question.byDefault : answer);
      if (found.kind === "read") return found.value;
      terminal.output.write(`  ${formatProblem(found.problem)}\n`);
    }
  };
  return { settle, close: () => lines.close() };
}

async function settleSilently<T>(question: Question<T>): Promise<T> {
  const found = await question.read(question.given ?? question.byDefault);
  if (found.kind === "wrong") throw new Refusal(found.problem);
  return found.value;
}
