import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { documentManifest } from "../../scripts/document-manifest.ts";

it("documents the keys that the manifest has, and which of them this version takes (node scripts/document-manifest.ts)", async () => {
  expect(await documentManifest(".")).toBe(await readFile("docs/manifest.md", "utf8"));
});
