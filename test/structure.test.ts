import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { layersAsMarkdown, measureStructure, sentencesIn } from "../scripts/structure.ts";

/** What nobody may break, whatever they add: `npm run structure -- --list` says where. */
const root = join(import.meta.dirname, "..");
const structure = measureStructure(root);

describe("the structure of src/", () => {
  it("has no name that is imported against the table of layers", () => {
    expect(structure.misplaced).toEqual([]);
  });

  it("has no files whose values import each other in a circle", () => {
    expect(structure.cycles).toEqual([]);
  });

  it("has no folders of the action that import each other in a circle", () => {
    expect(structure.circles).toEqual([]);
  });

  it("has no subfolder that bears another folder's name", () => {
    expect(structure.namesakes).toEqual([]);
  });

  it("has no sentence in the gate: one place makes them, by one formatter", () => {
    expect(structure.gateSentences).toEqual([]);
    const said = 'const kind = `a-b`; // in words\nreturn `${n} cases broke` + "at worst";';
    expect(sentencesIn(said)).toEqual(["`${n} cases broke`", '"at worst"']);
  });

  it("has no name that two files export", () => {
    expect(structure.twice).toEqual([]);
  });

  it("has no export that nothing but tests imports", () => {
    expect(structure.unused).toEqual([]);
  });

  it("has no folder that holds more than an eighth of it", () => {
    expect(structure.sizes.largestFolder.share).toBeLessThan(0.125);
  });

  it("is drawn in docs/architecture.md as it is", () => {
    const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
    expect(page).toContain(layersAsMarkdown());
    const named = page.matchAll(/`((?:src|scripts|python)\/[\w./-]+)`/g);
    const gone = Array.from(named, ([, path = ""]) => path).filter(
      (path) => !existsSync(join(root, path)),
    );
    expect(gone).toEqual([]);
  });
});

it("the page of a report is at most 140 kB without its run, for each run has one", () => {
  expect(statSync(join(root, "dist/report.html")).size).toBeLessThan(140_000);
});
