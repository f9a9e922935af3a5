import { describe, expect, it } from "vitest";
import type { RunKey } from "../../src/model/outcomes/run.ts";
import { keyedRunArtifact, kindOfArtifact } from "../../src/github/artifacts/run-artifacts.ts";
import { readScoresName, scoresArtifactName } from "../../src/github/artifacts/artifact-names.ts";
import type { ArtifactFacts } from "../../src/github/baseline/choose.ts";
import { pickScores } from "../../src/github/baseline/pick.ts";
import { keyText, readJobKey, resultsPath } from "../../src/github/runner/run-key.ts";

/** Which of the scores that a run left are this job's: by the artifacts' names alone. */

const path = "evals/qa.yaml";
const key = (parts: Partial<RunKey> = {}): RunKey => ({ path, job: "evals", leg: "", ...parts });

function artifact(name: string, id: number, expired = false): ArtifactFacts {
  const facts = { bytes: 1, digest: undefined, runId: 1, headSha: undefined, isOwn: true };
  return { ...facts, id, name, expired };
}

const old = "regrade-qa-scores";
const scores = (parts?: Partial<RunKey>, suite = "qa"): string =>
  scoresArtifactName(suite, key(parts));

interface Row {
  readonly left: readonly string[];
  readonly wanted?: Partial<Parameters<typeof pickScores>[1]>;
  /** The kind, then which of those that were left. */
  readonly picked: string;
}

const rows: Readonly<Record<string, Row>> = {
  "nothing of the suite": {
    left: ["regrade-qa", "regrade-qa-inputs-0123456789abcdef", scores({ path: "b" }, "other")],
    picked: "none",
  },
  "this very key": { left: [scores({ leg: "x" }), scores()], picked: "exact 1" },
  "another job, alone": { left: [scores({ job: "gate" })], picked: "likely 0" },
  "two other jobs": {
    left: [scores({ job: "gate" }), scores({ job: "gate2" })],
    picked: "undecided several 0 1",
  },
  "no job asked, one there": {
    left: [scores()],
    wanted: { job: undefined },
    picked: "exact 0",
  },
  "no job asked, two there": {
    left: [scores(), scores({ job: "gate" })],
    wanted: { job: undefined },
    picked: "undecided several 0 1",
  },
  "another job, the same leg": {
    left: [scores({ job: "gate", leg: "x" }), scores({ job: "gate", leg: "y" })],
    wanted: { leg: "y" },
    picked: "likely 1",
  },
  "a leg where there was none": { left: [scores()], wanted: { leg: "x" }, picked: "likely 0" },
  "no leg where there was one": { left: [scores({ leg: "x" })], picked: "likely 0" },
  "another leg, alone": {
    left: [scores({ leg: "x" })],
    wanted: { leg: "y" },
    picked: "undecided other_leg 0",
  },
  "one key twice": {
    left: [scores(), `${scores()}-2`],
    picked: "undecided shared 0 1",
  },
  "the second of one key, whose first was lost": { left: [`${scores()}-2`], picked: "exact 0" },
  "another path": { left: [scores({ path: "b" })], picked: "elsewhere 0" },
  "another suite's name at this path": { left: [scores({}, "older")], picked: "exact 0" },
  "another name at this path, and this name elsewhere": {
    left: [scores({ path: "b" }), scores({}, "older")],
    picked: "exact 1",
  },
  "without a key": { left: [old], picked: "exact 0" },
  "several without a key": { left: [old, `${old}-2`], picked: "undecided old 0 1" },
  "with and without a key": { left: [old, scores()], picked: "exact 1" },
  "without a key, and with another path's": {
    left: [scores({ path: "b" }), old],
    picked: "exact 1",
  },
};

describe("of what a run left is picked", () => {
  it.each(Object.entries(rows))("%s", (_, { left, wanted, picked }) => {
    const all = left.map((name, i) => artifact(name, i + 1));
    const found = pickScores(all, { suite: "qa", path, job: "evals", leg: "", ...wanted });
    const artifacts =
      found.kind === "none" ? [] : "artifact" in found ? [found.artifact] : found.artifacts;
    const why = found.kind === "undecided" ? [found.why] : [];
    const places = artifacts.map(({ name }) => left.indexOf(name));
    expect([found.kind, ...why, ...places].join(" ")).toBe(picked);
  });

  it("the latest attempt's, and an expired one only where there is no other", () => {
    const wanted = { suite: "qa", path, job: "evals", leg: "" };
    const all = [artifact(scores(), 3, true), artifact(scores(), 2), artifact(scores(), 1)];
    expect(pickScores(all, wanted)).toMatchObject({ kind: "exact", artifact: { id: 2 } });
    expect(pickScores(all.slice(0, 1), wanted)).toMatchObject({ artifact: { expired: true } });
  });
});

function readLeg(text: string): string {
  return readJobKey({ INPUT_LEG: text }).leg;
}

function long(end: string): string {
  return readLeg(JSON.stringify({ a: "x".repeat(50_000) + end }));
}

describe("a leg", () => {
  it.each([
    ["no matrix", "null", ""],
    ["an empty one", "{}", ""],
    ["nothing", "  ", ""],
    [
      "its keys in any order",
      '{"b": [1, {"d":1,"c":2}],\n "a": "x"}',
      '{"a":"x","b":[1,{"c":2,"d":1}]}',
    ],
    ["a word", " linux \n arm ", "linux arm"],
    ["a number", "3", "3"],
    ["what is no JSON", "{a", "{a"],
  ])("%s", (_, text, leg) => {
    expect(readLeg(text)).toBe(leg);
  });

  it("of a whole object is cut, and told from another one", () => {
    expect(long("1").length).toBeLessThan(1000);
    expect(long("1")).not.toBe(long("2"));
    expect(keyText(key({ leg: long("1") })).length).toBeLessThan(300);
  });
});

describe("a key's path", () => {
  it("is of results that of their files, from the repository's root", () => {
    const located = { directory: "/r/w/x", root: "/r" };
    expect(resultsPath(located, ["b.xml", "../a.xml"])).toBe("results:w/a.xml, w/x/b.xml");
  });
});

describe("the names of artifacts", () => {
  it("tell apart what is of one suite, whatever it is called", () => {
    const strange = '../"x"\n~scores-';
    expect(scoresArtifactName(strange, key())).toMatch(/^regrade-[\w.-]+~scores-[0-9a-f-]{32}$/);
    expect(readScoresName(scores({ leg: "a" }))?.key).not.toEqual(readScoresName(scores())?.key);
    expect(readScoresName("regrade-qa")).toBeUndefined();
    expect(readScoresName(keyedRunArtifact("qa", key()))).toBeUndefined();
    const run = { kind: "run", slug: "qa" };
    expect(kindOfArtifact("regrade-qa")).toEqual(run);
    expect(kindOfArtifact(keyedRunArtifact("qa", key()))).toEqual(run);
    expect(kindOfArtifact(`${keyedRunArtifact("qa", key())}-2`)).toEqual(run);
    expect(kindOfArtifact(scores())).toBeUndefined();
    expect(kindOfArtifact(`${scores()}-2`)).toBeUndefined();
    expect(kindOfArtifact("regrade-qa~shard-1-of-2")).toEqual({ kind: "shard", slug: "qa" });
  });
});
