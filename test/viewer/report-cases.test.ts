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

/** The element that has the focus, and whether it shows it. */
const focused = `(() => {
  const { activeElement: at } = document;
  if (at === document.body) return "BODY";
  const name = (at.getAttribute("aria-label") ?? at.innerText).replace(/\\s+/g, " ").trim();
  return getComputedStyle(at).outlineStyle === "none" ? name + " unmarked" : name;
})()`;

const unfold = `(async () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const trend of document.querySelectorAll(".trend"))
    trend.dispatchEvent(new MouseEvent("click", { clientX: trend.getBoundingClientRect().right }));
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
})()`;

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
    ["scores before and now", "place=0&before=0..0&now=1..", ["c15", "c16"]],
    ["a score of another metric", "place=0&metric=style&now=..0.5", ["c19", "c21", "c22"]],
    ["what got better", "moved=better", ["c15", "c16"]],
    ["what got worse in another metric", "metric=style&moved=worse", ["c19", "c21", "c22"]],
    ["a cost that nothing has", "usd=1..2", []],
    ["a range that is none", "show=fixed&now=x..y&before=..1..&seconds=1", ["c15", "c16"]],
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
    await expect.poll(hash).toBe("#place=0&metric=style&error=exception");
    await report.page.click("text=Clear filters");
    await expect.poll(hash).toBe("#view=cases");
  });

  it("searches after `f`, and Escape leads out of the search and back to the overview", async () => {
    const { page } = report;
    await report.goTo("");
    await page.keyboard.press("f");
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("search");
    await page.keyboard.type("go away");
    await expect.poll(rows).toEqual(numbered(10, 14));
    await expect.poll(() => new URL(page.url()).hash).toBe("#text=go+away");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".verdict").count()).toBe(1);
  });

  it("lists what must pass first, then what lost most, and says how far one is", async () => {
    await report.goTo("show=broke");
    await expect.poll(async () => (await rows())[0]).toBe("c00");
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

  const hash = (): string => new URL(report.page.url()).hash;

  it("filters where a slice or a number of passed and failed is clicked", async () => {
    const { page } = report;
    await report.goTo("");
    await page.click(".bars a:has-text('app · language: en')");
    await expect.poll(hash).toBe("#place=0&slice=language%3Den");
    await expect.poll(() => text(".left")).toContain("21 of 122 cases");
    await report.goTo("");
    expect(await page.locator(".outcomes").first().innerText()).toMatch(
      /passed before\s+39\s+1\s+15\s+failed before\s+2\s+0\s+2/,
    );
    await page.locator(".outcomes td.worse a").last().click();
    await expect.poll(hash).toBe("#place=0&before=1..1&now=0..0");
    await expect.poll(() => text(".left")).toContain("15 of 122 cases");
    await page.click("text=score before: 1");
    await expect.poll(hash).toBe("#place=0&now=0..0");
    await expect.poll(() => text(".left")).toContain("17 of 122 cases");
  });

  it("lists the cases of a point, opens the only one, and says the drawing in words", async () => {
    const { page } = report;
    await report.goTo("");
    await page.locator(".scatter circle").first().scrollIntoViewIfNeeded();
    // Beside the point is near enough: a finger is wide.
    const points = page.locator("[aria-labelledby=scatter] circle");
    const boxes = await Promise.all([0, 1].map((i) => points.nth(i).boundingBox()));
    const [lower, upper] = boxes.toSorted((a, b) => (b?.y ?? 0) - (a?.y ?? 0));
    await page.mouse.click((upper?.x ?? 0) - 2, (upper?.y ?? 0) - 2);
    await expect.poll(hash).toBe("#place=0&metric=style&before=0.8..0.8&now=0.4..0.4");
    await expect.poll(rows).toEqual(["c21", "c22"]);
    await page.goBack();
    await page.waitForSelector(".scatter");
    await page.evaluate("scrollTo(0, 0)");
    const alone = await points.nth(boxes.indexOf(lower ?? null)).boundingBox();
    await page.evaluate(`scrollTo(0, ${(alone?.y ?? 0) - 300})`);
    await page.mouse.click((alone?.x ?? 0) + 3, 303);
    await expect.poll(() => text("#case-title")).toBe("c19");
    await report.goTo("");
    await page.click("[aria-labelledby=taken] .moves a");
    await expect.poll(hash).toBe("#moved=dearer");
    await expect.poll(() => text(".left")).toContain("118 of 122 cases");
    await report.goTo("");
    await page.click("[aria-label='$0.00150 now: list the dearest tenth']");
    await expect.poll(hash).toBe("#usd=0.0015..");
  });

  it("tells of the run of a point of the trend, in words too, and lists what got worse since", async () => {
    const { page } = report;
    await report.goTo("");
    const trend = page.locator("figure:has(.trend)").first();
    await trend.locator(".trend").click({ position: { x: 2, y: 40 } });
    await expect.poll(() => trend.locator(".run-told").innerText()).toMatch(/^93\.3% \d{4}-/);
    const { width = 0 } = (await trend.locator(".trend").boundingBox()) ?? {};
    await trend.locator(".trend").click({ position: { x: width - 2, y: 40 } });
    await expect
      .poll(() => trend.locator(".run-told").innerText())
      .toMatch(/^70\.3% −23\.0 points to the run before · .*this run .*16 cases got worse$/);
    await trend.locator("summary").click();
    expect(await trend.locator(".runs li").count()).toBe(4);
    await trend.locator(".run-told a").click();
    await expect.poll(hash).toBe("#place=0&moved=worse");
    await expect.poll(rows).toHaveLength(16);
  });

  it("reaches everything that filters by keys alone, and shows where one is", async () => {
    const { page } = report;
    await report.goTo("");
    await page.evaluate("document.activeElement.blur()");
    const seen: string[] = [];
    for (let i = 0; i < 60 && !seen.includes("BODY"); i += 1) {
      await page.keyboard.press("Tab");
      seen.push(await page.evaluate<string>(focused));
    }
    expect(seen.filter((one) => one.includes("unmarked"))).toEqual([]);
    for (const name of [
      "10 it comes too late",
      "app · language: fr",
      "15: passed before, fails now",
      "3 worse",
      "118 dearer",
      "These 4 runs in words",
      "Where the figures come from",
    ])
      expect(seen.join("\n")).toContain(name);
  });

  it("lists what has no grade by its error, and the cases at a click", async () => {
    await report.goTo("");
    await report.page.click("section:has(#ungraded) a");
    expect(await rows()).toEqual(["c20", "c20"]);
  });

  it("prints a case and the overview without what only a screen has, dark on white", async () => {
    const { page } = report;
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(28, 32, 36)");
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
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
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
    for (const view of [
      "",
      "view=cases",
      "show=broke&case=c09&in=0",
      "case=c19&in=0",
      "group=1&place=0&before=1..1&moved=worse&text=%2Flate%2F",
      "case=gone",
    ]) {
      await report.goTo(view);
      // What is folded, and what a click tells, is looked at too.
      await page.evaluate(unfold);
      const found = await page.evaluate(
        "axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ html }) => html)))",
      );
      expect({ view, found }).toEqual({ view, found: [] });
      const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      expect({ view, isWide }).toEqual({ view, isWide: false });
    }
    await page.setViewportSize({ width: 1100, height: 800 });
  });

  it("asks for nothing, and nothing goes wrong in it", () => {
    expect(report.asked).toEqual([]);
    expect(report.errors).toEqual([]);
  });
});
