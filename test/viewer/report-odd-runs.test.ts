import { cp, readFile, truncate, writeFile } from "node:fs/promises";
import type { FsFixture } from "fs-fixture";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { hostileRun } from "../report/hostile-run.ts";
import { expectRefusal, regrade } from "../support/cli.ts";
import { hasBrowser, openBrowser, openReport, skippedWhere } from "../support/page/report-page.ts";
import { makeRichRun } from "../support/page/rich-run.ts";

/** Keys that runs of earlier versions don't have. */
const younger = ["noise", "located", "effort", "history", "failing", "crashed", "steady", "short"];

/** Every control character, and every mark of direction and of no width. */
const unseen = [
  ...Array.from({ length: 0x20 }, (_, i) => i).filter((code) => ![9, 10, 13].includes(code)),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  0x200b,
  0x200e,
  0x200f,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2066,
  0x2067,
  0x2068,
  0x2069,
  0x061c,
  0xfeff,
].map((code) => String.fromCodePoint(code));

describe.skipIf(!hasBrowser)(`report.html of odd runs (${skippedWhere})`, { tags: "long" }, () => {
  let fixture: FsFixture;
  let browser: Browser;

  beforeAll(async () => {
    fixture = await makeRichRun();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await fixture?.rm();
  });

  /** A copy of the run under a name of its own. */
  async function copied(name: string): Promise<(file: string) => string> {
    await cp(fixture.getPath("head"), fixture.getPath(name), { recursive: true });
    return (file) => fixture.getPath(`${name}/${file}`);
  }

  async function opened(
    name: string,
    hash = "",
  ): Promise<{ text: string; errors: readonly string[] }> {
    const end = await regrade(["report", name, "--html"], { in: fixture.path });
    expect(end).toMatchObject({ code: 0, stderr: `wrote ${name}/report.html\n` });
    const { page, goTo, errors } = await openReport(
      browser,
      fixture.getPath(`${name}/report.html`),
    );
    await goTo(hash);
    await page.waitForSelector("#main");
    await page.waitForTimeout(150);
    const text = await page.innerText("#main");
    await page.close();
    return { text, errors };
  }

  it("shows the rules of the base and the change's own side by side, and says which decide", async () => {
    const at = await copied("two");
    await cp(fixture.getPath("head"), at("own-policy"), { recursive: true });
    const run = JSON.parse(await readFile(at("run.json"), "utf8")) as Run;
    const [first, ...others] = run.gate.rules;
    const relaxed = others.filter(({ kind }) => kind !== "must_pass");
    const head = {
      ...run.gate,
      verdict: "pass",
      rules: [{ ...first, limit: 0.5, outcome: "met" }, ...relaxed],
    };
    const policy = {
      source: "ma<b>in",
      sha: null,
      suite: "same",
      base_path: "head.yaml",
      changed: [{ part: "gate", task: null, effect: "changed", note: null }],
      slots: { new: [], missing: [] },
      recorded: [],
      base: run.gate,
      head,
      decided_by: "base",
    };
    await writeFile(at("run.json"), JSON.stringify({ ...run, policy }));
    await writeFile(at("own-policy/run.json"), JSON.stringify({ ...run, gate: head }));
    const decided = await opened("two");
    expect(decided.text).toMatch(
      /Judged by two sets of rules[^]*The stricter one decides: the base's/,
    );
    expect(decided.text).toMatch(/ma<b>in: ❌ fail\s+this change: ✅ pass/);
    expect(decided.text).toMatch(
      /orders\/right · app, largest drop\s+❌ 2\.0 points\s+✅ 50\.0 points/,
    );
    expect(decided.text).toMatch(/cases that must pass\s+❌ 0 of 1 passes\s+➖ no such rule/);
    const own = await opened("two", "run=2");
    expect(own.text).toMatch(/verdict by the change’s own rules[^]*the base's\./);
    expect(own.text).toContain("See the report by the base’s rules");
    expect([...decided.errors, ...own.errors]).toEqual([]);
  });

  it("says of a must-pass case that fails not that it broke too", async () => {
    const at = await copied("must");
    const run = JSON.parse(await readFile(at("run.json"), "utf8")) as Run;
    const rules = run.gate.rules.filter(
      ({ kind, outcome }) => kind === "must_pass" && outcome === "missed",
    );
    const gate = { verdict: "fail", reasons: rules.map(({ reason }) => reason), rules };
    await writeFile(at("run.json"), JSON.stringify({ ...run, gate, baseline: null }));
    const { text, errors } = await opened("must");
    expect(text).toMatch(/^\s*1 must-pass case fails, the gate fails\n/);
    expect(errors).toEqual([]);
  });

  it("is whole for a run of an older version", async () => {
    const at = await copied("old");
    const run: unknown = JSON.parse(await readFile(at("run.json"), "utf8"), (key, value: unknown) =>
      younger.includes(key) ? undefined : value,
    );
    await writeFile(at("run.json"), JSON.stringify(run));
    const { text, errors } = await opened("old");
    expect(text).toMatch(/16 of 60 cases broke/);
    expect(errors).toEqual([]);
  });

  it("has all but the sample whose line was torn", async () => {
    const at = await copied("torn");
    const { length } = await readFile(at("samples.jsonl"));
    await truncate(at("samples.jsonl"), length - 40);
    const { text, errors } = await opened("torn", "case=c01&in=0");
    expect(text).toContain("too late");
    expect(errors).toEqual([]);
  });

  it("says that texts are not there where the samples are gone", async () => {
    const at = await copied("bare");
    await writeFile(at("samples.jsonl"), "");
    const { text, errors } = await opened("bare", "case=c01&in=0");
    expect(text).toContain("The case is not in this run.");
    expect(errors).toEqual([]);
  });

  it("says that a run has no cases", async () => {
    const at = await copied("empty");
    const run = JSON.parse(await readFile(at("run.json"), "utf8")) as Run;
    const cases = Object.fromEntries(Object.keys(run.cases).map((key) => [key, 0]));
    const none = { total: 0, completed: 0, failed: 0 };
    const reasons = ["orders, app: no cases; a run without cases shows nothing"];
    const gate = { verdict: "error", reasons, rules: [] };
    await writeFile(
      at("run.json"),
      JSON.stringify({ ...run, cases, gate, metrics: [], request_counts: none }),
    );
    await writeFile(at("scores.jsonl"), "");
    await writeFile(at("samples.jsonl"), "");
    const { text, errors } = await opened("empty");
    expect(text).toMatch(/No cases|no cases/);
    expect(text).toContain("The run has no cases.");
    expect(errors).toEqual([]);
  });

  it("of a stranger's run runs nothing and asks for nothing", async () => {
    const at = await copied("strange");
    const { run } = hostileRun(7);
    const own = JSON.parse(await readFile(at("run.json"), "utf8")) as Run;
    const { suite, candidates } = own;
    const strange = { ...run, suite: { ...suite, name: run.suite.name }, candidates };
    await writeFile(at("run.json"), JSON.stringify({ ...strange, baseline: null }));
    const end = await regrade(["report", "strange", "--html"], { in: fixture.path });
    expect([0, 2], end.stderr).toContain(end.code);
    if (end.code === 2) return expectRefusal(end, 2);
    const { page, asked, errors } = await openReport(browser, at("report.html"));
    await page.waitForSelector("#main");
    expect(await page.evaluate("'__pwned' in window || document.images.length > 0")).toBe(false);
    expect([asked, errors]).toEqual([[], []]);
    await page.close();
  });

  it("spells out every character without a look of its own", async () => {
    const at = await copied("unseen");
    const samples = (await readFile(at("samples.jsonl"), "utf8")).trim().split("\n");
    const said = unseen.map((one) => `<${one}>`).join("");
    const altered = samples.map((line) => {
      const sample = JSON.parse(line) as { readonly case_id: string };
      return JSON.stringify(
        sample.case_id === "c01" ? Object.assign(sample, { output_text: said }) : sample,
      );
    });
    await writeFile(at("samples.jsonl"), altered.join("\n"));
    const { text } = await opened("unseen", "case=c01&in=0");
    expect(unseen.filter((one) => text.includes(one))).toEqual([]);
    for (const word of ["ESC", "U+0000", "U+009F", "U+202E", "U+2066", "U+200B"])
      expect(text).toContain(word);
  });

  it.each([
    ["run.json is cut off", "run.json", (text: string) => text.slice(0, 500)],
    [
      "its format is of a later version",
      "run.json",
      (text: string) => text.replace("run/1", "run/9"),
    ],
    ["scores.jsonl is no ledger", "scores.jsonl", () => "]["],
  ])("is refused with what to do where %s", async (name, file, alter) => {
    const folder = name.replaceAll(/\W/g, "-");
    const at = await copied(folder);
    await writeFile(at(file), alter(await readFile(at(file), "utf8")));
    const end = await regrade(["report", folder, "--html"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toContain(file);
  });
});
