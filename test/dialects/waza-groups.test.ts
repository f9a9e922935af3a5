import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";
const all: readonly { readonly grader: string }[] = existsSync(file)
  ? JSON.parse(readFileSync(file, "utf8"))
  : [];

/** Functions of waza's program that have no counterpart, by their words in docs/waza.md, which says why. */
const without: Readonly<Record<string, string>> = {
  "@recommend": "`--recommend`",
  "@normalize": "with its normalized measures",
  "@e0_metric": "`task_completion`, `behavior_quality`, composite metrics",
  "@compare": "`compare`, `gate`",
  "@gate": "`--max-regression-pct 5`",
  "@cache_nondeterministic": "`--cache`",
};

it.skipIf(all.length === 0)(
  "each function in waza's vectors is driven, or the page says why not",
  () => {
    const tests = globSync("test/**/waza*.test.ts").map((path) => readFileSync(path, "utf8"));
    const page = readFileSync("docs/waza.md", "utf8");
    const groups = [...new Set(all.map(({ grader }) => grader))].filter((name) =>
      name.startsWith("@"),
    );
    expect(groups.length).toBeGreaterThan(50);
    const driven = (name: string): boolean =>
      tests.filter((text) => text.includes(`"${name}"`)).length > (name in without ? 1 : 0);
    expect(groups.filter((name) => !driven(name)).toSorted()).toEqual(
      Object.keys(without).toSorted(),
    );
    for (const words of Object.values(without)) expect(page).toContain(words);
  },
);
