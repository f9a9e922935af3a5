import { join, relative, sep } from "node:path";
import { builtinProviders } from "../../model/providers.ts";
import type { FirstSuiteTools } from "../../wiring.ts";

/** Existing files around a first suite that affect the written files. */
export interface Surroundings {
  /** The workflow that is there runs the action already. */
  readonly hasWorkflow: boolean;
  /** The manifest's schema in an installed package, relative to the manifest's folder. */
  readonly schemaPath: string | undefined;
  /** Other findings, one sentence each. */
  readonly notes: readonly string[];
}

interface Home {
  readonly folder: string;
  readonly root: string;
}

/** Looks at the repository and the environment; writes nothing. */
export async function lookAround(
  { folder, root }: Home,
  env: Readonly<Record<string, string | undefined>>,
  tools: FirstSuiteTools,
): Promise<Surroundings> {
  const isThere = async (path: string): Promise<boolean> =>
    (await tools.inspectPath(path)).kind === "file";
  const schema = join(root, "node_modules/regrade/schemas/suite.schema.json");
  const notes: string[] = [];
  for (const [name, note] of neighbours)
    if ((await isThere(join(folder, name))) && !notes.includes(note)) notes.push(note);
  return {
    hasWorkflow: await runsAction(join(root, ".github/workflows/evals.yml"), tools),
    schemaPath: (await isThere(schema))
      ? relative(join(folder, "evals"), schema).split(sep).join("/")
      : undefined,
    notes: [...notes, ...keysSet(env)],
  };
}

async function runsAction(path: string, tools: FirstSuiteTools): Promise<boolean> {
  if ((await tools.inspectPath(path)).kind !== "file") return false;
  const text = await tools.readText(path);
  return /\buses:\s*["']?\S+\/regrade(?:\/\S*)?@/.test(text);
}

const promptfoo =
  "There is a promptfoo config: its results can be gated as they are (docs/results/promptfoo.md).";
const pytest =
  "There are tests of pytest: what they write with --junitxml can be gated (docs/results/junit.md).";

/** Files that show existing evals, or tests that may be evals. */
const neighbours: readonly (readonly [name: string, note: string])[] = [
  ["promptfooconfig.yaml", promptfoo],
  ["promptfooconfig.yml", promptfoo],
  ["promptfooconfig.json", promptfoo],
  ["promptfooconfig.js", promptfoo],
  ["pytest.ini", pytest],
  ["conftest.py", pytest],
  ["tests/conftest.py", pytest],
];

function keysSet(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const providers = Object.entries(builtinProviders).flatMap(([id, { api_key_env: name }]) =>
    name !== undefined && (env[name] ?? "") !== "" ? [`${id} (${name})`] : [],
  );
  if (providers.length === 0) return [];
  return [`Keys are set for ${providers.join(", ")}: --candidate takes their models.`];
}
