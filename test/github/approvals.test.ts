import { describe, expect, it } from "vitest";
import {
  beganAt,
  readLabel,
  type PullRun,
  type TimelineEvent,
} from "../../src/github/api/labels.ts";

const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`;

function event(name: string, minute: number, parts: Partial<TimelineEvent> = {}): TimelineEvent {
  return { event: name, at: at(minute), label: "evals-ok", actor: "ann", isPerson: true, ...parts };
}

describe("a label counts", () => {
  it("put on after the first run for this commit began", () => {
    const found = readLabel("evals-ok", [event("labeled", 5)], at(4));
    expect(found).toEqual({ kind: "labelled", by: "ann", at: at(5) });
  });
  it("whatever happened to others", () => {
    const timeline = [event("labeled", 5), event("unlabeled", 6, { label: "other" })];
    expect(readLabel("Evals-OK", timeline, at(4)).kind).toBe("labelled");
  });
});

describe("a label does not count", () => {
  it.each<readonly [string, readonly TimelineEvent[], string | undefined]>([
    ["that is not there", [], at(4)],
    ["that was taken off", [event("labeled", 5), event("unlabeled", 6)], at(4)],
    ["that was put on before the push", [event("labeled", 3)], at(4)],
    ["that was put on in the very second of the push", [event("labeled", 4)], at(4)],
    ["that a bot put on", [event("labeled", 5, { isPerson: false })], at(4)],
    ["that a ghost put on", [event("labeled", 5, { actor: undefined })], at(4)],
    ["where the first run is not known", [event("labeled", 5)], undefined],
    [
      "where the branch was moved since",
      [event("labeled", 5), event("head_ref_force_pushed", 6)],
      at(4),
    ],
  ])("%s", (_, timeline, began) => {
    expect(readLabel("evals-ok", timeline, began).kind).toBe("not");
  });
});

const run = (headSha: string, minute: number, headRepo = "owner/app"): PullRun => ({
  headSha,
  headRepo,
  createdAt: at(minute),
});

describe("when the first run for a commit began", () => {
  const pull = { headSha: "b", headRepo: "owner/app" };
  it("is the first of its row, whatever labels started others", () => {
    expect(beganAt([run("b", 9), run("b", 7), run("a", 3)], pull)).toBe(at(7));
  });
  it("starts anew where the branch came back to an old commit", () => {
    expect(beganAt([run("b", 9), run("a", 7), run("b", 3)], pull)).toBe(at(9));
  });
  it("leaves a fork's branch of the same name aside", () => {
    expect(beganAt([run("x", 9, "fork/app"), run("b", 7)], pull)).toBe(at(7));
  });
  it("is unknown before the run is listed", () => {
    expect(beganAt([run("a", 9)], pull)).toBeUndefined();
    expect(beganAt([run("b", 9)], { headSha: "b", headRepo: undefined })).toBeUndefined();
  });
});
