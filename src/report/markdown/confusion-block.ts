import { isJsonObject, type Json } from "../../model/json.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { PublishContent } from "../../model/definition/suite.ts";
import type { Block } from "./budget.ts";
import { clip } from "../escape.ts";
import { count } from "../words/figures.ts";
import { details, inlineText, table } from "./layout.ts";

/** Wider tables are hard to read. */
const mostClasses = 12;

/** Confusion of golden classes and answers. Labels are texts of cases and answers, so `publish: ids` leaves it out. */
export function confusionBlock(run: Run, content: PublishContent): Block {
  const matrices = content === "ids" ? [] : matricesOf(run);
  return {
    name: "confusion matrices",
    rank: 7,
    rows: matrices.length,
    render: (shown) => matrices.slice(0, shown).map(rendered).join("\n\n"),
  };
}

interface Matrix {
  readonly title: string;
  readonly labels: readonly string[];
  readonly rows: readonly (readonly number[])[];
}

/** The matrices, one per task, candidate and source: precision, recall and F1 of the same source have the same matrix. */
function matricesOf(run: Run): readonly Matrix[] {
  const found = new Map<string, Matrix>();
  for (const { task, candidate, details: told } of run.batches ?? []) {
    for (const each of Object.values(told ?? {})) {
      const { confusion, source } = isJsonObject(each) ? each : {};
      const matrix = readMatrix(confusion);
      if (matrix === undefined || typeof source !== "string") continue;
      const title = `${task}, ${candidate}: ${source}`;
      if (!found.has(title)) found.set(title, { title, ...matrix });
    }
  }
  return [...found.values()];
}

function readMatrix(value: Json | undefined): Omit<Matrix, "title"> | undefined {
  const { labels, rows } = isJsonObject(value) ? value : {};
  if (!Array.isArray(labels) || !Array.isArray(rows)) return undefined;
  const texts = labels.filter((one) => typeof one === "string");
  if (texts.length > mostClasses) return undefined;
  const counts = rows.map((row) =>
    Array.isArray(row) ? row.filter((cell) => typeof cell === "number") : [],
  );
  return { labels: texts, rows: counts };
}

function rendered({ title, labels, rows }: Matrix): string {
  const heads = ["Golden", ...labels.map(label), "*other*", "*none*"];
  const lines = rows.map((row, i) => [label(labels[i] ?? ""), ...row.map(count)]);
  const body = table(heads, `l${"r".repeat(labels.length + 2)}`, lines);
  return details(`Confusion matrix of ${inlineText(clip(title, 200))}`, body);
}

function label(text: string): string {
  return text === "" ? "*empty*" : inlineText(clip(text, 40));
}
