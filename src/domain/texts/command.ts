import type { Said } from "./said.ts";

/** The command line. */
export const commandTexts = {
  no_suite: ({ patterns }: { patterns: string }): Said => ({
    message: `no suite manifest at ${patterns}`,
    hint: "Name the manifest's path, as in: regrade run evals/suite.yaml",
  }),
  same_name: ({ name, paths }: { name: string; paths: string }): Said => ({
    message: `two suites are called '${name}': ${paths}`,
    hint: "Each suite has a folder of its own in --out, named after it: give one of them another 'name'.",
  }),
  selects_nothing: ({
    flag,
    glob,
    known,
  }: {
    flag: string;
    glob: string;
    known: string;
  }): Said => ({
    message: `${flag} ${glob} selects nothing`,
    hint: `There is: ${known}.`,
  }),
} satisfies Record<string, (found: never) => Said>;
