import { readFileSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal, regrade, repository } from "../support/cli.ts";
import { hasBrowser, openBrowser, openReport, skippedWhere } from "../support/page/report-page.ts";
import type { OpenReport } from "../support/page/report-page.ts";

const texts = JSON.parse(
  readFileSync(join(repository, "test/fixtures/attacks/texts.json"), "utf8"),
) as readonly { readonly name: string; readonly text: string }[];
const attacks = [
  ...texts,
  { name: "end of the data's element", text: "</script><script>window.__pwned=1</script><!--" },
  { name: "template of the page", text: "<!-- regrade data --> $& $1 {{script}}" },
  {
    name: "controls and marks of direction",
    text: "a\u0000b\u001B[31mc\u202Ed\u2066e\u200Bf\uFEFF",
  },
];

/** Every case is an attack: in its id, its row, its slice, its answer and the grader's words. */
function project(isBase: boolean): Readonly<Record<string, string>> {
  const rows = attacks.map(({ text }, i) => ({ id: `${i} ${text}`, q: text, a: `right ${text}` }));
  const outputs = rows.map(({ id, q, a }) => ({
    case_id: id,
    output_text: isBase ? a : q,
    transcript: [{ type: "tool_call", id: q, name: q, arguments: { [q]: q } }],
  }));
  const huge = { id: "huge", q: "long", a: "x".repeat(5_000_000) };
  const side = isBase ? "base" : "head";
  return {
    "qa.jsonl": lines([...rows, huge]),
    [`${side}.jsonl`]: lines([
      ...outputs,
      { case_id: "huge", output_text: isBase ? huge.a : `${huge.a} and more` },
    ]),
    [`${side}.yaml`]: [
      "name: attacked",
      "dataset: { file: qa.jsonl, id_field: id }",
      'prompt_template: "{{q}}"',
      'target_template: "{{a}}"',
      `grader: { type: python, metric_id: right, source: "def grade(sample, item):\\n    ok = sample['output_text'] == item['a']\\n    return {'scores': {'right': float(ok)}, 'judge': {'reason': sample['output_text'][:500]}}\\n" }`,
      "slices: [q]",
      `candidates: { app: { replay: ${side}.jsonl } }`,
      "gate: { rules: [{ metric: right, max_drop: 0.02 }] }",
      "",
    ].join("\n"),
  };
}

function lines(all: readonly object[]): string {
  return all.map((one) => JSON.stringify(one)).join("\n");
}

/** Elements that a report has; others would be somebody's text. */
const inspect = `(() => {
  const known = new Set("HTML HEAD META TITLE STYLE BODY SCRIPT NOSCRIPT DIV P H1 H2 H3 H4 MAIN HEADER NAV ASIDE SECTION ARTICLE A UL OL LI SPAN STRONG CODE PRE KBD INPUT SELECT OPTION BUTTON DL DT DD DETAILS SUMMARY TABLE THEAD TBODY TR TH TD CAPTION FIGURE FIGCAPTION DEL INS SVG CIRCLE PATH LINE RECT POLYLINE TITLE".split(" "));
  const all = [...document.querySelectorAll("*")];
  return {
    strange: all.map(({ tagName }) => tagName.toUpperCase()).filter((name) => !known.has(name)),
    handlers: all.flatMap((each) => [...each.attributes].filter(({ name }) => name.startsWith("on")).map(({ name }) => name)),
    links: [...document.links].map((link) => link.getAttribute("href")).filter((href) => !href.startsWith("#")),
    ran: "__pwned" in window,
    scripts: all.filter(({ tagName, type }) => tagName === "SCRIPT" && type !== "text/plain").length,
  };
})()`;
const harmless = { strange: [], handlers: [], links: [], ran: false, scripts: 1 };

/** Names of the address's parts that filter. */
const filterNames = "run show group place slice metric error moved before now seconds usd in".split(
  " ",
);

describe.skipIf(!hasBrowser)(
  `text from outside in report.html (${skippedWhere})`,
  { tags: "long" },
  () => {
    let fixture: FsFixture;
    let browser: Browser;
    let report: OpenReport;
    let file: string;

    beforeAll(async () => {
      fixture = await createFixture({ ...project(true), ...project(false) });
      const start = { in: fixture.path };
      await regrade(["run", "base.yaml", "--out", "base", "--quiet"], start);
      const argv = [
        "run",
        "head.yaml",
        "--out",
        "head",
        "--baseline",
        "base",
        "--report",
        "--quiet",
      ];
      const ran = await regrade(argv, start);
      expect(ran.code, ran.stderr).toBe(1);
      file = fixture.getPath("head/report.html");
      browser = await openBrowser();
      report = await openReport(browser, file);
    });
    afterAll(async () => {
      await browser?.close();
      await fixture?.rm();
    });

    it("stays text, in every view and every case", async () => {
      const { page, goTo } = report;
      await goTo("");
      expect(await page.evaluate(inspect)).toEqual(harmless);
      for (const [i, { name, text }] of attacks.entries()) {
        await goTo(`case=${encodeURIComponent(`${i} ${text}`.toWellFormed())}`);
        await page.waitForSelector(".part");
        expect({ name, ...(await page.evaluate<object>(inspect)) }).toEqual({ name, ...harmless });
      }
      expect(report.asked).toEqual([]);
      expect(report.errors).toEqual([]);
    });

    it("spells out what has no look of its own", async () => {
      const at = attacks.length - 1;
      await report.goTo(`case=${encodeURIComponent(`${at} ${attacks[at]?.text ?? ""}`)}`);
      const marks = report.page.locator("#case-title .unseen");
      await expect
        .poll(() => marks.allInnerTexts())
        .toEqual(["U+0000", "ESC", "U+202E", "U+2066", "U+200B", "U+FEFF"]);
    });

    it.each([
      ["markup as a case", "case=%3Cimg%20src%3Dx%20onerror%3D%22window.__pwned%3D1%22%3E"],
      [
        "markup as every filter",
        `${filterNames.map((name) => `${name}=<script>window.__pwned=1</script>`).join("&")}&text=<b>`,
      ],
      ["an address to run", "case=javascript:window.__pwned%3D1&text=javascript:1"],
      ...["__proto__", "constructor", "toString", "hasOwnProperty"].map((name) => [
        `\`${name}\` as every filter`,
        `${filterNames.map((filter) => `${filter}=${name}`).join("&")}&slice=${name}%3D1&case=${name}`,
      ]),
      [
        "numbers that are none",
        "run=99999&group=999999&place=999999&in=-1&before=1e999..NaN&now=..&usd=0x10..",
      ],
      ["a text that is not UTF-8", "text=%E0%A4%A&case=%ED%A0%80&slice=%"],
      ["half an expression", "text=%2F[%2F"],
      ["300,000 characters", `text=${"a".repeat(300_000)}`],
    ])("is harmless in the address: %s", async (_, hash) => {
      await report.goTo(hash);
      await report.page.waitForSelector("#main");
      expect(await report.page.evaluate(inspect)).toEqual(harmless);
      await report.goTo("");
      await expect.poll(() => report.page.locator(".verdict").count()).toBe(1);
      expect([report.asked, report.errors]).toEqual([[], []]);
    });

    it("stops a regular expression that would never end, and goes on meanwhile", async () => {
      const { page, goTo } = report;
      // Two ways to read every letter: 2^n for a text of n letters that does not end in Q.
      await goTo(`text=${encodeURIComponent("/^(\\w|\\s|[a-z ])+Q$/")}`);
      await expect.poll(() => page.innerText(".left")).toContain("searching …");
      await page.click("text=Clear filters");
      await expect.poll(() => page.locator(".list .id").count()).toBeGreaterThan(5);
      await goTo(`text=${encodeURIComponent("/^(\\w|\\s|[a-z ])+Q$/")}`);
      await expect
        .poll(() => page.innerText(".left"), { timeout: 40_000 })
        .toContain("takes too long and was stopped");
      await goTo(`text=${encodeURIComponent("/^HUG[DE]$/")}`);
      await expect
        .poll(() => page.locator(".list .id").allInnerTexts(), { timeout: 10_000 })
        .toEqual(["huge"]);
      expect([report.asked, report.errors]).toEqual([[], []]);
    }, 90_000);

    it("cuts an answer of 5 MB, and says how much is left out", async () => {
      expect((await stat(file)).size).toBeLessThan(500_000);
      await report.goTo("case=huge");
      await report.page.waitForSelector(".part");
      expect(await report.page.innerText(".case")).toContain("more characters");
    });

    it.each([
      [
        "no DecompressionStream",
        "delete globalThis.DecompressionStream",
        "has no DecompressionStream",
      ],
      [
        "storage that is refused",
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); } })",
        "the gate fails",
      ],
      [
        "storage that is full",
        "Storage.prototype.setItem = () => { throw new Error('full'); }; location.hash = 'show=broke&case=huge'",
        "more characters",
      ],
      [
        "no workers",
        "window.Worker = class { constructor() { throw new Error('refused'); } }; location.hash = 'text=%2Fhug.%2F'",
        "runs no search by expression here",
      ],
      [
        "a history that is refused",
        "history.pushState = history.replaceState = () => { throw new Error('refused'); }",
        "the gate fails",
      ],
    ])("is told, or goes on, in a browser with %s", async (_, script, words) => {
      const context = await browser.newContext();
      await context.addInitScript(script);
      const page = await context.newPage();
      await page.goto(`file://${file}`);
      await expect.poll(() => page.innerText("#page")).toContain(words);
      await context.close();
    });

    it("says that a file is not whole where it was cut off", async () => {
      const html = await readFile(file, "utf8");
      const at = html.indexOf('id="index"');
      const cut = fixture.getPath("cut.html");
      // The data is damaged, the script still there.
      await writeFile(cut, `${html.slice(0, at)}id="other"${html.slice(at + 10)}`);
      const { page } = await openReport(browser, cut);
      await expect.poll(() => page.innerText("#page")).toContain("The file is not whole");
      await page.close();
    });

    it("refuses a directory that holds no whole run, with a sentence", async () => {
      await fixture.mkdir("half");
      await fixture.writeFile("half/samples.jsonl", "{}");
      const end = await regrade(["report", "half", "--html"], { in: fixture.path });
      expectRefusal(end, 2);
      expect(end.stderr).toContain("half");
    });
  },
);
