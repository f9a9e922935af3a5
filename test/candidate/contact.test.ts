import { describe, expect, it } from "vitest";
import { inContact } from "../../src/candidate/contact.ts";
import type { Generated } from "../../src/model/models/candidate.ts";
import { ask } from "./tools.ts";

const good: Generated = {
  kind: "answered",
  outputText: "4",
  incomplete: false,
  transcript: null,
  responseId: null,
  usage: null,
};
const lost = (type: string): Generated => ({ kind: "unavailable", type, message: "lost" });

/** An app whose ends are told one by one, each to the request of its place. */
function open(count: number) {
  const ends = Array.from({ length: count }, () => Promise.withResolvers<Generated>());
  let asked = 0;
  const generate = inContact(async () => ends[asked++]?.promise ?? good);
  const { signal } = new AbortController();
  const given = ends.map(() => generate(ask("c"), signal));
  return { given, tell: (at: number, end: Generated) => ends[at]?.resolve(end) };
}

const kinds = async (given: readonly Promise<Generated>[]) =>
  (await Promise.all(given)).map(({ kind }) => kind);

describe("a request that loses the user's own app", () => {
  it.each(["connection_reset", "connection_refused", "network", "not_started"])(
    "has failed where the app was reached before: %s",
    async (type) => {
      const { given, tell } = open(2);
      tell(0, good);
      await given[0];
      tell(1, lost(type));
      expect(await given[1]).toEqual({
        kind: "failed",
        type,
        message: "lost; other requests of this run reached the app, so this is its own failure",
      });
    },
  );

  it("is nobody's fault where this process may open no more files, though others reached the app", async () => {
    const { given, tell } = open(2);
    tell(0, good);
    await given[0];
    tell(1, lost("open_files_limit"));
    expect(await given[1]).toEqual(lost("open_files_limit"));
  });

  it("has failed where the app is reached only after it, by another that was under way", async () => {
    const { given, tell } = open(3);
    tell(0, lost("connection_reset"));
    tell(1, lost("connection_refused"));
    tell(2, { kind: "failed", type: "http_500", message: "no" });
    expect(await kinds(given)).toEqual(["failed", "failed", "failed"]);
  });

  it("is nobody's fault where all that are under way lose it: it may not be up", async () => {
    const { given, tell } = open(2);
    tell(0, lost("connection_refused"));
    tell(1, lost("connection_refused"));
    expect(await kinds(given)).toEqual(["unavailable", "unavailable"]);
  });

  it("does not wait for one that was stopped", async () => {
    const { given, tell } = open(2);
    tell(0, lost("connection_refused"));
    tell(1, lost("cancelled"));
    expect(await kinds(given)).toEqual(["unavailable", "unavailable"]);
  });
});
