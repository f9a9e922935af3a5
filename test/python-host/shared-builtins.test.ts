import { describe, expect, it } from "vitest";
import type { GraderProgram, GraderProgramSpec } from "../../src/model/ports/programs.ts";
import { shareBuiltins } from "../../src/python-host/shared-builtins.ts";

const builtin = {
  kind: "builtin",
  name: "numeric",
  options: { tolerance: 1 },
  metricId: "numeric_match",
  timeoutSeconds: 5,
  execution: "per_sample",
  contract: "sample",
  isolation: undefined,
  allowRead: [],
  models: undefined,
} as const satisfies GraderProgramSpec;

/** Counts what is loaded and closed. */
function counting(refused = false) {
  const seen = { loaded: 0, closed: 0 };
  const open = shareBuiltins(async () => {
    seen.loaded += 1;
    if (refused) return { refused: { reason: "options", message: "no" } as never };
    const close = async (): Promise<void> => {
      seen.closed += 1;
    };
    return { program: { files: [], runsText: undefined, close } as unknown as GraderProgram };
  });
  return { seen, open };
}

async function programOf(opening: ReturnType<ReturnType<typeof counting>["open"]>) {
  const opened = await opening;
  if ("refused" in opened) throw new Error("refused");
  return opened.program;
}

describe("a built-in grader of several tasks", () => {
  it("is loaded once, and closed with the last of them", async () => {
    const { seen, open } = counting();
    const both = [open(builtin), open({ ...builtin, options: { tolerance: 1 } })];
    const [one, other] = await Promise.all(both.map(programOf));
    await one?.close();
    await one?.close();
    expect(seen).toEqual({ loaded: 1, closed: 0 });
    const third = await programOf(open(builtin));
    await other?.close();
    expect(seen).toEqual({ loaded: 1, closed: 0 });
    await third.close();
    expect(seen).toEqual({ loaded: 1, closed: 1 });
  });

  it("is loaded anew after it was closed, as by a check of its options", async () => {
    const { seen, open } = counting();
    await (await programOf(open(builtin))).close();
    const again = await programOf(open(builtin));
    expect(seen).toEqual({ loaded: 2, closed: 1 });
    await again.close();
  });

  it.each<[string, object]>([
    ["other options", { options: { tolerance: 2 } }],
    ["another metric", { metricId: "m" }],
    ["another time limit", { timeoutSeconds: 6 }],
  ])("is loaded for each of them with %s", async (_, other) => {
    const { seen, open } = counting();
    await open(builtin);
    await open({ ...builtin, ...other });
    expect(seen.loaded).toBe(2);
  });

  it.each<[string, object]>([
    ["asks models", { models: { maxCalls: 1, call: async () => ({}) } }],
    ["is the user's", { kind: "source", text: "x", shown: "s" }],
  ])("is loaded for each of them where it %s", async (_, other) => {
    const { seen, open } = counting();
    const spec = { ...builtin, ...other } as unknown as GraderProgramSpec;
    await open(spec);
    await open(spec);
    expect(seen.loaded).toBe(2);
  });

  it("is refused for each of them", async () => {
    const { seen, open } = counting(true);
    const both = await Promise.all([open(builtin), open(builtin)]);
    expect(both.map((each) => "refused" in each)).toEqual([true, true]);
    await open(builtin);
    expect(seen.loaded).toBe(2);
  });
});
