import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/** A suite of the hosted product, as it was exported. */
export interface ExportedSuite {
  /** Undefined where the export names none. */
  readonly name: string | undefined;
  readonly manifest: JsonObject;
  /** File ids that the manifest names, sorted. */
  readonly fileIds: readonly string[];
}

/** Reads an exported suite version: an object with a `manifest`, or the manifest itself. undefined if it is neither. */
export function readExport(value: Json): ExportedSuite | undefined {
  if (!isJsonObject(value)) return undefined;
  const { manifest = value, name } = value;
  if (!isJsonObject(manifest) || !Array.isArray(manifest["tasks"])) return undefined;
  const fileIds = [...new Set(fileIdsIn(manifest))].toSorted();
  return { name: typeof name === "string" ? name : undefined, manifest, fileIds };
}

/** At any position: datasets, few-shot, graders, preprocessors. `metadata` is the user's own. */
function fileIdsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(fileIdsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === "metadata") return [];
    return key === "file_id" && typeof part === "string" ? [part] : fileIdsIn(part);
  });
}

/** The text of the exported manifest, with its file ids mapped and the models of its runs as candidates. */
export function manifestText(
  { manifest }: ExportedSuite,
  given: {
    readonly name: string;
    readonly files: Readonly<Record<string, string>>;
    readonly models: readonly string[];
  },
): string {
  const { schema_version = "2026-05-27", ...rest } = manifest;
  const { name, files, models } = given;
  const whole = {
    schema_version,
    name,
    ...(Object.keys(files).length > 0 && { files }),
    ...(models.length > 0 && { models }),
    ...rest,
  };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}
