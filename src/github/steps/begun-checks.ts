import { rememberChecks } from "../api/check-memory.ts";
import {
  beginCheck,
  type CheckConclusion,
  type CheckSubject,
  type OpenCheck,
} from "../api/check-run.ts";
import type { CallResult, FailedCall, GitHub } from "../api/github.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** The checks that this process has begun and not completed. The post step knows them, too. */
interface BegunChecks {
  readonly suites: () => readonly string[];
  /** Begins a check, unless it was begun already. Nothing waits for GitHub's answer. */
  readonly begin: (suite: string, subject: CheckSubject, github: () => Promise<GitHub>) => void;
  /** Returns the check once GitHub has answered. */
  readonly find: (suite: string) => Promise<OpenCheck | undefined>;
  readonly remove: (suite: string) => void;
  /** Records the check's conclusion; if GitHub does not accept it, the post step tries again. */
  readonly leave: (suite: string, cameTo: CheckConclusion) => void;
  /** The login from GitHub's answers, once they have arrived. */
  readonly author: () => Promise<string | undefined>;
}

/** Makes an empty list of checks. `fail` is called for each that could not be created. */
export function createBegunChecks(
  env: Environment,
  fail: (failed: FailedCall) => void,
): BegunChecks {
  const all = new Map<string, BegunCheck>();
  let author: string | undefined;
  const remember = (): void => {
    const checks = [...all.values()].map(({ check }) => check);
    rememberChecks(env, checks);
  };
  const ask = async (begun: BegunCheck, github: () => Promise<GitHub>): Promise<void> => {
    const { subject } = begun.check;
    const answer = await beginCheck(await github(), subject);
    begun.check = checkOf(subject, answer);
    author ??= begun.check.author;
    if (answer.kind === "failed") fail(answer);
    remember();
  };
  return {
    suites: () => [...all.keys()],
    begin: (suite, subject, github) => {
      if (all.has(suite)) return;
      const check = { subject, id: undefined, mayExist: true };
      const begun: BegunCheck = { check, answered: Promise.resolve() };
      all.set(suite, begun);
      // Remembered before the request is sent, because a process that is killed in between may leave the check open.
      remember();
      begun.answered = ask(begun, github);
    },
    find: async (suite) => {
      const begun = all.get(suite);
      await begun?.answered;
      return begun?.check;
    },
    remove: (suite) => {
      if (all.delete(suite)) remember();
    },
    leave: (suite, cameTo) => {
      const begun = all.get(suite);
      if (begun === undefined) return;
      begun.check = { ...begun.check, cameTo };
      remember();
    },
    author: async () => {
      await Promise.all([...all.values()].map(({ answered }) => answered));
      return author;
    },
  };
}

function checkOf(subject: CheckSubject, answer: CallResult<OpenCheck>): OpenCheck {
  if (answer.kind === "done") return answer.value;
  return { subject, id: undefined, mayExist: answer.reason === "down" };
}

interface BegunCheck {
  /** The known facts about a check. */
  check: OpenCheck;
  /** Settles when GitHub has answered, or will not answer. */
  answered: Promise<void>;
}
