import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createOpenWorkspace } from "../src/io/agents/workspace.ts";
import { median } from "./measure.ts";
import { milliseconds, type Row } from "./table.ts";

const files = Array.from({ length: 100 }, (_, i) => ({
  path: `d${i % 10}/f${i}.txt`,
  text: `${"x".repeat(2000)}${i}`,
}));

/** Cost of an agent's sample besides the agent: a fresh workspace of 100 files, and reading its content afterwards. */
export async function workspaces(folder: string, rounds: number): Promise<readonly Row[]> {
  const source = join(folder, "work");
  writeAll(source);
  const openWorkspace = createOpenWorkspace();
  const times: { readonly bare: number; readonly made: number; readonly taken: number }[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const bare = timed(() => writeAll(mkdtempSync(join(folder, "bare-"))));
    const started = performance.now();
    const workspace = await openWorkspace({ folders: [{ source, target: "" }], files: {} });
    const made = performance.now() - started;
    if (workspace.kind === "not_opened") throw new Error(workspace.message);
    const before = performance.now();
    await workspace.capture();
    times.push({ bare, made, taken: performance.now() - before });
    await workspace.remove();
  }
  const of = (what: "bare" | "made" | "taken"): number => median(times.map((each) => each[what]));
  const [bare, made, taken] = [of("bare"), of("made"), of("taken")];
  const seen = (value: number): string =>
    `${milliseconds(value / 1000)} : ${milliseconds(bare / 1000)}`;
  rmSync(folder, { recursive: true, force: true });
  return [
    {
      what: "a fresh workspace of 100 files : writing 100 files",
      ratio: made / bare,
      limit: "≤ 2",
      kept: made / bare <= 2,
      seen: seen(made),
    },
    {
      what: "taking up a workspace of 100 files : writing 100 files",
      ratio: taken / bare,
      limit: "≤ 1.5",
      kept: taken / bare <= 1.5,
      seen: seen(taken),
    },
  ];
}

function writeAll(to: string): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
  }
}

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
