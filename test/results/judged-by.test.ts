import { expect, it } from "vitest";
import { readJsonl } from "../../src/dataset/jsonl.ts";
import { openDeepeval } from "../../src/results/deepeval/deepeval.ts";
import { openInspect } from "../../src/results/inspect/inspect.ts";
import { openJsonl } from "../../src/results/jsonl.ts";
import { openLmEval } from "../../src/results/lm-eval/lm-eval.ts";
import { openPromptfoo } from "../../src/results/promptfoo/promptfoo.ts";
import type { OpenResults, ResultSource } from "../../src/results/source.ts";
import { openWaza } from "../../src/results/waza-runs/waza.ts";
import { readAll, recorded, sourceOf } from "../support/result-source.ts";

/** How each tool's files tell by what a case was judged: a milder test is not the same test. */

const jsonl: OpenResults = (source, shape) =>
  openJsonl(source, shape, (bytes, file) => readJsonl(bytes, { file, needsSource: () => false }));
const own = Buffer.from(
  '{"id": "a", "score": 1, "output": "x", "judged_by": {"model": "large"}}\n',
);

const name = "samples_tickets_2026-11-22T09-58-32.121219.jsonl";
const totals = recorded("lm-eval/base/results_2026-11-22T09-58-32.121219.json");

/** What the rows of a file were judged by, after texts in it were replaced. */
async function judgedBy(
  open: OpenResults,
  file: Buffer,
  [from, to]: readonly [string, string],
): Promise<string> {
  const edited = (content: Buffer): string => content.toString().replaceAll(from, to);
  const isLmEval = open === openLmEval;
  const source: ResultSource = isLmEval
    ? { ...sourceOf(file, name), beside: async (other) => sourceOf(edited(totals), other) }
    : sourceOf(edited(file));
  const { rows } = await readAll(open, source);
  return JSON.stringify(rows.map((row) => row.judgedBy));
}

const same = ["", ""] as const;

it.each<readonly [string, OpenResults, Buffer, string, string]>([
  ["promptfoo", openPromptfoo, recorded("promptfoo/base.json"), '"weight": 3', '"weight": 1'],
  ["promptfoo", openPromptfoo, recorded("promptfoo/base.json"), '"icontains"', '"is-json"'],
  [
    "deepeval",
    openDeepeval,
    recorded("deepeval/base-single.json"),
    '"threshold": 0.5',
    '"threshold": 0.1',
  ],
  [
    "deepeval",
    openDeepeval,
    recorded("deepeval/base-single.json"),
    '"strictMode": false',
    '"strictMode": true',
  ],
  [
    "Inspect",
    openInspect,
    recorded("inspect/few.json"),
    '"name": "match",\n        "options": {}',
    '"name": "match",\n        "options": { "location": "any" }',
  ],
  ["lm-eval", openLmEval, recorded(`lm-eval/base/${name}`), '"exact_match"', '"contains"'],
  ["waza", openWaza, recorded("waza/base.json"), '"weight": 3', '"weight": 1'],
  ["rows of one's own", jsonl, own, "large", "small"],
])("%s tells by what its cases were judged", async (...[, open, file, from, to]) => {
  const before = await judgedBy(open, file, same);
  expect(await judgedBy(open, file, [from, to])).not.toBe(before);
});

it.each<readonly [string, OpenResults, string]>([
  ["promptfoo", openPromptfoo, "promptfoo/base.json"],
  ["deepeval", openDeepeval, "deepeval/base-single.json"],
  ["waza", openWaza, "waza/base.json"],
])("%s tells the same of another answer, or nothing", async (_, open, base) => {
  const told = async (file: string): Promise<ReadonlySet<string>> => {
    const { rows } = await readAll(open, sourceOf(recorded(file)));
    return new Set(rows.flatMap(({ id, judgedBy: by }) => (by ? [JSON.stringify([id, by])] : [])));
  };
  const [before, after] = [await told(base), await told(base.replace("base", "head"))];
  expect(after.size).toBeGreaterThan(0);
  expect([...after.difference(before)]).toEqual([]);
});
