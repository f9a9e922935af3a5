import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export const hasBrowser = existsSync(executablePath);
/** Said in a test's name where it is skipped. */
export const skippedWhere = `skipped where there is no browser at ${executablePath}; CHROMIUM names another`;

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** A report's page in a browser, which records forbidden actions. */
export interface OpenReport {
  readonly page: Page;
  /** Addresses that it asked for, beside its own. */
  readonly asked: readonly string[];
  /** Errors of its script, and violations of its content security policy. */
  readonly errors: readonly string[];
  /** Goes to another view of the same file. */
  readonly goTo: (hash: string) => Promise<void>;
}

export async function openReport(
  browser: Browser,
  file: string,
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<OpenReport> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 }, ...options });
  page.setDefaultTimeout(10_000);
  const url = pathToFileURL(file).href;
  const asked: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    // A blob is of the page itself: the search by expression.
    if (!request.url().startsWith(url) && !request.url().startsWith("blob:"))
      asked.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  await page.goto(url);
  const goTo = async (hash: string): Promise<void> => {
    await page.goto(`${url}#${hash}`);
    await page.waitForTimeout(50);
  };
  return { page, asked, errors, goTo };
}
