import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Calibration } from "../../src/model/figures/calibration.ts";
import type { PowerReport } from "../../src/model/figures/power.ts";
import type { RuleResult } from "../../src/model/outcomes/rule-result.ts";
import { cleanEnvironment, jsonLines, readRunDirectory } from "../support/cli.ts";
import { runCliHere } from "../support/cli-here.ts";

/**
 * Whatever command somebody asks, the smallest drop that a suite could see is the same: by what is assumed before anything has run,
 * and by what a comparison found after it.
 */

const cases = 120;
const each = 10;

/** 0/1 answers, a graded mark, the same answers by document, and a number for all of them together; a rule for each, and one for each language. */
const suite = `name: figures
candidates: { app: { replay: answers.jsonl } }
tasks:
  - id: qa
    dataset: rows.jsonl
    prompt_template: "{{q}}"
    target_template: "{{a}}"
    grader: exact_match
    slices: [language]
  - id: marks
    dataset: rows.jsonl
    prompt_template: "{{q}}"
    grader: { type: python, file: mark.py }
    metrics: [{ id: mark, range: [0, 1], scale: graded }]
  - id: documents
    dataset: rows.jsonl
    prompt_template: "{{q}}"
    target_template: "{{a}}"
    grader: exact_match
    cluster_by: document
  - id: batch
    dataset: rows.jsonl
    prompt_template: "{{q}}"
    grader: { type: python, file: batch.py, contract: batch }
    metrics: [{ id: whole, range: [0, 1], scale: graded }]
gate:
  rules:
    - { metric: qa/exact_match, max_drop: 0.01 }
    - { metric: qa/exact_match, max_drop: 0.01, slice: "language=*" }
    - { metric: marks/mark, max_drop: 0.01 }
    - { metric: documents/exact_match, max_drop: 0.01 }
    - { metric: batch/whole, max_drop: 0.01 }
`;

const files = {
  "suite.yaml": suite,
  "mark.py":
    "def grade(sample, item):\n    return {'scores': {'mark': float(sample['output_text'][1:])}}\n",
  "batch.py": "def grade_batch(samples, items):\n    return {'metrics': {'whole': 0.5}}\n",
  "rows.jsonl": jsonLines(
    Array.from({ length: cases }, (_, i) => ({
      id: `c${i}`,
      q: `${i}?`,
      a: "x0.5",
      document: `d${Math.floor(i / each)}`,
      language: i % 3 === 0 ? "de" : "en",
    })),
  ),
};

/** As many of the cases are wrong on both sides, and not the same ones. */
function answers(isWrong: (i: number) => boolean): string {
  return jsonLines(
    Array.from({ length: cases }, (_, i) => ({
      case_id: `c${i}`,
      output_text: isWrong(i) ? "x0.3" : "x0.5",
    })),
  );
}

/** Of a metric: the smallest drop, and the cases that a drop of the limit takes. */
type Figures = Readonly<Record<string, readonly [detects: string, needed: string]>>;

const percent = (share: number | null): string => (100 * (share ?? Number.NaN)).toFixed(1);
const grouped = (count: number | undefined): string =>
  (count ?? Number.NaN).toLocaleString("en-US");

function nameOf({ task, metric, slice }: Pick<RuleResult, "task" | "metric" | "slice">): string {
  return `${task}/${metric}${slice === null ? "" : ` · ${slice}`}`;
}

function ofPower({ places }: PowerReport): Figures {
  return Object.fromEntries(
    places.map((place) => [
      nameOf(place),
      [percent(place.detects), grouped(place.rows[0]?.cases[0]?.cases)],
    ]),
  );
}

function ofCalibration({ rules }: Calibration): Figures {
  return Object.fromEntries(
    rules.flatMap((rule) => {
      const needed = /about ([\d,]+) instead of/.exec(rule.advice.join(" "))?.[1] ?? "";
      return rule.detects === null ? [] : [[nameOf(rule), [percent(rule.detects), needed]]];
    }),
  );
}

/** The advice on `max_drop`, of a run as of `validate`. */
function ofAdvice(text: string): Figures {
  const sentence =
    /([\w/=]+(?: · [\w=]+)?)`? asks to hold .*? only from about ([\d.]+) points on [^]*? would take about ([\d,]+) cases; .*?`max_drop: ([\d.]+)` is what is held now/g;
  return Object.fromEntries(
    [...text.matchAll(sentence)].map(([, name = "", seen = "", needed = "", holds]) => {
      // Rounded up to two digits.
      const above = 100 * Number(holds) - Number(seen);
      expect(above).toBeGreaterThan(-0.05);
      expect(above).toBeLessThan(1.05);
      return [name, [seen, needed]];
    }),
  );
}

describe("the smallest drop that could be seen, and the cases that the rule's drop takes", () => {
  let fixture: FsFixture;
  let head: Awaited<ReturnType<typeof readRunDirectory>>;
  let ask: (...argv: readonly string[]) => ReturnType<typeof runCliHere>;
  const json = async <T>(...argv: readonly string[]): Promise<T> =>
    JSON.parse((await ask(...argv, "--json")).stdout) as T;

  beforeAll(async () => {
    fixture = await createFixture(files);
    const directory = fixture.path;
    ask = (...argv) => runCliHere({ argv, directory, env: cleanEnvironment(directory) });
    const runWith = async (wrong: number, ...argv: readonly string[]): Promise<void> => {
      await fixture.writeFile(
        "answers.jsonl",
        answers((i) => i % 16 === wrong),
      );
      const end = await ask("run", "suite.yaml", "--quiet", ...argv);
      expect(end).toMatchObject({ code: 0, stderr: "" });
    };
    await runWith(0, "--baseline", "none", "--out", "base");
    await runWith(8, "--baseline", "base", "--out", "head");
    head = await readRunDirectory(fixture.getPath("head"));
  });
  afterAll(() => fixture.rm());

  it("are the same in a run, its advice, power and calibrate", async () => {
    const ofRun = Object.fromEntries(
      head.run.gate.rules.flatMap((rule) =>
        rule.mde === null ? [] : [[nameOf(rule), percent(rule.mde)]],
      ),
    );
    const names = Object.keys(ofRun);
    expect(names).toEqual([
      "qa/exact_match",
      "qa/exact_match · language=de",
      "qa/exact_match · language=en",
      "marks/mark",
      "documents/exact_match",
    ]);
    const power = ofPower(await json<PowerReport>("power", "head", "--drop", "0.01"));
    expect(Object.fromEntries(names.map((name) => [name, power[name]?.[0]]))).toEqual(ofRun);
    expect(ofAdvice(head.summary)).toEqual(power);
    const calibration = await json<Calibration>("calibrate", "base", "head");
    expect(ofCalibration(calibration)).toEqual(power);
    // Of a number for all cases together no figure is known, which does not mean that it takes more cases.
    expect(calibration.rules.find(({ task }) => task === "batch")?.advice).toEqual([]);
  });

  it("are the same before there is a baseline: in power of the manifest and of a first run, and in validate", async () => {
    const power = ofPower(await json<PowerReport>("power", "suite.yaml", "--drop", "0.01"));
    const first = ofPower(await json<PowerReport>("power", "base", "--drop", "0.01"));
    for (const name of ["qa/exact_match", "marks/mark", "documents/exact_match"])
      expect(power[name]).toEqual(first[name]);
    const validated = ofAdvice((await ask("validate", "suite.yaml")).stderr);
    // What is assumed of a graded metric is no reason to warn.
    expect(validated).toEqual({
      "qa/exact_match": power["qa/exact_match"],
      "documents/exact_match": power["documents/exact_match"],
    });
  });

  it("rest on as many comparisons that share alpha before a run as in it", async () => {
    for (const path of ["suite.yaml", "base", "head"]) {
      const { places } = await json<PowerReport>("power", path);
      expect(new Set(places.map(({ comparisons }) => comparisons))).toEqual(new Set([6]));
    }
  });
});
