import { stat } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { regrade } from "../support/cli.ts";
import { hasBrowser, openBrowser, openReport, skippedWhere } from "../support/page/report-page.ts";

const words =
  "order shipped customer Berlin refund billing account card payment login password invoice late broken return policy window support ticket language".split(
    " ",
  );

/** Some 300 characters a case, in words that come again and numbers that don't. */
function files(cases: number, isWrong: (i: number) => boolean): Readonly<Record<string, string>> {
  let seed = 12_345;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const text = (length: number): string =>
    Array.from(
      { length },
      () => `${words[next(words.length)]}${next(20) === 0 ? next(10_000) : ""}`,
    ).join(" ");
  const rows = Array.from({ length: cases }, (_, i) => ({
    id: `case-${i}`,
    q: text(28),
    a: text(8),
    kind: ["billing", "login", "other"][i % 3],
  }));
  return {
    "qa.jsonl": lines(rows),
    "out.jsonl": lines(
      rows.map(({ id, a }, i) => ({ case_id: id, output_text: isWrong(i) ? `maybe ${a}` : a })),
    ),
    "suite.yaml": [
      "name: large",
      "dataset: { file: qa.jsonl, id_field: id }",
      'prompt_template: "{{q}}"',
      'target_template: "{{a}}"',
      "grader: exact_match",
      "slices: [kind]",
      "candidates: { app: { replay: out.jsonl } }",
      "gate: { rules: [{ metric: exact_match, min: 0.99 }] }",
      "",
    ].join("\n"),
  };
}

it.skipIf(!hasBrowser)(
  `holds 10,000 cases in 2.5 MB, and filters them at once (${skippedWhere})`,
  { tags: "long" },
  async () => {
    await using fixture = await createFixture(files(10_000, (i) => i % 17 === 0));
    const ran = await regrade(["run", "suite.yaml", "--out", "run", "--report", "--quiet"], {
      in: fixture.path,
    });
    expect(ran.code, ran.stderr).toBe(1);
    const file = fixture.getPath("run/report.html");
    expect((await stat(file)).size).toBeLessThan(2_500_000);
    const browser = await openBrowser();
    try {
      const { page, errors } = await openReport(browser, file);
      await page.waitForSelector(".verdict");
      const busy = await busyClock(page);
      await busy();
      await page.reload();
      await page.waitForSelector(".verdict");

      const opening = await busy();

      expect({ opening, isQuick: opening > 0 && opening < 1000 }).toEqual({
        opening,
        isQuick: true,
      });
      for (const hash of filters) {
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
        await page.evaluate(twoFrames);
        const took = await busy();

        expect({ hash, isQuick: took < 100, took }).toEqual({ hash, isQuick: true, took });
      }
      expect(await page.innerText(".left")).toContain("589 of 10,000 cases");
      // Of ten thousand rows those in sight are drawn.
      expect(await page.locator(".list li").count()).toBeLessThan(40);
      // Scrolled through from end to end: 60 frames in a second leave 16.7 ms for each.
      await page.evaluate("location.hash = 'view=cases'");
      await page.waitForSelector(".list li");
      await busy();
      await page.evaluate(scrollThrough);

      expect((await busy()) / framesScrolled).toBeLessThan(16.7);
      await page.evaluate("location.hash = 'text=maybe'");
      await expect.poll(() => page.innerText(".left")).toContain("589 of 10,000 cases");
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

it.skipIf(!hasBrowser)(
  `holds 20,000 cases of a larger run, most that failed and some others, and says so (${skippedWhere})`,
  { tags: "long" },
  async () => {
    await using fixture = await createFixture(files(24_000, (i) => i % 8 !== 0));
    const ran = await regrade(["run", "suite.yaml", "--out", "run", "--report", "--quiet"], {
      in: fixture.path,
    });
    expect(ran.code, ran.stderr).toBe(1);
    const browser = await openBrowser();
    try {
      const { page, goTo, errors } = await openReport(browser, fixture.getPath("run/report.html"));
      await goTo("view=cases");
      expect(await page.innerText(".left")).toBe(
        "20,000 cases (a choice of 24,000: 18,000 of the 21,000 that changed or failed, and 2,000 others)",
      );
      await goTo("case=case-23999");
      expect(await page.innerText(".pane")).toContain("not among those that the report holds");
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

const filters = ["show=failing", "slice=kind%3Dlogin", "now=0..0", "view=cases", "show=failing"];

const twoFrames =
  "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";

/**
 * Milliseconds that the page's thread worked since it was asked last: processor time, which a busy machine does not
 * lengthen as it does the time on the clock.
 */
async function busyClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  let last = 0;
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const now = 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
    const took = now - last;
    last = now;
    return took;
  };
}

const framesScrolled = 60;

const scrollThrough = `(async () => {
  const list = document.querySelector(".list");
  for (let i = 0; i < ${framesScrolled}; i += 1) {
    list.scrollTop += list.scrollHeight / ${framesScrolled};
    await new Promise((drawn) => requestAnimationFrame(drawn));
  }
})()`;

function lines(all: readonly object[]): string {
  return all.map((one) => JSON.stringify(one)).join("\n");
}
