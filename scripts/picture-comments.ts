/**
 * Takes a picture of every variant of the pull request comment, as GitHub's style sheet draws it: light and dark,
 * on a wide screen and on a phone. `node scripts/picture-comments.ts FOLDER [VARIANT…]`; the browser is CHROMIUM, or
 * /usr/bin/chromium.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { comments, queued } from "../test/report/comment-examples.ts";
import { githubPage } from "../test/support/page/github-page.ts";

const [folder, ...only] = process.argv.slice(2);
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
if (folder === undefined || !existsSync(executablePath)) {
  console.error(
    folder === undefined
      ? "Say where the pictures go: node scripts/picture-comments.ts FOLDER [VARIANT…]"
      : `There is no browser at ${executablePath}. Set CHROMIUM to the path of one.`,
  );
  process.exit(2);
}
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const screens = [
  { name: "wide", width: 860 },
  { name: "phone", width: 390 },
];
for (const { name: screen, width } of screens) {
  const page = await browser.newPage({ viewport: { width, height: 600 }, deviceScaleFactor: 1.5 });
  for (const [variant, markdown] of Object.entries({ ...comments, "merge-queue": queued })) {
    if (only.length > 0 && !only.includes(variant)) continue;
    for (const theme of ["light", "dark"] as const) {
      await page.setContent(githubPage(markdown, { theme, width }));
      const path = join(folder, `${variant}-${screen}-${theme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
  await page.close();
}
await browser.close();
