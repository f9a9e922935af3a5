import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

describe("V8's settings", () => {
  it(
    "hold a run with long answers to less than three times what it keeps",
    { tags: "long" },
    async () => {
      expect(await grownBytes()).toBeLessThan(3 * keptBytes);
    },
  );
});

const keptBytes = 60_000_000;
const settings = new URL("../../src/io/processes/v8-settings.ts", import.meta.url).href;

/** What a process grows by that reads texts of half a megabyte, and keeps the last 60 MB of them. */
async function grownBytes(): Promise<number> {
  const script = `
    import { setImmediate as turn } from "node:timers/promises";
    import { settleV8 } from ${JSON.stringify(settings)};
    settleV8({ isAlone: false });
    const before = process.memoryUsage.rss();
    const kept = [];
    for (let i = 0; i < 1800; i += 1) {
      kept[i % 120] = JSON.parse(JSON.stringify({ text: String(i % 10).repeat(${keptBytes / 120}) }));
      await turn();
    }
    console.log(process.resourceUsage().maxRSS * 1024 - before);
  `;
  const argv = ["--input-type=module", "--eval", script];
  return Number((await promisify(execFile)(process.execPath, argv)).stdout);
}
