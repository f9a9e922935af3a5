import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { problemsOf, resolveText, shortForm } from "./resolve-text.ts";

/** How a checkout of the base is prepared, by slot. */
async function setups(changes: JsonObject): Promise<unknown> {
  const resolved = await resolveText(shortForm(changes));
  if (resolved.kind === "refused") return resolved.problems.map(({ code }) => code);
  return Object.fromEntries(
    resolved.suite.candidates.map((each) => [each.id, "setup" in each ? each.setup : undefined]),
  );
}

describe("the setup of a checkout of the base", () => {
  it("is a candidate's own, else the run's; a model and an app have none", async () => {
    const candidates = {
      own: { command: ["x"], setup: ["npm", "ci"] },
      shared: { worker: ["x"] },
      app: { http: { url: "http://127.0.0.1:1/", body: { q: "{{prompt}}" }, output: "" } },
    };
    expect(await setups({ candidates, run: { setup: ["make"] } })).toEqual({
      own: ["npm", "ci"],
      shared: ["make"],
      app: undefined,
    });
  });

  it("is not made up where nobody declares one", async () => {
    expect(await setups({ candidates: { a: { command: ["x"] } } })).toEqual({ a: undefined });
  });

  it("is told to be idle where nothing would be prepared", async () => {
    const text = shortForm({
      candidates: {
        app: { http: { url: "http://127.0.0.1:1/", body: { q: "{{prompt}}" }, output: "" } },
      },
      run: { setup: ["make"] },
    });
    const resolved = await resolveText(text);
    const warnings = resolved.kind === "resolved" ? resolved.warnings : [];
    expect(warnings.map(({ code }) => code)).toContain("setting_idle");
    expect(await problemsOf(text)).toEqual([]);
  });
});
