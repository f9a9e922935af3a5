import { relative } from "node:path";
import { createFixture } from "fs-fixture";
import { expect, test } from "vitest";
import { findRunTexts } from "../../src/store/other-runs.ts";

const run = (folder: string, more: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries({ "run.json": "", "samples.jsonl": "", "scores.jsonl": "", ...more }).map(
      ([name, text]) => [`${folder}/${name}`, text],
    ),
  );

test("the texts of runs are found at a place, below it and inside a run; not where a run is under way", async () => {
  await using fixture = await createFixture({
    ...run("work/o0", { "report.html": "" }),
    ...run("work/o0/confirm/1/head"),
    ...run("work/.regrade/runs/run_1"),
    ...run("work/all/qa"),
    ...run("work/deep/er/and/deeper"),
    ...run("work/busy", { "run.lock": "" }),
    ...run("work/out"),
    ...run("work/out/baseline"),
    ...run("elsewhere/base"),
    "work/kb/samples.jsonl": "",
    "work/node_modules/a/run.json": "",
  });
  const found = await findRunTexts(fixture.getPath("work"), {
    places: [".regrade", "../elsewhere/base", fixture.getPath("missing")],
    except: "out",
  });
  expect(found.map((path) => relative(fixture.path, path)).toSorted()).toEqual([
    "elsewhere/base/samples.jsonl",
    "work/.regrade/runs/run_1/samples.jsonl",
    "work/all/qa/samples.jsonl",
    "work/o0/confirm/1/head/samples.jsonl",
    "work/o0/report.html",
    "work/o0/samples.jsonl",
  ]);
});
