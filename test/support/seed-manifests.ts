import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject } from "../../src/model/json.ts";

/**
 * Folder of the hosted product's documentation, next to the repository; tests that read it are skipped if it is missing.
 */
export const seeds = fileURLToPath(new URL("../../../shared/seeds/", import.meta.url));

/** The JSON blocks of a page that are manifests, tasks or parts of them, made whole. */
export function manifestsIn(page: string): readonly JsonObject[] {
  const blocks = page.match(/^\{\n(?:.*\n)*?\}$/gm) ?? [];
  return blocks.flatMap((block): readonly JsonObject[] => {
    const value: unknown = JSON.parse(block);
    if (!isJsonObject(value)) return [];
    if ("tasks" in value) return [value];
    if ("id" in value && "dataset" in value) return [{ tasks: [value] }];
    const parts = [
      "dataset",
      "prompt_template",
      "num_fewshot",
      "fewshot",
      "preprocess",
      "output_extraction",
      "metrics",
      "grader",
      "generation",
    ];
    const part = parts.find((key) => key in value);
    if (part === undefined) return [];
    const { generation, ...keys } = value;
    return [
      {
        dataset: { file_id: "file_dataset123" },
        prompt_template: "{{question}}",
        grader: { type: "python", source: "def grade(sample, item): return 1.0" },
        ...(generation === undefined ? {} : { run: { generation } }),
        ...keys,
      },
    ];
  });
}
