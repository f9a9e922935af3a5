import { readFile, realpath, stat } from "node:fs/promises";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import type { Problem } from "../../src/model/refusal.ts";
import { hashFile } from "../../src/io/files/files.ts";
import { resolveSuite } from "../../src/manifest/resolve.ts";
import type { ManifestTools } from "../../src/manifest/tools.ts";

type ResolvedSuite = Awaited<ReturnType<typeof resolveSuite>>;

/** A repository in which every path is a file, but for those named. */
export function imagine(
  paths: Readonly<Record<string, "directory" | "missing">> = {},
): ManifestTools {
  return {
    environment: {},
    inspectPath: async (real) => ({ kind: paths[real] ?? "file", real }),
    readText: async () => "{}",
    hashFile: async () => "sha256:0",
  };
}

/** The real disk. */
export const onDisk: ManifestTools = {
  environment: {},
  readText: (absolute) => readFile(absolute, "utf8"),
  hashFile,
  inspectPath: async (absolute) => {
    try {
      const real = await realpath(absolute);
      return { kind: (await stat(real)).isDirectory() ? "directory" : "file", real };
    } catch {
      return { kind: "missing", real: absolute };
    }
  },
};

/** Resolves a text as `evals/suite.yaml` of the repository /repo. */
export async function resolveText(text: string, tools = imagine()): Promise<ResolvedSuite> {
  const manifest = { text, path: "evals/suite.yaml", directory: "/repo/evals", root: "/repo" };
  return resolveSuite(manifest, tools);
}

/** A suite of one task that is right, with changes: undefined takes a key out. */
export function shortForm(changes: Readonly<Record<string, Json | undefined>> = {}): string {
  return JSON.stringify(
    {
      name: "short",
      dataset: "data.jsonl",
      prompt_template: "{{text}}",
      target_template: "{{label}}",
      grader: "exact_match",
      candidates: { app: { command: ["python3", "app.py"] } },
      ...changes,
    },
    undefined,
    2,
  );
}

/** `code path` of each problem, in order. */
export function brief(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ code, place }) => [code, place?.path].join(" ").trim());
}

/** `code line:column` of each problem, in order. */
export function briefPlaces(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`);
}

/** The problems of a refusal; none where the manifest resolves. */
export async function problemsOf(text: string, tools = imagine()): Promise<readonly Problem[]> {
  const resolved = await resolveText(text, tools);
  return resolved.kind === "refused" ? resolved.problems : [];
}

/** The suite and its warnings; throws where it is refused. */
export async function suiteOf(text: string, tools = imagine()) {
  const resolved = await resolveText(text, tools);
  if (resolved.kind === "refused") throw new Error(brief(resolved.problems).join(", "));
  return resolved;
}

export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const found = path.reduce<unknown>(
    (part, key) => (isJsonObject(part) ? part[key] : undefined),
    value,
  );
  if (!isJsonObject(found)) throw new TypeError(`nothing at ${path.join(".")}`);
  return found;
}
