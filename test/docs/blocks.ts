import { readdir, readFile } from "node:fs/promises";
import { parse } from "yaml";
import { isJsonObject, type Json } from "../../src/model/json.ts";

/** A block of code in a page of the docs. */
export interface Block {
  /** `docs/messages.md#Images`, and from the second one under a heading on its number: `docs/github.md#Shards 2`. */
  readonly id: string;
  readonly language: string;
  /** A comment before it says what it is: `<!-- grader: label -->`. */
  readonly mark: string | undefined;
  readonly text: string;
}

const names = (await readdir("docs")).filter((name) => name.endsWith(".md"));

/** The README and the pages of docs/, with their blocks. */
export const pages = await Promise.all(
  ["README.md", ...names.map((name) => `docs/${name}`)].map(async (name) => {
    const text = await readFile(name, "utf8");
    return { name, text, blocks: blocksIn(name, text) };
  }),
);

function blocksIn(name: string, text: string): readonly Block[] {
  const under = new Map<string, number>();
  const found = text.matchAll(/^(?:<!-- ([^\n]+) -->\n)?```(\w+)\n([^]*?)^```$/gm);
  return [...found].map((match) => {
    const [, mark, language = "", code = ""] = match;
    const before = text.slice(0, match.index).replaceAll(/^```[^]*?^```$/gm, "");
    const heading = [...before.matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? "";
    const kind = `${heading} ${language}`;
    const nth = (under.get(kind) ?? 0) + 1;
    under.set(kind, nth);
    return {
      id: `${name}#${heading}${nth > 1 ? ` ${nth}` : ""}`,
      language,
      mark,
      text: code,
    };
  });
}

const keysOfWorkflows = ["on", "jobs", "steps", "env", "permissions", "with", "concurrency"];

/** A workflow or a part of one, which is no manifest. */
export function isWorkflow({ text }: Block): boolean {
  const value = parse(text) as Json;
  return !isJsonObject(value) || keysOfWorkflows.some((key) => key in value);
}
