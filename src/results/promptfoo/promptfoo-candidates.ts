import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** One column of promptfoo's table: a prompt asked of a provider. */
export interface AskedPrompt {
  readonly provider: string;
  /** Number of its column, the same in every row. */
  readonly index: number;
  readonly label: string;
  /** Its text, with the values filled in. */
  readonly raw: string;
}

/** The column of a row. undefined if it has none. */
export function promptOf(row: JsonObject): AskedPrompt | undefined {
  const { promptIdx: index } = row;
  const prompt = isJsonObject(row["prompt"]) ? row["prompt"] : {};
  const provider = providerName(row["provider"] ?? null);
  if (provider === undefined || typeof index !== "number") return undefined;
  return { provider, index, label: textOr(prompt["label"], ""), raw: textOr(prompt["raw"], "") };
}

function textOr(value: Json | undefined, other: string): string {
  return typeof value === "string" ? value : other;
}

/** The label that the user gave, otherwise the id. */
function providerName(provider: Json): string | undefined {
  if (typeof provider === "string") return provider === "" ? undefined : provider;
  if (!isJsonObject(provider)) return undefined;
  return [provider["label"], provider["id"]].find(
    (name): name is string => typeof name === "string" && name !== "",
  );
}

/**
 * A name for each column that stays the same when a prompt is reworded: the provider's name and, if the provider was
 * asked several prompts, the prompt's label, file or number.
 */
export function nameCandidates(prompts: readonly AskedPrompt[]): (prompt: AskedPrompt) => string {
  const ordered = prompts.toSorted((a, b) => a.index - b.index);
  const names = new Map<number, string>();
  for (const { provider } of ordered) {
    const own = ordered.filter((prompt) => prompt.provider === provider);
    const labels = own.map((prompt, at) => promptName(prompt) ?? `prompt ${at + 1}`);
    for (const [at, { index }] of own.entries()) {
      const label = labels[at] ?? "";
      const isAlone = labels.indexOf(label) === labels.lastIndexOf(label);
      const name = isAlone ? label : `${label} ${at + 1}`;
      names.set(index, own.length === 1 ? provider : `${provider} · ${name}`);
    }
  }
  return ({ provider, index }) => names.get(index) ?? provider;
}

const longestLabel = 60;

/** undefined if the label is the prompt's own text, which promptfoo uses if the user gave none. */
function promptName({ label, raw }: AskedPrompt): string | undefined {
  const file = /^([^\s:]+\.\w+): /.exec(label)?.[1];
  if (file !== undefined) return file;
  const isText = label === raw || /\{[{%]|\n/.test(label);
  return isText || label === "" || label.length > longestLabel ? undefined : label;
}
