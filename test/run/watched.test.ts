import { expect, test } from "vitest";
import type { WatchOpens } from "../../src/model/processes.ts";
import type { Executed } from "../../src/run/execute.ts";
import { whileWatched } from "../../src/run/watched.ts";
import type { OpenedSuite } from "../../src/suite/policy/open.ts";

const copies = [
  { absolute: "/cache/rows.jsonl", name: "org/rows", isShared: true },
  { absolute: "/tmp/made/rows.jsonl", name: "rows.jsonl", isShared: false },
];

test("data sets, their copies and the texts of other runs are watched until the last candidate is asked", async () => {
  const events: unknown[] = [];
  const watchOpens: WatchOpens = async ({ paths, more }) => {
    events.push([...paths, ...(more ?? [])]);
    const end = async () => {
      events.push("ended");
      return { opened: [], isWhole: true };
    };
    return { end };
  };
  const tools = {
    watchOpens,
    findOwnRuns: async () => ({ folder: ".regrade", runs: [] }),
    findRunTexts: async (places: readonly string[], except: string) => {
      events.push({ places, except });
      return ["/repo/o0/samples.jsonl"];
    },
  };
  const watch = {
    paths: ["/repo/rows.jsonl"],
    largest: 9,
    baselines: ["/repo/base"],
    explain: async (_: unknown, around: unknown) => {
      events.push(around);
      return { told: [], notes: [] };
    },
  };
  const prepared = { tasks: [{ files: { copies } }] };
  const opened = { watch, prepared, policy: {} } as unknown as OpenedSuite;
  const place = { opened, inCi: true, directory: "/repo/out", runs: ["/given"] };
  await whileWatched(
    place,
    async (onAsked) => {
      events.push("asked");
      await onAsked();
      events.push("compared");
      const stored = { run: { opened: ["rows.jsonl"] } };
      return { baseline: { kind: "run", stored } } as unknown as Executed;
    },
    tools,
  );
  expect(events).toEqual([
    { places: ["/given", "/repo/base", "/repo", ".regrade"], except: "/repo/out" },
    ["/repo/rows.jsonl", "/cache/rows.jsonl", "/tmp/made/rows.jsonl", "/repo/o0/samples.jsonl"],
    "asked",
    "ended",
    "compared",
    "ended",
    { inCi: true, copies, known: ["rows.jsonl"] },
    "ended",
  ]);
});

const run = async () => ({ draft: { id: "run_1" } }) as unknown as Executed;

test("a branch's run in CI records which of its data sets were opened", async () => {
  const dataset = { file: { absolute: "/repo/evals/rows.jsonl" } };
  const suite = { root: "/repo", tasks: [{ dataset }], candidates: [{ kind: "command" }] };
  const seen = { opened: ["/repo/evals/rows.jsonl"], isWhole: true };
  const tools = {
    watchOpens: async () => ({ end: async () => seen }),
    findOwnRuns: async () => ({ folder: ".regrade", runs: [] }),
    findRunTexts: async () => [],
  };
  const opened = { prepared: { suite, tasks: [] } } as unknown as OpenedSuite;
  const drafts = [true, false].map(async (inCi) => {
    const place = { opened, inCi, directory: "/repo/out", runs: [] };
    return (await whileWatched(place, run, tools)).result.draft;
  });
  expect(await Promise.all(drafts)).toEqual([
    { id: "run_1", opened: ["evals/rows.jsonl"] },
    { id: "run_1" },
  ]);
});
