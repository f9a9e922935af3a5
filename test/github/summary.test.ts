import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { fitSummaries } from "../../src/github/runner/fit-summaries.ts";
import { writeStepSummary } from "../../src/github/runner/summary.ts";

const bytes = (texts: readonly string[]): number => Buffer.byteLength(texts.join("\n\n"));

describe("fitSummaries", () => {
  it("leaves what fits as it is", () => {
    expect(fitSummaries(["a", "b"], 100)).toEqual(["a", "b"]);
  });

  it.each([1, 2, 7])("fits %i long summaries of many-byte letters into the limit", (count) => {
    const long = "| é | 日本 | 😀 |\n".repeat(5000);
    const fitted = fitSummaries(Array<string>(count).fill(long), 50_000);
    expect(bytes(fitted)).toBeLessThanOrEqual(50_000);
    expect(bytes(fitted)).toBeGreaterThan(45_000 - count * 500);
    for (const text of fitted) expect(text).toContain("Cut here");
  });

  it("cuts the long one and not its short neighbours", () => {
    const [first, second, third] = fitSummaries(["short", "x\n".repeat(9000), "brief"], 5000);
    expect([first, third]).toEqual(["short", "brief"]);
    expect(second).toContain("Cut here");
  });
});

/** Of one text all is kept but two bytes for the new lines after it. */
const cutMarkdown = (text: string, limit: number): string =>
  fitSummaries([text], limit + 2).join("");

describe("a summary that is cut", () => {
  it.each([
    ["a fold", `<details>\n<summary>s</summary>\n\n${"line\n".repeat(500)}`, "</details>"],
    ["a fence", `\`\`\`\`text\n${"line\n".repeat(500)}`, "````"],
    [
      "a fence in a fold",
      `<details>\n\n\`\`\`\n<details>\n${"line\n".repeat(500)}`,
      "```\n</details>",
    ],
  ])("closes %s that is open at the cut", (_, text, closing) => {
    const cut = cutMarkdown(text, 1200);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1200);
    expect(cut.replaceAll("\n\n", "\n")).toContain(`line\n${closing}\n> [!NOTE]`);
    expect(cut.match(/<\/details>/g)?.length ?? 0).toBe(closing.includes("details") ? 1 : 0);
  });

  it("does not cut within a line", () => {
    const cut = cutMarkdown(`first\n${"x".repeat(5000)}`, 1000);
    expect(cut.startsWith("first\n\n> [!NOTE]")).toBe(true);
  });
});

describe("writeSummary", () => {
  it("appends to the step's file", async () => {
    await using fixture = await createFixture({ summary: "before\n" });
    const env = { GITHUB_STEP_SUMMARY: fixture.getPath("summary") };
    expect(await writeStepSummary(env, ["one", "two"])).toEqual([]);
    expect(await fixture.readFile("summary", "utf8")).toBe("before\none\n\ntwo\n");
  });

  it("says that it could not write, and does not throw", async () => {
    const problems = await writeStepSummary({ GITHUB_STEP_SUMMARY: "/no/such/folder/s" }, ["one"]);
    expect(problems.map(({ code }) => code)).toEqual(["summary_failed"]);
  });

  it("writes nothing where there is no runner", async () => {
    expect(await writeStepSummary({}, ["one"])).toEqual([]);
  });
});
