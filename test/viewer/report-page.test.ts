import { cp, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { regrade, repository } from "../support/cli.ts";
import { hasBrowser, openBrowser, openReport, skippedWhere } from "../support/page/report-page.ts";
import type { OpenReport } from "../support/page/report-page.ts";

const require = createRequire(import.meta.url);
const quickstart = join(repository, "examples/quickstart/suite.yaml");

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly string[];
}

describe.skipIf(!hasBrowser)(`report.html in a browser (${skippedWhere})`, () => {
  let fixture: FsFixture;
  let browser: Browser;
  let report: OpenReport;
  let run: Run;

  beforeAll(async () => {
    fixture = await createFixture({});
    const ran = await regrade(["run", quickstart, "--out", "run", "--report", "--quiet"], {
      in: fixture.path,
    });
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("wrote run/report.html"),
    });
    run = JSON.parse(await readFile(fixture.getPath("run/run.json"), "utf8")) as Run;
    browser = await openBrowser();
    report = await openReport(browser, fixture.getPath("run/report.html"));
  });
  afterAll(async () => {
    await browser?.close();
    await fixture?.rm();
  });

  const text = (selector: string): Promise<string> => report.page.innerText(selector);
  const rows = (): Promise<string[]> => report.page.locator(".list .id").allInnerTexts();

  it("says first what happened, by which rules, and what broke for one reason", async () => {
    await report.goTo("");
    expect(await text(".verdict")).toMatch(/19 of 152 cases broke, the gate fails/);
    expect(await text(".rules")).toMatch(/fails\s+support-tickets\/label/);
    const groups = await report.page.locator(".groups li").allInnerTexts();
    expect(groups[0]).toMatch(/^6\s+said unknown, it is cancellation/);
    const numbers = groups.map((each) => Number.parseInt(each, 10));
    expect(numbers.reduce((sum, n) => sum + n, 0)).toBe(19);
  });

  it("opens a group's cases, and steps through them by keys", async () => {
    await report.goTo("group=1");
    await expect.poll(rows).toHaveLength(6);
    await report.page.keyboard.press("j");
    const first = await text("#case-title");
    await report.page.keyboard.press("j");
    await expect.poll(() => text("#case-title")).not.toBe(first);
    await report.page.keyboard.press("k");
    await expect.poll(() => text("#case-title")).toBe(first);
    await expect.poll(() => text(".list")).toContain("seen");
    await report.page.keyboard.press("Escape");
    await expect.poll(() => report.page.locator("#case-title").count()).toBe(0);
  });

  it("shows a case by its address: asked, expected, before and now, the grader's words", async () => {
    const [broken] = run.gate.rules[0]?.changed.broke ?? [];
    await report.goTo(`case=${broken?.case_id}`);
    await report.page.waitForSelector(".part");
    expect(await text("#case-title")).toBe(broken?.case_id);
    const shown = await text(".case");
    expect(shown).toMatch(/The grader says\s+said \w+, it is \w+\s+Before: right/);
    expect(shown).toMatch(/Asked[^]+Expected[^]+Answer, before and now/);
    expect(await text("del")).not.toBe("");
    expect(await text("ins")).not.toBe("");
    await report.page.click("text=Side by side");
    await expect.poll(() => text(".sides")).toMatch(/Before[^]+Now/);
  });

  it("filters by what became of the cases, by slice and by text; the address says it", async () => {
    await report.goTo("view=cases");
    await report.page.click("button:has-text('Broke')");
    await expect.poll(() => text(".left")).toContain("19 of 152 cases");
    await report.page.selectOption("select[aria-label=Slice]", "language=de");
    await expect.poll(() => text(".left")).toContain("10 of 152 cases");
    const hash = (): string => new URL(report.page.url()).hash;
    await expect.poll(hash).toBe("#show=broke&slice=language%3Dde");
    await report.goTo("text=Zug%C3%A4nge");
    await expect.poll(rows).toContain("de-account-03");
    await report.goTo("text=%2Fzug.nge%20der%2F");
    await expect.poll(rows).toContain("de-account-03");
  });

  it.each([
    { width: 390, colorScheme: "light" },
    { width: 900, colorScheme: "dark" },
  ] as const)(
    "can be read by a screen reader: axe finds nothing at $width px, $colorScheme",
    async (look) => {
      const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
      const { page, goTo } = report;
      await page.setViewportSize({ width: look.width, height: 800 });
      await page.emulateMedia({ colorScheme: look.colorScheme });
      await page.evaluate(axe);
      for (const hash of ["", "show=broke", "show=broke&case=de-account-03"]) {
        await goTo(hash);
        const found = await page.evaluate<readonly AxeViolation[]>(
          "axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => html + failureSummary) })))",
        );
        expect({ hash, found }).toEqual({ hash, found: [] });
        const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
        expect({ hash, isWide }).toEqual({ hash, isWide: false });
      }
      await page.setViewportSize({ width: 1100, height: 800 });
    },
  );

  it("asks for nothing, and nothing goes wrong in it", () => {
    expect(report.asked).toEqual([]);
    expect(report.errors).toEqual([]);
  });

  it("holds several runs in one file, where a folder of them is named", async () => {
    for (const name of ["one", "two"])
      await cp(fixture.getPath("run"), fixture.getPath(`several/${name}`), { recursive: true });
    const made = await regrade(["report", "several", "--html", "all.html"], { in: fixture.path });
    expect(made).toMatchObject({ code: 0, stderr: "wrote all.html\n" });
    const { page, errors } = await openReport(browser, fixture.getPath("all.html"));
    expect(await page.locator("select[aria-label=Run] option").count()).toBe(2);
    await page.selectOption("select[aria-label=Run]", "1");
    await expect.poll(() => page.innerText(".verdict")).toContain("19 of 152 cases broke");
    await expect.poll(() => new URL(page.url()).hash).toBe("#run=2");
    await page.click(".first a");
    await page.waitForSelector(".part");
    expect(errors).toEqual([]);
    await page.close();
  });

  it("is made again by `regrade report --html`, byte for byte, and its path is said by `regrade view`", async () => {
    const file = fixture.getPath("run/report.html");
    const before = await readFile(file);
    const again = await regrade(["report", "run", "--html"], { in: fixture.path });
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect((await readFile(file)).equals(before)).toBe(true);
    const viewed = await regrade(["view", "run", "--no-open"], { in: fixture.path });
    expect(viewed).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect((await stat(file)).size).toBeLessThan(200_000);
    await cp(fixture.getPath("run"), fixture.getPath(`.regrade/runs/${run.id}`), {
      recursive: true,
    });
    for (const argv of [
      ["view", "latest", "--no-open"],
      ["view", "--no-open"],
    ]) {
      const last = await regrade(argv, { in: fixture.path });
      const path = fixture.getPath(`.regrade/runs/${run.id}/report.html`);
      expect(last).toMatchObject({ code: 0, stdout: `${path}\n` });
    }
  });
});
