import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { routes } from "../support/github/routes.ts";

/** What goes out to GitHub, and what it is checked with. */

const src = join(import.meta.dirname, "../../src");
const slice = JSON.parse(
  readFileSync(join(import.meta.dirname, "../support/github/openapi.json"), "utf8"),
) as { readonly operations: Readonly<Record<string, unknown>> };

const called = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .flatMap((path) => routesIn(readFileSync(join(src, path), "utf8")));

function routesIn(text: string): readonly string[] {
  const found = text.matchAll(/"((?:GET|POST|PUT|PATCH|DELETE) \/[^"\s]*)"/g);
  const all = Array.from(found, ([, route = ""]) => route);
  // An example in a comment.
  return all.filter((route) => !route.endsWith("…"));
}

describe("every call of the product", () => {
  it("is found", () => {
    expect(new Set(called).size).toBeGreaterThan(12);
  });

  it.each([...new Set(called)].toSorted())(
    "%s is served by the stand-in, and checked with GitHub's own description",
    (route) => {
      expect(Object.keys(routes)).toContain(route);
      expect(Object.keys(slice.operations)).toContain(route);
    },
  );
});
