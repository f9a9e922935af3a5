import { join, relative } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import { parse } from "yaml";
import { isJsonObject } from "../../model/json.ts";
import { builtinProviders } from "../../model/models/providers.ts";
import type { FirstSuiteTools } from "../../wiring.ts";
import { planWorkflow, type WorkflowPlan } from "./workflows.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** Existing files around a first suite that affect the files to be written. */
export interface Surroundings {
  readonly workflow: WorkflowPlan;
  /** The branch that pull requests target. */
  readonly branch: string;
  /** True if evals/ has files that a glob for suites matches but that are no suites. */
  readonly hasOtherFiles: boolean;
  /** The manifest's schema in an installed package, relative to the manifest's folder. */
  readonly schemaPath: string | undefined;
  /** Notes on existing evals or tests, each with the command that gates their results. */
  readonly neighbours: readonly NeighbourNote[];
  /** A sentence about the providers whose keys are set; empty if there are none. */
  readonly keys: readonly string[];
}

export interface Home {
  /** Location for the new suite. Absolute. */
  readonly folder: string;
  /** The repository around it, or the folder itself. */
  readonly root: string;
}

/** Looks at the repository and the environment, and writes nothing. */
export async function lookAround(
  { folder, root }: Home,
  env: Environment,
  tools: FirstSuiteTools,
): Promise<Surroundings> {
  const schema = join(root, "node_modules/regrade/schemas/suite.schema.json");
  const hasSchema = (await tools.inspectPath(schema)).kind === "file";
  const inRoot = withSlashes(relative(root, folder));
  return {
    workflow: await planWorkflow({ root, folder: inRoot }, tools),
    branch: (await tools.readMainBranch(root)) ?? "main",
    hasOtherFiles: await hasOtherFiles(join(folder, "evals"), tools),
    schemaPath: hasSchema ? withSlashes(relative(join(folder, "evals"), schema)) : undefined,
    neighbours: await notesOn(folder, tools),
    keys: keysSet(env),
  };
}

const keysOfSuites = ["dataset", "tasks", "from", "uses", "graph_config", "conditions"];

/**
 * True if a YAML file in the folder has no key of a suite. JSON files are not examined: a glob for suites skips JSON
 * that is no suite.
 */
async function hasOtherFiles(evals: string, tools: FirstSuiteTools): Promise<boolean> {
  for (const name of await tools.listNames(evals)) {
    if (!/\.ya?ml$/.test(name)) continue;
    const text = await tools.readText(join(evals, name)).catch(() => "");
    if (!isSuite(text)) return true;
  }
  return false;
}

function isSuite(text: string): boolean {
  try {
    const value: unknown = parse(text, { logLevel: "error" });
    return isJsonObject(value) && keysOfSuites.some((key) => key in value);
  } catch {
    // It may be a suite with a syntax error, which a run will report.
    return true;
  }
}

/** Makes a note from the words that start this program. */
type NeighbourNote = (program: string) => string;

const promptfoo: NeighbourNote = (
  program,
) => `There is a promptfoo config. Its results can be gated as they are, without a suite:
  npx promptfoo@latest eval -o out.json; ${program} run --results out.json
  (in a workflow, after that eval: \`with: { results: out.json }\`)`;
const pytest: NeighbourNote = (
  program,
) => `There are tests of pytest. Where they are evals, their results can be gated as they are:
  python -m pytest --junitxml=out.xml; ${program} run --results out.xml
  (in a workflow, after the tests: \`with: { results: out.xml }\`)`;

/**
 * Files that show existing evals, or tests that may be evals. `having`: the file counts only if it contains this text.
 */
const neighbours: readonly {
  readonly name: RegExp;
  readonly having?: string;
  readonly note: NeighbourNote;
}[] = [
  { name: /^promptfooconfig\.(?:ya?ml|json|[cm]?[jt]s)$/, note: promptfoo },
  { name: /^(?:pytest\.ini|conftest\.py)$/, note: pytest },
  { name: /^pyproject\.toml$/, having: "[tool.pytest", note: pytest },
  { name: /^setup\.cfg$/, having: "[tool:pytest]", note: pytest },
  { name: /^tox\.ini$/, having: "[pytest]", note: pytest },
];

async function notesOn(folder: string, tools: FirstSuiteTools): Promise<readonly NeighbourNote[]> {
  const notes = new Set<NeighbourNote>();
  for (const place of [folder, join(folder, "evals"), join(folder, "tests")]) {
    for (const name of await tools.listNames(place)) {
      const found = neighbours.find((each) => each.name.test(name));
      if (found === undefined) continue;
      const { having, note } = found;
      const text =
        having === undefined ? "" : await tools.readText(join(place, name)).catch(() => "");
      if (having === undefined || text.includes(having)) notes.add(note);
    }
  }
  return [...notes];
}

function keysSet(env: Environment): readonly string[] {
  const providers = Object.entries(builtinProviders).flatMap(([id, { api_key_env: name }]) =>
    name !== undefined && (env[name] ?? "") !== "" ? [`${id} (${name})`] : [],
  );
  if (providers.length === 0) return [];
  return [`Keys are set for ${providers.join(", ")}: --candidate takes their models.`];
}
