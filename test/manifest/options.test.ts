import { describe, expect, it } from "vitest";
import { problem, Refusal } from "../../src/model/refusal.ts";
import { imagine, resolveText, shortForm } from "./resolve-text.ts";

const schema = { type: "object", required: ["label"] };

async function resolved(
  grader: object,
  readText: (path: string) => Promise<string> = async () => JSON.stringify(schema),
): Promise<{ options: unknown; codes: readonly string[] }> {
  const found = await resolveText(shortForm({ grader: { ...grader } }), { ...imagine(), readText });
  if (found.kind === "refused")
    return { options: undefined, codes: found.problems.map(({ message }) => message) };
  const spec = found.suite.tasks[0]?.grader;
  const options = spec !== undefined && "options" in spec ? spec.options : undefined;
  return { options, codes: found.warnings.map(({ code }) => code) };
}

describe("the schema of json_schema", () => {
  it("is what its file holds, so that a changed file is a changed grader", async () => {
    const read: string[] = [];
    const { options } = await resolved(
      { type: "json_schema", schema: "label.json" },
      async (path) => {
        read.push(path);
        return JSON.stringify(schema);
      },
    );
    expect(options).toEqual({ schema });
    expect(read).toEqual(["/repo/evals/label.json"]);
  });

  it("may stand in the manifest", async () => {
    expect((await resolved({ type: "json_schema", schema })).options).toEqual({ schema });
  });

  it.each([
    ["is no JSON", async () => "{", /can't use label\.json as a JSON Schema: /],
    ["is no object", async () => "[1]", /it holds no JSON object/],
    [
      "can't be read",
      async () => {
        throw new Refusal(problem("path_missing", { path: "label.json" }));
      },
      /no such file/,
    ],
  ])("is refused where its file %s", async (_, readText, expected) => {
    const { codes } = await resolved({ type: "json_schema", schema: "label.json" }, readText);
    expect(codes.join("\n")).toMatch(expected);
  });

  it("stays inside the repository", async () => {
    const { codes } = await resolved({ type: "json_schema", schema: "../../etc/passwd" });
    expect(codes.join("\n")).toContain("leads out of the repository");
  });
});

describe("extracted numbers that are compared as texts", () => {
  it.each([
    ["exact_match", "number", ["number_compared_as_text"]],
    ["numeric", "number", []],
    ["exact_match", "none", []],
  ])("%s after %s", async (grader, type, expected) => {
    const text = shortForm({ grader, output_extraction: { type } });
    const found = await resolveText(text);
    if (found.kind === "refused") throw new Error("refused");
    const codes = found.warnings.map(({ code }) => code);
    expect(codes.filter((code) => code === "number_compared_as_text")).toEqual(expected);
  });
});
