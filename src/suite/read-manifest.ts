import { problem, Refusal } from "../model/refusal.ts";
import type { ManifestTools } from "../manifest/tools.ts";
import { resolveSuite } from "../manifest/resolve.ts";
import { translate } from "./translate.ts";
import type { Tools } from "../tools.ts";
import type { PrepareRequest } from "./prepare.ts";

/** Options for reading a manifest: overrides by flags, and whether it must name candidates. */
export type ManifestReading = Pick<ManifestTools, "overrides" | "candidatesMayLack">;

/** How to read the manifest of a request. */
export function readingOf({ choices, checksOnly }: PrepareRequest): ManifestReading {
  return { overrides: choices?.overrides, candidatesMayLack: checksOnly };
}

/** A manifest with every default and every path resolved. */
export async function readManifest(
  path: string,
  tools: Tools,
  reading: ManifestReading = {},
): Promise<ResolvedManifest> {
  const located = await tools.files.locate(path);
  const text = await readManifestText(path, located.absolute, tools.files);
  const { directory, root } = located;
  const resolved = await resolveManifest({ text, path, directory, root }, tools, reading);
  if (resolved.kind === "resolved") return resolved;
  throw new Refusal(resolved.problems);
}

/** As `readManifest`, for a manifest that is given as text. */
export function resolveManifest(
  manifest: Parameters<typeof resolveSuite>[0],
  { files, candidateTools }: Tools,
  reading: ManifestReading = {},
): ReturnType<typeof resolveSuite> {
  const { environment } = candidateTools;
  return resolveSuite(manifest, {
    ...reading,
    inspectPath: files.inspectPath,
    readText: files.readText,
    hashFile: files.hashFile,
    environment,
    translate: (root) => translate(root, manifest, { files, environment }),
  });
}

/** Messages show the path as typed. */
async function readManifestText(
  path: string,
  absolute: string,
  files: Tools["files"],
): Promise<string> {
  try {
    return await files.readText(absolute);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const isMissing = error.problems.some(({ code }) => code === "file_missing");
    if (isMissing) throw new Refusal(problem("manifest_missing", { path }), { cause: error });
    if ((await files.inspectPath(absolute)).kind !== "directory") throw error;
    throw new Refusal(problem("manifest_is_directory", { path }), { cause: error });
  }
}

/** A manifest that has been read. `policyDirectory`: as in `Prepared`. */
export type Resolved = ResolvedManifest & { readonly policyDirectory?: string };

type ResolvedManifest = Extract<Awaited<ReturnType<typeof resolveSuite>>, { kind: "resolved" }>;
