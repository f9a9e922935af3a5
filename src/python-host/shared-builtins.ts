import type { GraderProgram, OpenProgram } from "../model/ports/programs.ts";

interface Shared {
  readonly opening: ReturnType<OpenProgram>;
  /** How many have opened it and not closed it. */
  users: number;
}

/**
 * Opens a built-in grader once for all that use it with the same settings, as the tasks of a suite do: its hosts start once.
 * Built-in graders keep nothing from sample to sample. Graders of the user may, and have hosts of their own in each task;
 * so have those that ask models, each for its task's limit of calls.
 */
export function shareBuiltins(open: OpenProgram): OpenProgram {
  const known = new Map<string, Shared>();
  return async (spec) => {
    if (spec.kind !== "builtin" || spec.models !== undefined) return open(spec);
    const key = JSON.stringify(spec);
    const shared = known.get(key) ?? { opening: open(spec), users: 0 };
    known.set(key, shared);
    shared.users += 1;
    const leave = (): boolean => {
      shared.users -= 1;
      if (shared.users === 0 && known.get(key) === shared) known.delete(key);
      return shared.users === 0;
    };
    try {
      const opened = await shared.opening;
      if ("program" in opened) return { program: closingLast(opened.program, leave) };
      leave();
      return opened;
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** The program for one user: it is closed when the last one closes it. */
function closingLast(program: GraderProgram, leave: () => boolean): GraderProgram {
  let isOpen = true;
  return {
    ...program,
    close: async () => {
      const isLast = isOpen && leave();
      isOpen = false;
      if (isLast) await program.close();
    },
  };
}
