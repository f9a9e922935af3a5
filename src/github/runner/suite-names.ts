import { basename, extname } from "node:path";
import { problem, Refusal } from "../../model/refusal.ts";

/**
 * A distinct folder name for each of several suites, from the file's name: `evals/qa.yaml` and `more/qa.json` give `qa`
 * and `qa-2`.
 */
export function folderNames(paths: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return paths.map((path) => {
    const stem = slug(basename(path, extname(path)));
    let name = stem;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${stem}-${count}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** Makes a name that files and artifacts may have on every system: letters, digits, `.`, `_`, `-`. */
export function slug(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  return plain === "" ? "suite" : plain.slice(0, 100);
}

/**
 * Ensures that each suite of a step has a distinct name, ignoring case and punctuation. Check, comment section and
 * artifacts use the name, so one of two equal ones would replace the other's. `a-scores` counts as equal to `a`,
 * because a's scores have that name.
 */
export function createNames(): (suite: string, manifest: string) => void {
  const named = new Map<string, string>();
  return (suite, manifest) => {
    const key = slug(suite).toLowerCase();
    const other = [...named].find(
      ([taken, by]) =>
        by !== manifest &&
        (taken === key || taken === `${key}-scores` || key === `${taken}-scores`),
    );
    if (other !== undefined)
      throw new Refusal(problem("same_name", { name: suite, paths: `${other[1]}, ${manifest}` }));
    named.set(key, manifest);
  };
}
