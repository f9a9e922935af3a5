import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  ...(await readdir("docs", { recursive: true }))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

it.each(pages)("%s leads to files and headings that are there", async (page) => {
  const broken: string[] = [];
  for (const target of linksIn(withoutCode(await readFile(page, "utf8")))) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    if (!existsSync(file)) broken.push(target);
    else if (anchor !== undefined && !(await anchorsOf(file)).includes(anchor)) broken.push(target);
  }
  expect(broken).toEqual([]);
});

it("pages that messages and comments name are there", async () => {
  const found = new Set<string>();
  for (const folder of ["src", "python", "viewer"])
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/\.(?:ts|tsx|py)$/.test(name) || name.includes("node_modules")) continue;
      const text = await readFile(join(folder, name), "utf8");
      for (const [page] of text.matchAll(/(?<![\w./-])docs\/[\w/-]+\.md/g)) found.add(page);
    }
  expect(found.size).toBeGreaterThan(5);
  expect([...found].filter((page) => !existsSync(page))).toEqual([]);
});

function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "");
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
}

/** The anchors that GitHub gives a page's headings, and those that keep a heading's earlier name. */
async function anchorsOf(file: string): Promise<readonly string[]> {
  const text = (await readFile(file, "utf8")).replaceAll(/^```[^]*?^```/gm, "");
  const kept = [...text.matchAll(/^<a id="([^"]+)"><\/a>$/gm)].map(([, id]) => id ?? "");
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) =>
    (heading ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return [...headings, ...kept];
}
