import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { belongsTo, sameMeaning } from "../../../src/manifest/syntax/known-keys.ts";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema = JSON.parse(readFileSync("schemas/suite.schema.json", "utf8")) as Schema;

function keysAt(section: string): readonly string[] {
  let at: Schema = schema;
  for (const key of section.split(".")) at = follow(at.properties?.[key] ?? {});
  return Object.keys(at.properties ?? {});
}

function follow(at: Schema): Schema {
  return at.$ref === undefined ? at : (schema.$defs?.[at.$ref.replace("#/$defs/", "")] ?? {});
}

const sections = ["run", "run.budget", "run.generation", "gate", "gate.baseline"];

it("a key is sent only where the schema has it, and none of ours away from where it is right", () => {
  for (const key of sections.flatMap(keysAt)) {
    const found = belongsTo(key);
    if (found === undefined) continue;
    const section = found.slice(0, found.lastIndexOf("."));
    expect(keysAt(section), found).toContain(found.slice(section.length + 1));
  }
  const ours = Object.keys(schema.properties ?? {});
  const everywhere = [...ours, ...sections.flatMap(keysAt), "output_extraction"];
  for (const key of ours) expect(sameMeaning(key, everywhere), key).toBeUndefined();
});

it("a key is sent to its section by our name and by another tool's", () => {
  expect(belongsTo("budget")).toBe("run.budget");
  expect(belongsTo("max_tokens")).toBe("run.generation.max_output_tokens");
  expect(belongsTo("banana")).toBeUndefined();
  expect(sameMeaning("max_tokens", ["max_output_tokens"])).toBe("max_output_tokens");
  expect(sameMeaning("max_tokens", ["other"])).toBeUndefined();
});
