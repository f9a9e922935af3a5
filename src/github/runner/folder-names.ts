import { basename, extname } from "node:path";

/**
 * A folder's name for each of several suites, made of the file's name and different from each other:
 * `evals/qa.yaml` and `more/qa.json` give `qa` and `qa-2`.
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

/** A name that files and artifacts may have on every system: letters, digits, `.`, `_`, `-`. */
export function slug(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  return plain === "" ? "suite" : plain.slice(0, 100);
}
