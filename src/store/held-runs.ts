import { resolve, sep } from "node:path";
import { plainLines, type StoredLines } from "./held-lines.ts";

/** How this process reads and writes the journals of run directories. */
export interface HeldRuns {
  /** As for the directory, else for the nearest run around it: a run's directory contains the directories of its sides. */
  readonly linesOf: (directory: string) => StoredLines;
  readonly set: (directory: string, lines: StoredLines) => void;
}

/** None at first: all are read as they are. */
export function createHeldRuns(): HeldRuns {
  const held = new Map<string, StoredLines>();
  return {
    set: (directory, lines) => {
      held.set(resolve(directory), lines);
    },
    linesOf: (directory) => {
      const inside = `${resolve(directory)}${sep}`;
      let nearest = "";
      for (const each of held.keys())
        if (inside.startsWith(`${each}${sep}`) && each.length > nearest.length) nearest = each;
      return held.get(nearest) ?? plainLines;
    },
  };
}
