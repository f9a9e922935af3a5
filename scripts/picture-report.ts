/**
 * Takes the README's pictures of the report: the first screen of the quickstart's, light and dark.
 * `npm run build && node scripts/picture-report.ts`; the browser is CHROMIUM, or /usr/bin/chromium.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) {
  console.error(`There is no browser at ${executablePath}. Set CHROMIUM to the path of one.`);
  process.exit(2);
}
const root = join(import.meta.dirname, "..");
const folder = await mkdtemp(join(tmpdir(), "regrade-report-"));
try {
  const argv = ["run", "examples/quickstart/suite.yaml", "--out", join(folder, "run"), "--report"];
  spawnSync(process.execPath, [join(root, "dist", "cli.mjs"), ...argv], { cwd: root });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const colorScheme of ["light", "dark"] as const) {
    const viewport = { width: 750, height: 633 };
    const page = await browser.newPage({ viewport, deviceScaleFactor: 1.5, colorScheme });
    await page.goto(pathToFileURL(join(folder, "run", "report.html")).href);
    await page.waitForSelector("h1");
    await page.screenshot({ path: join(root, "docs", "images", `report-${colorScheme}.png`) });
    await page.close();
  }
  await browser.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
