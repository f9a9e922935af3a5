import type { BaseTree } from "../model/outcomes/policy.ts";
import type { Secrets } from "../model/ports/secrets.ts";
import type { Tools } from "../tools.ts";
import { openTools, type ToolOptions } from "../wiring.ts";
import type { Screen } from "./screen.ts";
import type { Stop } from "./stop.ts";
import type { Environment } from "../model/ports/processes.ts";

/** The environment in which a command runs. */
export interface CliContext {
  readonly screen: Screen;
  readonly stop: Stop;
  readonly secrets: Secrets;
  readonly env: Environment;
  readonly workingDirectory: string;
  /** The words that start this program in the user's shell, such as `npx regrade`. */
  readonly program: string;
  /** The terminal to ask questions on; undefined: flags and defaults decide. */
  readonly terminal:
    | { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream }
    | undefined;
  readonly fetchCiRun: FetchCiRun;
}

/**
 * Fetches the run directories of a CI run into `.regrade`. GitHub's client is passed in, because no entry point imports
 * another.
 */
export type FetchCiRun = (
  asked: {
    readonly runId: string;
    readonly suite: string | undefined;
    readonly repository: string | undefined;
  },
  around: Pick<CliContext, "env" | "workingDirectory"> & { readonly signal: AbortSignal },
) => Promise<readonly string[]>;

/** Executes the command and returns the exit code. Throws a Refusal for what the user can fix. */
export type Act = (context: CliContext) => Promise<number>;

/** Called by the command that the arguments name. The command acts later, once all arguments have been read. */
export type Chosen = (act: Act) => void;

/** Flags that decide which tools a command gets. */
interface ToolFlags extends Pick<ToolOptions, "python" | "sandbox" | "cachePath"> {
  /** True if progress is hidden. */
  readonly quiet: boolean;
}

/** The tools of a command that runs samples. */
export function toolsFor(
  { python, sandbox, quiet, cachePath }: ToolFlags,
  { screen, stop, secrets, env, workingDirectory }: CliContext,
): Tools {
  const report = quiet ? (): void => undefined : screen.progress;
  const { signal } = stop;
  return openTools({ python, sandbox, report, secrets, signal, env, workingDirectory, cachePath });
}

/** The tools of a command that runs no samples. */
export function toolsToRead(context: CliContext, python = "python3"): Tools {
  return toolsFor({ python, sandbox: "auto", quiet: true }, context);
}

/** Opens the tree that `--policy-from` names for the duration of `work`, and always removes it at the end. */
export async function withBase<T>(
  { policyFrom }: { readonly policyFrom: string | undefined },
  tools: Tools,
  work: (tree: BaseTree | undefined) => Promise<T>,
): Promise<T> {
  const tree = policyFrom === undefined ? undefined : await tools.openBaseTree(policyFrom);
  try {
    return await work(tree);
  } finally {
    await tree?.close();
  }
}
