import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { documentAction } from "../../scripts/document-action.ts";

it("documents the inputs and outputs that the action has (node scripts/document-action.ts)", async () => {
  expect(await documentAction(".")).toBe(await readFile("docs/action.md", "utf8"));
});

it("gives every dependency a sentence in docs/dependencies.md", async () => {
  const about: unknown = JSON.parse(await readFile("package.json", "utf8"));
  const { dependencies, devDependencies } = about as Record<string, Record<string, string>>;
  const page = await readFile("docs/dependencies.md", "utf8");
  const named = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  const wanted = Object.keys({ ...dependencies, ...devDependencies });
  expect(new Set(named)).toEqual(new Set(wanted));
});
