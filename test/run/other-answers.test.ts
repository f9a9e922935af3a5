import { describe, expect, it } from "vitest";
import { createOtherAnswers } from "../../src/run/other-answers.ts";
import type { RunContext } from "../../src/run/context.ts";
import type { PlannedSample } from "../../src/run/plan.ts";

const both = ["new", "base"];

function sampleOf(candidate: string, caseId = "c1", beside = both): PlannedSample {
  return {
    case: { caseId },
    repeat: 0,
    candidate: { id: candidate },
    beside,
  } as unknown as PlannedSample;
}

function besideOf(stored?: object) {
  const reader = { read: async () => stored, close: async () => undefined };
  const run = {
    candidates: both.map((id) => ({ id })),
    store: { openSamples: async () => reader },
    tools: { files: { hashText: (text: string) => text } },
  };
  const found = createOtherAnswers("t", run as unknown as RunContext);
  if (found === undefined) throw new Error("there are two candidates");
  return found;
}

const paris = { kind: "answered", outputText: "Paris" } as never;

describe("the answer of another candidate to the same case", () => {
  it("is waited for, whichever is first", async () => {
    const beside = besideOf();
    const [own, other] = [sampleOf("new"), sampleOf("base")];
    beside.begin(own);
    const soon = beside.answerOf(own)?.("base");
    beside.begin(other);
    beside.answered(other, paris);
    expect(await soon).toEqual({ kind: "answered", text: "Paris" });
    beside.done(other);
    expect(await beside.answerOf(own)?.("base")).toEqual({ kind: "answered", text: "Paris" });
  });

  it("is read where an earlier attempt at the run was given it", async () => {
    const beside = besideOf({ error: null, output_text: "Rome" });
    const [own, other] = [sampleOf("new"), sampleOf("base")];
    beside.begin(own);
    const soon = beside.answerOf(own)?.("base");
    beside.begin(other);
    beside.kept(other);
    expect(await soon).toEqual({ kind: "answered", text: "Rome" });
  });

  it("is none where it failed, is not asked for, or comes no more", async () => {
    const beside = besideOf();
    const own = sampleOf("new");
    beside.begin(own);
    expect(await beside.answerOf(own)?.("third")).toMatchObject({ kind: "unavailable" });
    const soon = beside.answerOf(own)?.("base");
    beside.close();
    expect(await soon).toMatchObject({ kind: "unavailable" });
    const late = sampleOf("new", "c2");
    expect(await beside.answerOf(late)?.("base")).toMatchObject({ kind: "unavailable" });
    const failing = sampleOf("base", "c3");
    beside.begin(failing);
    beside.answered(failing, { kind: "failed", type: "exit", message: "3" } as never);
    expect(await beside.answerOf(sampleOf("new", "c3"))?.("base")).toEqual({ kind: "failed" });
  });
});
