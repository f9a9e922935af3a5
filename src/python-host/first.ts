import { mkdtemp } from "node:fs/promises";
import path from "node:path";
import { hostCommand, type HostOptions } from "./config.ts";
import { type Interpreter, versionText } from "./interpreter.ts";
import { readMessage } from "./frames.ts";
import { PythonProcess } from "./process.ts";

/** Time limit for a host to report that it has started. */
const startMilliseconds = 30_000;

/** A host of user code that waits for its program, and its writable folder. */
export interface FirstHost {
  readonly process: PythonProcess;
  readonly home: string;
}

export interface StartedFirst {
  /** Its Python version; undefined if it ended before reporting it. Throws a Refusal if it is too old. */
  readonly interpreter: () => Promise<Interpreter | undefined>;
  /** Hands the host over to its user; only the first call gets it. */
  readonly take: () => Promise<FirstHost | undefined>;
  /** Ends it if it was not used. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a host before its program is known: starting takes as long as reading a manifest, which happens at the same
 * time. Nearly every suite has a grader in Python.
 */
export async function startFirst(
  options: HostOptions,
  at: { readonly interpreter: string; readonly temporary: string; readonly ending: AbortSignal },
): Promise<StartedFirst> {
  const { interpreter, temporary, ending } = at;
  const home = await mkdtemp(path.join(temporary, "host-"));
  const host = new PythonProcess(
    hostCommand(options, { interpreter, directory: home, hello: true }),
  );
  const kill = (): void => host.kill();
  ending.addEventListener("abort", kill, { once: true });
  const said = hello(host);
  let isTaken = false;
  return {
    interpreter: async () => {
      const found = await said;
      return found && { path: found.path, version: versionText(found.version, options.python) };
    },
    take: async () => {
      if (isTaken) return undefined;
      isTaken = true;
      const isThere = (await said) !== undefined && !host.hasEnded;
      // From now on the caller must end it.
      ending.removeEventListener("abort", kill);
      return isThere ? { process: host, home } : undefined;
    },
    close: async () => {
      ending.removeEventListener("abort", kill);
      if (!isTaken) await host.close();
    },
  };
}

interface Hello {
  readonly path: string;
  readonly version: readonly number[];
}

/** The host's first frame. No user code runs in it yet. */
function hello(host: PythonProcess): Promise<Hello | undefined> {
  return new Promise((resolve) => {
    const give = (found: Hello | undefined): void => {
      clearTimeout(timer);
      if (found === undefined) host.kill();
      resolve(found);
    };
    const timer = setTimeout(() => give(undefined), startMilliseconds);
    host.listen({
      frames: ([text = ""]) => give(readHello(text)),
      malformed: () => give(undefined),
      ended: () => give(undefined),
    });
  });
}

function readHello(text: string): Hello | undefined {
  const { head } = readMessage(text);
  if (head?.["type"] !== "hello") return undefined;
  const { executable, version } = head;
  if (typeof executable !== "string" || executable === "" || !Array.isArray(version))
    return undefined;
  const numbers = version.filter((each) => typeof each === "number");
  return numbers.length === 3 ? { path: executable, version: numbers } : undefined;
}
