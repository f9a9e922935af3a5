import { resolve, sep } from "node:path";
import { plainLines, type StoredLines } from "./encrypted-lines.ts";

/** How this process reads and writes the journals of run directories. */
export interface EncryptedRuns {
  /** As for the directory, else for the nearest run around it: a run's directory contains the directories of its sides. */
  readonly linesOf: (directory: string) => StoredLines;
  readonly set: (directory: string, lines: StoredLines) => void;
}

/** None at first: all are read as they are. */
export function createEncryptedRuns(): EncryptedRuns {
  const known = new Map<string, StoredLines>();
  return {
    set: (directory, lines) => {
      known.set(resolve(directory), lines);
    },
    linesOf: (directory) => {
      const inside = `${resolve(directory)}${sep}`;
      let nearest = "";
      for (const each of known.keys())
        if (inside.startsWith(`${each}${sep}`) && each.length > nearest.length) nearest = each;
      return known.get(nearest) ?? plainLines;
    },
  };
}
