import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { itSome } from "../support/rows.ts";

import { formatComment, parseComment } from "../../src/model/comment.ts";
import { renderCheck } from "../../src/report/check.ts";
import { commentSection } from "../../src/report/comment.ts";
import { renderSummary } from "../../src/report/markdown/markdown.ts";
import { githubPage } from "../support/page/github-page.ts";
import { attacked } from "./attacked.ts";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const noBrowser = `there is no browser at ${executablePath}; set CHROMIUM to the path of one`;
const file = join(import.meta.dirname, "../fixtures/attacks/texts.json");
const attacks = JSON.parse(readFileSync(file, "utf8")) as readonly {
  readonly name: string;
  readonly text: string;
}[];

/** A script that gives back what is `Seen` in a page. */
const inspect = readFileSync(join(import.meta.dirname, "../support/page/inspect.js"), "utf8");

/** Every text that GitHub shows as markdown. */
function texts(text: string): Readonly<Record<string, string>> {
  const view = attacked(text);
  const { broken = [], errors = [], run, content, circumstances } = view;
  const check = renderCheck(view);
  return {
    comment: formatComment({ workflow: text, sections: [commentSection(view)] }, 65_536),
    "check's summary": check.summary,
    "check's text": check.text,
    "job summary": renderSummary({ run, content, broken, errors, circumstances }),
  };
}

const places = Object.keys(texts("harmless"));

describe.skipIf(!existsSync(executablePath))(
  `text from outside, on GitHub's page (skipped where ${noBrowser})`,
  () => {
    let browser: Browser;
    let page: Page;
    const asked: string[] = [];
    let harmless: Readonly<Record<string, Seen>> = {};

    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
      page = await browser.newPage();
      page.on("request", (request) => asked.push(request.url()));
      harmless = await look(page, texts("harmless"));
    }, 60_000);
    afterAll(async () => browser.close());

    itSome(attacks)("$name: stays text", { timeout: 60_000 }, async ({ text }) => {
      const seen = await look(page, texts(text));
      for (const place of places) {
        const { skeleton, strange, live, ran, markers } = seen[place] ?? nothing;
        expect({ place, strange, live, ran }).toEqual({ place, strange: [], live: [], ran: false });
        expect(markers).toEqual(harmless[place]?.markers);
        // Where nothing is to be seen, whole columns and lines are left out.
        if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)) {
          expect(skeleton).toEqual(harmless[place]?.skeleton);
        }
      }
      expect(asked.filter((url) => !url.startsWith("about:"))).toEqual([]);
    });

    it("is able to see what it looks for", async () => {
      const evil = {
        script: "<script>window.__pwned = 1</script>",
        image: "![x](http://127.0.0.1:9/p.png)",
        mention: "Hello @octocat, see #12 and 4f2c9e1ab03d",
        link: "[x](https://evil.example) https://evil.example",
        table: "| a | b |\n| - | - |\n| c |\n\n</details>",
      };
      const before = asked.length;
      const seen = await look(page, evil);
      expect(seen["script"]).toMatchObject({ strange: ["SCRIPT"], ran: true });
      expect(seen["image"]).toMatchObject({ strange: expect.arrayContaining(["IMG"]) });
      expect(asked.length).toBeGreaterThan(before);
      asked.length = before;
      expect(seen["mention"]?.live).toEqual(["@octocat", "#12", "4f2c9e1ab03d"]);
      expect(seen["link"]?.strange).toHaveLength(2);
      expect(seen["table"]?.skeleton).not.toEqual(seen["link"]?.skeleton);
    });
  },
);

itSome(attacks)("$name: forges no section of the comment", ({ text }) => {
  const written = texts(text)["comment"] ?? "";
  const parsed = parseComment(written);
  expect(parsed?.workflow).toBe(text.toWellFormed());
  expect(parsed?.sections).toHaveLength(1);
  expect(parsed?.sections[0]).toMatchObject({ suite: text.toWellFormed(), verdict: "fail" });
  // Its end is the footer: nothing in it looked like an end of its own.
  expect(parsed?.sections[0]?.body.split("\n").at(-1)).toMatch(/^<sub>commit .*<\/sub>$/);
});

interface Seen {
  /** What elements hold what elements, without those that only dress a text. */
  readonly skeleton: readonly string[];
  /** Elements, attributes and addresses that no report has. */
  readonly strange: readonly string[];
  /** What GitHub would turn into a mention, a reference or a link. */
  readonly live: readonly string[];
  readonly ran: boolean;
  readonly markers: number;
}

const nothing: Seen = { skeleton: [], strange: [], live: [], ran: false, markers: 0 };

async function look(
  page: Page,
  all: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, Seen>>> {
  const seen: Record<string, Seen> = {};
  for (const [place, markdown] of Object.entries(all)) {
    await page.setContent(githubPage(markdown, { theme: "light", width: 800 }));
    seen[place] = await page.evaluate<Seen>(inspect);
  }
  return seen;
}
