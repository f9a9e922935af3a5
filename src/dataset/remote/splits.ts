import { isJsonObject, type Json } from "../../model/json.ts";
import { nearest } from "../../base/nearest.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { RemoteTools } from "../../model/ports/remote.ts";
import type { HubDataset } from "../../model/definition/dataset.ts";
import type { RequestRemote } from "./ask.ts";
import { askServerJson } from "./server.ts";

/** A split of a data set's config. */
interface Split {
  readonly config: string;
  readonly split: string;
}

interface ChosenConfig {
  readonly config: string;
  readonly warnings: readonly Problem[];
}

/**
 * Chooses the config to read from the server's own list. Throws a Refusal if there is no such config or split. Without
 * a `name` it is `default` if that config has the split, else the first config that has it.
 */
export async function chooseConfig(
  dataset: HubDataset,
  ask: RequestRemote,
  tools: RemoteTools,
): Promise<ChosenConfig> {
  const { path, name } = dataset;
  const url = `${tools.servers.rows}/splits?${new URLSearchParams({ dataset: path }).toString()}`;
  const answer = await askServerJson({ url, path, tools }, ask);
  if (answer.kind === "said_no") {
    // The server makes no list for a data set with thousands of configs; a named config may exist nevertheless.
    if (name !== undefined) return { config: name, warnings: [] };
    throw new Refusal(problem("hub_refused", { path, reason: answer.reason }));
  }
  const splits = splitsOf(answer.body, "splits");
  return name === undefined
    ? discover(dataset, splits)
    : { config: check({ ...dataset, name }, { splits, body: answer.body }), warnings: [] };
}

function splitsOf(body: Json, key: string): readonly Split[] {
  const list = isJsonObject(body) ? body[key] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: Json) => {
    if (!isJsonObject(item)) return [];
    const { config, split } = item;
    return typeof config === "string" && typeof split === "string" ? [{ config, split }] : [];
  });
}

function discover({ path, split }: HubDataset, splits: readonly Split[]): ChosenConfig {
  const having = unique(splits.filter((each) => each.split === split).map(({ config }) => config));
  const [first] = having;
  if (first === undefined) throw unknownSplit({ path, split, config: undefined }, splits);
  const config = having.includes("default") ? "default" : first;
  if (having.length === 1 || config === "default") return { config, warnings: [] };
  const found = { path, split, config, count: having.length };
  return { config, warnings: [problem("hub_config_chosen", found)] };
}

function check(
  { path, name, split }: HubDataset & { readonly name: string },
  { splits, body }: { readonly splits: readonly Split[]; readonly body: Json },
): string {
  const ofConfig = splits.filter(({ config }) => config === name);
  if (ofConfig.some((each) => each.split === split)) return name;
  // The list of splits lacks those that the server has not built yet, or could not build.
  const isUnmade = ["pending", "failed"].some((key) => configsIn(body, key).includes(name));
  if (isUnmade && ofConfig.length === 0) return name;
  if (ofConfig.length > 0) throw unknownSplit({ path, split, config: name }, ofConfig);
  const known = unique(splits.map(({ config }) => config));
  const found = { path, name, known, nearest: nearest(name, known) };
  throw new Refusal(problem("hub_config_unknown", found));
}

function configsIn(body: Json, key: string): readonly Json[] {
  const list = isJsonObject(body) ? body[key] : undefined;
  if (!Array.isArray(list)) return [];
  return list.map((item: Json) => (isJsonObject(item) ? (item["config"] ?? null) : null));
}

function unknownSplit(
  asked: { readonly path: string; readonly split: string; readonly config: string | undefined },
  splits: readonly Split[],
): Refusal {
  const known = unique(splits.map(({ split }) => split));
  return new Refusal(
    problem("hub_split_unknown", { ...asked, known, nearest: nearest(asked.split, known) }),
  );
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
