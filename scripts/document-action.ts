import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "yaml";

/** Writes the tables of docs/action.md from action.yml: `node scripts/document-action.ts`. */
export async function documentAction(root: string): Promise<string> {
  const action: unknown = parse(await readFile(join(root, "action.yml"), "utf8"));
  const { inputs, outputs } = action as Record<"inputs" | "outputs", Entries>;
  const page = await readFile(join(root, "docs/action.md"), "utf8");
  return fill(fill(page, "inputs", inputTable(inputs)), "outputs", outputTable(outputs));
}

type Entries = Readonly<
  Record<string, { readonly description: string; readonly default?: string }>
>;

function inputTable(inputs: Entries): string {
  const rows = Object.entries(inputs).map(([name, { description, default: value }]) => {
    const shown = value === undefined || value === "" ? "empty" : `\`${cell(value)}\``;
    return `| \`${name}\` | ${shown} | ${cell(description)} |`;
  });
  return ["| input | default | meaning |", "|---|---|---|", ...rows].join("\n");
}

function outputTable(outputs: Entries): string {
  const rows = Object.entries(outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${cell(description)} |`,
  );
  return ["| output | meaning |", "|---|---|", ...rows].join("\n");
}

function cell(text: string): string {
  return text.trim().replaceAll("|", "\\|").replaceAll("\n", " ");
}

function fill(page: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: generated from action.yml -->`, `<!-- end of ${name} -->`];
  const [before, rest] = split(page, start);
  const [, after] = split(rest, end);
  return `${before}${start}\n\n${table}\n\n${end}${after}`;
}

function split(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`docs/action.md lacks the line ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname);
  await writeFile(join(root, "docs/action.md"), await documentAction(root));
}
