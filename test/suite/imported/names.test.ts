import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { nameSlots, nameTasks } from "../../../src/suite/imported/names.ts";

const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("slots of candidates", () => {
  it("tell names that are one slot, whose rows would be mixed up", () => {
    expect(nameSlots(["m", "m ", "n"], hashText).alike).toEqual([["m", "m "]]);
    expect(nameSlots([null, "recorded"], hashText).alike).toEqual([[null, "recorded"]]);
    expect(nameSlots([null, "m", "m", null], hashText).alike).toEqual([]);
  });

  it("keep long names apart that begin alike", () => {
    const [long, other] = [`${"x".repeat(300)}A`, `${"x".repeat(300)}B`];
    const { ids, alike, slotOf } = nameSlots([long, other], hashText);
    expect(alike).toEqual([]);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.length === 200)).toBe(true);
    expect(ids).toEqual([slotOf(long), slotOf(other)]);
  });
});

describe("ids of tasks", () => {
  it("are the same in every order, where names differ in punctuation only", () => {
    const names = ["A:B", "A-B", "A/B", null, "results"];
    const ids = nameTasks(names, hashText);
    expect(new Set(ids).size).toBe(names.length);
    expect(ids[1]).toBe("A-B");
    expect(ids[4]).toBe("results");
    expect(nameTasks(names.toReversed(), hashText)).toEqual(ids.toReversed());
  });

  it("keep long names apart that begin alike", () => {
    const names = [`${"x".repeat(300)}A`, `${"x".repeat(300)}B`];
    expect(new Set(nameTasks(names, hashText)).size).toBe(2);
  });
});
