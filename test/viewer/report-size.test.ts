import { stat } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { regrade } from "../support/cli.ts";
import { hasBrowser, openBrowser, openReport, skippedWhere } from "../support/page/report-page.ts";

const cases = 10_000;
const words =
  "order shipped customer Berlin refund billing account card payment login password invoice late broken return policy window support ticket language".split(
    " ",
  );

/** Some 300 characters a case, in words that come again and numbers that don't. */
function files(): Readonly<Record<string, string>> {
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
      rows.map(({ id, a }, i) => ({ case_id: id, output_text: i % 17 === 0 ? `maybe ${a}` : a })),
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
  async () => {
    await using fixture = await createFixture(files());
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
      // The best of a few: a busy machine needs time.
      const times: number[] = [];
      for (const hash of ["show=failing", "slice=kind%3Dlogin", "view=cases", "show=failing"])
        times.push(await page.evaluate<number>(timeOf(hash)));
      expect(Math.min(...times)).toBeLessThan(100);
      expect(await page.innerText(".left")).toContain("589 of 10,000 cases");
      // Of ten thousand rows those in sight are drawn.
      expect(await page.locator(".list li").count()).toBeLessThan(40);
      await page.evaluate("location.hash = 'text=maybe'");
      await expect.poll(() => page.innerText(".left")).toContain("589 of 10,000 cases");
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

function lines(all: readonly object[]): string {
  return all.map((one) => JSON.stringify(one)).join("\n");
}

/** Milliseconds until a view is drawn. */
function timeOf(hash: string): string {
  return `(async () => {
    const start = performance.now();
    location.hash = ${JSON.stringify(hash)};
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    return performance.now() - start;
  })()`;
}
