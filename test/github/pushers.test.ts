import { describe, expect, it } from "vitest";
import { isEitherSide } from "../../src/github/api/commits.ts";
import { readPushers, type Push } from "../../src/github/api/pushers.ts";

const none = "0".repeat(40);

/** `ann: a>b`: ann moved the branch from a to b. */
function push(text: string, kind = "push"): Push {
  const [by = "", before = "", after = ""] = text.split(/[: >]+/);
  const isPerson = !by.endsWith("[bot]") && by !== "ghost";
  return { kind, before, after, by: by === "ghost" ? undefined : by, isPerson };
}

const made = (text: string): Push => push(text, "branch_creation");
const list = (...pushes: readonly Push[]): { pushes: readonly Push[]; isWhole: boolean } => ({
  pushes,
  isWhole: true,
});
const head = { headSha: "h", mergeBase: undefined };

function people(
  pushes: Parameters<typeof readPushers>[0],
  asked: Parameters<typeof readPushers>[1] = head,
): readonly (string | undefined)[] | string {
  const found = readPushers(pushes, asked);
  return found.kind === "unknown" ? found.reason : found.pushes.map(({ by }) => by);
}

describe("who has pushed to a pull request", () => {
  it("is everybody since the branch was made, whose pushes were undone too", () => {
    const undone = [push("eve: a>x"), push("bob: x>a", "force_push")].toReversed();
    const all = list(push("ann: a>h"), ...undone, made(`cid: ${none}>a`));
    expect(people(all)).toEqual(["ann", "bob", "eve", "cid"]);
  });

  it("is who pushed since the branch stood at a commit of the base, where that is asked", () => {
    const all = list(push("ann: m>h"), push("bob: a>m"), push("eve: x>a"));
    expect(people(all, { headSha: "h", mergeBase: "m" })).toEqual(["ann", "bob"]);
  });

  it("is not who made the branch of a commit of the base", () => {
    const all = list(push("ann: m>h"), made(`eve: ${none}>m`));
    expect(people(all, { headSha: "h", mergeBase: "m" })).toEqual(["ann"]);
  });

  it("is who brought a branch back, and whoever pushed before it was deleted", () => {
    const deleted = push(`bob: a>${none}`, "branch_deletion");
    const all = list(made(`ann: ${none}>h`), deleted, made(`eve: ${none}>a`));
    expect(people(all)).toEqual(["ann", "eve"]);
  });
});

describe("who has pushed is not known", () => {
  const first = made(`ann: ${none}>a`);
  it.each<readonly [string, Parameters<typeof readPushers>[0], string]>([
    ["before GitHub lists anything", list(), "its last push"],
    ["where the branch has moved on", list(push("ann: h>x"), push("ann: a>h"), first), "its last"],
    ["where the list is cut", { pushes: [push("ann: a>h"), first], isWhole: false }, "go back"],
    ["where the branch is older than the list", list(push("ann: a>h")), "go back"],
    ["where a push is missing between two", list(push("ann: b>h"), first), "gaps"],
    ["where an account is gone", list(push("ghost: a>h"), first), "nobody that GitHub names"],
    ["where an app pushed", list(push("x[bot]: a>h"), first), "by x[bot], and who had it"],
  ])("%s", (_, pushes, reason) => {
    expect(people(pushes)).toContain(reason);
  });
});

const tree = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(" ").map((each) => [each.slice(0, 1), each.slice(1)]));

describe("a merge brings nothing of its own", () => {
  it.each<readonly [string, string, boolean]>([
    ["where each file is as one side has it", "a1 b2 c1", true],
    ["where the base has deleted a file", "a1 b2", true],
    ["unless a file is as neither has it", "a1 b3 c1", false],
    ["unless a file is new on neither side", "a1 b2 c1 d1", false],
    ["unless a file is gone that both have", "b2 c1", false],
  ])("%s", (_, now, isNothing) => {
    const [old, base] = [tree("a1 b1 c1"), tree("a1 b2")];
    expect(isEitherSide({ old, base, now: tree(now) })).toBe(isNothing);
  });
});
