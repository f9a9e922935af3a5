import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Overrides } from "../../model/definition/overrides.ts";
import type { Locate, Path } from "../../base/place.ts";
import { settingAliases } from "./generation.ts";

interface Written {
  readonly value: Json;
  readonly locate: Locate;
}

/** The manifest with values replaced by flags. Problems of such a value name the flag. */
export function override({ value, locate }: Written, overrides: Overrides): Written {
  if (!isJsonObject(value)) return { value, locate };
  const asked = withModels(value, overrides.models ?? []);
  const { judge_model, embedding_model, concurrency, generation = {} } = overrides;
  const settings = {
    ...(judge_model !== undefined && { judge_model }),
    ...(embedding_model !== undefined && { embedding_model }),
    ...(concurrency !== undefined && { concurrency }),
  };
  const chosen = withRun(withSettings(asked.manifest, generation), settings);
  const flags = [...asked.flags, ...flagsOf(overrides)];
  return {
    value: chosen,
    locate: (path, part) => {
      const flag = flags.find((each) => startsWith(path, each.path))?.flag;
      return flag === undefined ? locate(path, part) : { file: locate([]).file, path: flag };
    },
  };
}

interface FlagAt {
  readonly path: Path;
  readonly flag: string;
}

/** The only slot keeps its name, and its settings if it is a model: rules may name it. Several slots are replaced. */
function withModels(
  manifest: JsonObject,
  models: readonly string[],
): { readonly manifest: JsonObject; readonly flags: readonly FlagAt[] } {
  if (models.length === 0) return { manifest, flags: [] };
  const flag = "--model";
  const { candidates, models: _models, ...rest } = manifest;
  const [slot, ...others] = isJsonObject(candidates) ? Object.entries(candidates) : [];
  const [model = "", ...more] = models;
  if (slot === undefined || others.length > 0 || more.length > 0)
    return { manifest: { ...rest, models: [...models] }, flags: [{ path: ["models"], flag }] };
  const [name, declared] = slot;
  const isModel = isJsonObject(declared) && "model" in declared;
  const path = ["candidates", name, ...(isModel ? ["model"] : [])];
  const slots = { [name]: isModel ? { ...declared, model } : model };
  return { manifest: { ...rest, candidates: slots }, flags: [{ path, flag }] };
}

/** Removes settings of candidates that would override the run's. */
function withSettings(manifest: JsonObject, settings: JsonObject): JsonObject {
  if (Object.keys(settings).length === 0) return manifest;
  const { run = {}, candidates } = manifest;
  // A `run` that is not a mapping is refused unchanged.
  if (!isJsonObject(run)) return manifest;
  const { generation = {} } = run;
  const set = isJsonObject(generation) ? setAll(generation, settings) : generation;
  const slots = isJsonObject(candidates) ? Object.entries(candidates) : [];
  const own = slots.map(([name, slot]) => [name, withOwn(slot, settings)] as const);
  return {
    ...manifest,
    run: { ...run, generation: set },
    ...(slots.length > 0 && { candidates: Object.fromEntries(own) }),
  };
}

function withOwn(slot: Json, settings: JsonObject): Json {
  if (!isJsonObject(slot) || !("model" in slot)) return slot;
  const declared = Object.entries(settings).filter(([key]) => {
    const [first = ""] = key.split(".");
    return [first, ...otherNamesOf(first)].some((name) => name in slot);
  });
  return setAll(slot, Object.fromEntries(declared));
}

function setAll(generation: JsonObject, settings: JsonObject): JsonObject {
  return Object.entries(settings).reduce((all, [key, value]) => {
    const [first = "", ...steps] = key.split(".");
    const others = otherNamesOf(first);
    const kept = Object.entries(all).filter(([name]) => !others.includes(name));
    return setIn(Object.fromEntries(kept), [first, ...steps], value);
  }, generation);
}

function setIn(object: JsonObject, [first, ...rest]: readonly string[], value: Json): JsonObject {
  if (first === undefined) return object;
  const within = object[first];
  const inner = isJsonObject(within) ? within : {};
  return { ...object, [first]: rest.length === 0 ? value : setIn(inner, rest, value) };
}

function otherNamesOf(key: string): readonly string[] {
  return settingAliases
    .filter((names) => names.includes(key))
    .flat()
    .filter((name) => name !== key);
}

function withRun(manifest: JsonObject, settings: JsonObject): JsonObject {
  const { run = {} } = manifest;
  if (Object.keys(settings).length === 0 || !isJsonObject(run)) return manifest;
  return { ...manifest, run: { ...run, ...settings } };
}

function flagsOf({ models: _models, generation = {}, ...others }: Overrides): readonly FlagAt[] {
  const ofRun = Object.keys(others).map((key) => ({
    path: ["run", key],
    flag: `--${key.replaceAll("_", "-")}`,
  }));
  const settings = Object.keys(generation).map((key) => ({
    path: ["run", "generation", ...key.split(".")],
    flag: `--generation ${key}`,
  }));
  return [...ofRun, ...settings];
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((step, i) => path[i] === step);
}
