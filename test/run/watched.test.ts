import { expect, test } from "vitest";
import type { WatchOpens } from "../../src/model/processes.ts";
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
      return ["/work/o0/samples.jsonl"];
    },
  };
  const watch = {
    paths: ["/work/rows.jsonl"],
    largest: 9,
    baselines: ["/work/base"],
    explain: async (_: unknown, around: unknown) => {
      events.push(around);
      return { told: [], notes: [] };
    },
  };
  const prepared = { tasks: [{ files: { copies } }] };
  const opened = { watch, prepared } as unknown as OpenedSuite;
  const place = { opened, inCi: true, directory: "/work/out", runs: ["/given"] };
  await whileWatched(
    place,
    async (onAsked) => {
      events.push("asked");
      await onAsked();
      events.push("compared");
    },
    tools,
  );
  expect(events).toEqual([
    { places: ["/given", "/work/base", "/work", ".regrade"], except: "/work/out" },
    ["/work/rows.jsonl", "/cache/rows.jsonl", "/tmp/made/rows.jsonl", "/work/o0/samples.jsonl"],
    "asked",
    "ended",
    "compared",
    "ended",
    { inCi: true, copies },
    "ended",
  ]);
});
