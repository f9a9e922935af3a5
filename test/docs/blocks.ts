import { readdir, readFile } from "node:fs/promises";
import { parse } from "yaml";
import { isJsonObject, type Json } from "../../src/model/json.ts";

/** A block of code in a page of the docs. */
export interface Block {
  /** Which of its page's blocks of a language it is, of those without a mark that are no workflow: `docs/messages.md yaml 2`. */
  readonly id: string;
  readonly language: string;
  /** A comment before it says what it is: `<!-- grader: label -->`. */
  readonly mark: string | undefined;
  readonly text: string;
}

const keysOfWorkflows = ["on", "jobs", "steps", "env", "permissions", "with", "concurrency"];

const names = (await readdir("docs")).filter((name) => name.endsWith(".md"));

/** The README and the pages of docs/, with their blocks. */
export const pages = await Promise.all(
  ["README.md", ...names.map((name) => `docs/${name}`)].map(async (name) => {
    const text = await readFile(name, "utf8");
    return { name, text, blocks: blocksIn(name, text) };
  }),
);

function blocksIn(name: string, page: string): readonly Block[] {
  const counts = new Map<string, number>();
  const found = page.matchAll(/^(?:<!-- ([^\n]+) -->\n)?```(\w+)\n([^]*?)^```$/gm);
  return [...found].map(([, mark, language = "", text = ""]) => {
    const isNamed = mark === undefined && !(language === "yaml" && isWorkflow({ text }));
    const nth = (counts.get(language) ?? 0) + (isNamed ? 1 : 0);
    counts.set(language, nth);
    return { id: isNamed ? `${name} ${language} ${nth}` : "", language, mark, text };
  });
}

/** A workflow or a part of one, which is no manifest. */
export function isWorkflow({ text }: Pick<Block, "text">): boolean {
  const value = parse(text) as Json;
  return !isJsonObject(value) || keysOfWorkflows.some((key) => key in value);
}
