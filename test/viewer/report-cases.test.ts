import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { FsFixture } from "fs-fixture";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, openBrowser, openReport, skippedWhere } from "../support/page/report-page.ts";
import type { OpenReport } from "../support/page/report-page.ts";
import { makeRichRun } from "../support/page/rich-run.ts";

const require = createRequire(import.meta.url);

/** `c03`, `c04`, … */
function numbered(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `c${String(from + i).padStart(2, "0")}`);
}

describe.skipIf(!hasBrowser)(`the cases of report.html (${skippedWhere})`, () => {
  let fixture: FsFixture;
  let browser: Browser;
  let report: OpenReport;

  beforeAll(async () => {
    fixture = await makeRichRun();
    browser = await openBrowser();
    report = await openReport(browser, fixture.getPath("head/report.html"), {
      permissions: ["clipboard-read", "clipboard-write"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await fixture?.rm();
  });

  const text = (selector: string): Promise<string> => report.page.innerText(selector);
  const rows = (): Promise<string[]> => report.page.locator(".list .id").allInnerTexts();
  const broken = [...numbered(0, 8), "c09", ...numbered(10, 14), "c19"];

  it.each([
    ["what broke", "show=broke", broken],
    ["what must pass", "show=mustPass", ["c00"]],
    ["what was fixed", "show=fixed", ["c15", "c16"]],
    ["what failed already", "show=failing&place=0", ["c17", "c18"]],
    ["what is new", "show=fresh&place=1", ["fresh"]],
    ["what has no grade", "show=ungraded&place=0", ["c20"]],
    ["what is worse elsewhere", "show=worse", ["c21", "c22"]],
    ["an error", "error=exception", ["c19"]],
    ["a metric", "metric=style&show=worse", ["c21", "c22"]],
    ["a candidate and slice", "place=1&slice=language%3Dde&text=c0", ["c00", "c03", "c06", "c09"]],
    ["a text of the answer", "text=go%20away", numbered(10, 14)],
    ["a regular expression", "text=%2F^c1[56]$%2F&place=0", ["c15", "c16"]],
    ["a group", "group=2", numbered(10, 14)],
    ["nothing", "text=nowhere%20said", []],
  ])("by an address: %s", async (_, address, ids) => {
    await report.goTo(address);
    await expect.poll(async () => (await rows()).toSorted()).toEqual([...ids].toSorted());
    // An address that is opened in a new window shows the same.
    await report.page.reload();
    await expect.poll(async () => (await rows()).toSorted()).toEqual([...ids].toSorted());
  });

  it("puts what is chosen into the address, and clears it again", async () => {
    await report.goTo("view=cases");
    await report.page.selectOption("select[aria-label='Metric changed']", "style");
    await report.page.selectOption("select[aria-label='Task and candidate']", "0");
    await report.page.selectOption("select[aria-label=Error]", "exception");
    const hash = (): string => new URL(report.page.url()).hash;
    expect(hash()).toBe("#place=0&metric=style&error=exception");
    await report.page.click("text=Clear filters");
    expect(hash()).toBe("#view=cases");
  });

  it("searches after `f`, and Escape leads out of the search and back to the overview", async () => {
    const { page } = report;
    await report.goTo("");
    await page.keyboard.press("f");
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("search");
    await page.keyboard.type("go away");
    await expect.poll(rows).toEqual(numbered(10, 14));
    expect(new URL(page.url()).hash).toBe("#text=go+away");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".verdict").count()).toBe(1);
  });

  it("lists what must pass first, then what lost most, and says how far one is", async () => {
    await report.goTo("show=broke");
    expect((await rows())[0]).toBe("c00");
    await report.page.keyboard.press("j");
    await expect.poll(() => text(".steps")).toContain("1 of 16");
    await report.page.keyboard.press("j");
    await expect.poll(() => text(".steps")).toContain("2 of 16");
    expect(await text("#case-title")).toBe((await rows())[1]);
  });

  it("keeps what was seen when the page is opened again, and forgets it on a click", async () => {
    const { page } = report;
    await report.goTo("show=fixed&case=c15&in=0");
    await page.waitForSelector(".part");
    await page.reload();
    await report.goTo("show=fixed");
    const seen = page.locator(".list .seen .id");
    await expect.poll(() => seen.allInnerTexts()).toEqual(["c15"]);
    await report.goTo("show=fixed&case=c15&in=0");
    await page.click("text=Mark as not seen");
    await expect.poll(() => seen.count()).toBe(0);
  });

  it("copies the command that shows a case, and the case as JSON", async () => {
    const { page } = report;
    await report.goTo("case=c01&in=0");
    await page.waitForSelector(".part");
    const copied = (): Promise<string> => page.evaluate("navigator.clipboard.readText()");
    await page.click("text=Copy command");
    await page.waitForSelector("text=Copied");
    expect(await copied()).toBe("regrade show head c01");
    await page.click("text=Copy JSON");
    await expect.poll(copied).toContain('"case_id": "c01"');
    expect(JSON.parse(await copied())).toMatchObject({
      case_id: "c01",
      target: "in time",
      now: [{ output: "too late" }, { output: "too late" }],
      before: [{ output: "in time" }, { output: "in time" }],
    });
  });

  it("shows the repeat that is wrong, the tool calls on the way, and the end of a traceback", async () => {
    await report.goTo("case=c09&in=0");
    await report.page.waitForSelector(".part");
    expect(await text(".case .chip[aria-pressed=true]")).toMatch(/Repeat 2\s+1 → 0/);
    expect(await text(".case")).toMatch(/calls look_up[^]*"order": "c09"[^]*shipped/);
    await report.goTo("case=c19&in=0");
    await report.page.waitForSelector(".part");
    expect(await text(".case")).toMatch(
      /exception while it was graded, by the fault of the grader/,
    );
    const isInSight = await report.page.evaluate(
      "(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight > clientHeight && scrollTop + clientHeight >= scrollHeight - 1)(document.querySelector('pre.end'))",
    );
    expect(isInSight).toBe(true);
  });

  it("filters where a drawing is clicked", async () => {
    const { page } = report;
    await report.goTo("");
    await page.click(".bars a:has-text('app · language: en')");
    await expect.poll(() => new URL(page.url()).hash).toBe("#place=0&slice=language%3Den");
    await expect.poll(() => text(".left")).toContain("21 of 122 cases");
  });

  it("prints a case and the overview without what only a screen has", async () => {
    const { page } = report;
    await page.emulateMedia({ media: "print" });
    await report.goTo("case=c01&in=0");
    await page.waitForSelector(".part");
    expect(await page.isVisible(".steps")).toBe(false);
    expect(await page.isVisible("aside")).toBe(false);
    expect(await text(".case")).toContain("too late");
    expect(await page.isVisible(".case details pre")).toBe(true);
    await report.goTo("");
    expect(await page.isVisible(".bar nav")).toBe(false);
    expect(await page.isVisible("#facts ~ details dl")).toBe(true);
    expect((await page.pdf()).byteLength).toBeGreaterThan(10_000);
    await page.emulateMedia({ media: "screen" });
  });

  it.each([
    { width: 390, colorScheme: "dark" },
    { width: 900, colorScheme: "light" },
  ] as const)("has nothing that axe finds at $width px, $colorScheme", async (look) => {
    const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
    const { page } = report;
    await page.setViewportSize({ width: look.width, height: 800 });
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.evaluate(axe);
    for (const hash of [
      "",
      "view=cases",
      "show=broke&case=c09&in=0",
      "case=c19&in=0",
      "case=gone",
    ]) {
      await report.goTo(hash);
      const found = await page.evaluate(
        "axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ html }) => html)))",
      );
      expect({ hash, found }).toEqual({ hash, found: [] });
      const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      expect({ hash, isWide }).toEqual({ hash, isWide: false });
    }
    await page.setViewportSize({ width: 1100, height: 800 });
  });

  it("asks for nothing, and nothing goes wrong in it", () => {
    expect(report.asked).toEqual([]);
    expect(report.errors).toEqual([]);
  });
});
