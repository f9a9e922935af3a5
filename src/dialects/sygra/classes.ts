import { join } from "node:path";
import { nearest } from "../../base/nearest.ts";
import { type Part, placeOf } from "../../base/part.ts";
import { type BuiltinGrader, builtinGraders } from "../../model/definition/builtins.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced } from "../origin.ts";
import { pathInDocument } from "../dialect.ts";
import type { SygraTask } from "./task.ts";

/** Makes a Python grader of a class that the user wrote. `settings`: for the grader's key `class`. */
export function classGrader(
  found: { readonly name: string; readonly file: string; readonly settings: JsonObject },
  { packages, place }: { readonly packages: readonly string[]; readonly place: Traced["place"] },
): Traced {
  const role = found.settings["as"];
  const seesAll = role === "aggregator" || role === "post_processor";
  const grader = {
    type: "python",
    name: found.name,
    file: found.file,
    weight: 0,
    class: { ...found.settings, ...(packages.length > 0 && { packages: [...packages] }) },
    ...(seesAll && { contract: "batch" }),
  };
  return traced(grader, place);
}

/**
 * The file and name of a class such as `tasks.eval.my_task.custom_evaluator.Name`, relative to the manifest's folder.
 */
export async function findClass(
  part: Part,
  path: string,
  task: SygraTask,
): Promise<{ readonly file: string; readonly name: string } | undefined> {
  const steps = path.split(".");
  const name = steps.at(-1) ?? "";
  const file = `${join(task.home, ...steps.slice(0, -1))}.py`;
  if (await task.tools.isThere(file)) return { file: pathInDocument(file, task.tools), name };
  const shown = pathInDocument(file, task.tools);
  return task.refuse(problem("sygra_class_missing", { path, file: shown }, placeOf(part)));
}

/** The folders from which a class imports by absolute names. */
export async function packagesOf(task: SygraTask): Promise<readonly string[]> {
  const folder = join(task.home, "tasks");
  return (await task.tools.isThere(folder)) ? [pathInDocument(folder, task.tools)] : [];
}

type Registry = "unit_metric" | "aggregator_metric";

const registryFolders: Readonly<Record<Registry, string>> = {
  unit_metric: "sygra/core/eval/metrics/unit_metrics",
  aggregator_metric: "sygra/core/eval/metrics/aggregator_metrics",
};

/**
 * Finds the classes that a decorator registers, in SyGra's folder of metrics and next to the task; maps names to files.
 */
export async function discover(
  registry: Registry,
  task: SygraTask,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string[]>();
  for (const folder of [task.tools.directory, join(task.home, registryFolders[registry])]) {
    for (const file of await task.tools.pythonFiles(folder)) {
      const text = (await task.tools.readText(file)) ?? "";
      for (const name of registeredIn(text, registry))
        found.set(name, [...(found.get(name) ?? []), pathInDocument(file, task.tools)]);
    }
  }
  return new Map([...found].map(([name, files]) => [name, onlyOne(name, files, task)]));
}

function onlyOne(name: string, files: readonly string[], task: SygraTask): string {
  const { root } = task;
  if (new Set(files).size > 1)
    task.warn(problem("sygra_registered_twice", { name, files }, placeOf(root)));
  return files[0] ?? "";
}

function registeredIn(text: string, registry: Registry): readonly string[] {
  const pattern = new RegExp(`^\\s*@${registry}\\(\\s*(["'])([^"'\\n]+)\\1\\s*\\)`, "gm");
  return [...text.matchAll(pattern)].map(([, , name = ""]) => name);
}

/** Refuses an unknown name, and suggests the nearest known one. */
export function refuseUnknown(
  part: Part,
  {
    what,
    name,
    known,
  }: { readonly what: string; readonly name: string; readonly known: readonly string[] },
  task: SygraTask,
): undefined {
  const found = { what, name, known, suggestion: nearest(name, known) };
  return task.refuse(problem("sygra_name_unknown", found, placeOf(part)));
}

/** Makes a name that is valid for a grader. */
export function graderName(name: string): string {
  return name
    .replaceAll("@", "_at_")
    .replaceAll("^", "_hat_")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .slice(0, 64);
}

/** The allowed words of a built-in grader's option. */
export function optionNames(grader: BuiltinGrader, option: string): readonly string[] {
  const about = builtinGraders[grader].options[option];
  const names = isJsonObject(about) ? about["enum"] : undefined;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
