import { basename } from "node:path";
import {
  isAggregate,
  type NamedGrader,
  type SeveralGraders,
  type SingleGrader,
} from "../../model/definition/graders.ts";
import { isSampleMetric, weightedId } from "../../model/definition/metric.ts";
import { nearest } from "../../base/nearest.ts";
import { problem } from "../../model/refusal.ts";
import type { ManifestContext } from "../context.ts";
import { at, itemsOf, numberOf, type Part, placeOf, textOf } from "../../base/part.ts";

/** The entries of `graders`, each with its name and weight; undefined if one of them is refused. */
export async function resolveSeveral(
  list: Part,
  resolve: (item: Part) => Promise<SingleGrader | undefined>,
  context: ManifestContext,
): Promise<SeveralGraders | undefined> {
  const graders: NamedGrader[] = [];
  const items = itemsOf(list);
  for (const item of items) {
    const grader = await resolve(item);
    if (grader === undefined) continue;
    const name = textOf(at(item, "name")) ?? nameOf(grader);
    checkName(name, item, { others: graders, context: context });
    // A batch grader need not give each sample a score.
    const weight = numberOf(at(item, "weight")) ?? (isAggregate(grader) ? 0 : 1);
    const target_template = textOf(at(item, "target_template"));
    const own = target_template === undefined ? {} : { target_template };
    graders.push({ name, weight, ...own, grader });
  }
  if (graders.length < items.length) return undefined;
  checkSources(graders, items, context);
  return { type: "several", graders };
}

/** An aggregate must name another grader as its source: without one it would count every sample as wrong. */
function checkSources(
  graders: readonly NamedGrader[],
  items: readonly Part[],
  context: ManifestContext,
): void {
  const sources = graders.flatMap(({ name, grader }) => (isAggregate(grader) ? [] : [name]));
  for (const [i, { grader }] of graders.entries()) {
    const item = items[i];
    if (grader.type === "aggregate" && item !== undefined) checkSource(item, sources, context);
  }
}

/** Refuses an aggregate whose `source` is no grader with a result per sample. */
export function checkSource(
  part: Part,
  sources: readonly string[],
  context: ManifestContext,
): void {
  const written = at(part, "source");
  const source = textOf(written) ?? "";
  if (sources.includes(source)) return;
  const found = { source, sources, suggestion: nearest(source, sources) };
  context.refuse(problem("aggregate_source_unknown", found, placeOf(written)));
}

/** The default name of a grader: the type of a built-in one; the file's name, without its ending, for code in a file. */
function nameOf(grader: SingleGrader): string {
  if (grader.type !== "python") return grader.type;
  if (grader.source.kind === "inline") return "python";
  const stem = basename(grader.source.file.path).replace(/(?<=.)\.[^.]*$/, "");
  return stem.replaceAll(/[^A-Za-z0-9_-]+/g, "_");
}

function checkName(
  name: string,
  item: Part,
  {
    others,
    context,
  }: { readonly others: readonly NamedGrader[]; readonly context: ManifestContext },
): void {
  const written = at(item, "name");
  const place = placeOf(textOf(written) === undefined ? item : written);
  if (name === weightedId || isSampleMetric(name))
    context.refuse(problem("grader_name_reserved", { name }, place));
  else if (others.some((other) => other.name === name))
    context.refuse(problem("grader_name_taken", { name }, place));
}
